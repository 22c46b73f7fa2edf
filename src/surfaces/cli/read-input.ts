import { readFileSync, statSync } from 'node:fs'
import { attempt, ElfmemError } from '../../errors.ts'

/** Bytes read of one file or pipe at most: about the longest text that there can be. */
const INPUT_BYTES_MAX = 500_000_000

/**
 * The text of a file that an argument names. A pipe of the shell (`<(…)`, `/dev/stdin`) is read to its end.
 *
 * @throws `INVALID_INPUT` if it cannot be read, is a device or a named pipe, which may have no end, or is too long
 */
export function readInputFile(path: string): string {
  const found = statSync(path)
  const isPipe = /^\/(?:dev\/(?:fd\/|std)|proc\/self\/fd\/)/.test(path)
  if (!found.isFile() && !isPipe) throw unfit(path, found.isDirectory() ? 'a folder' : 'no regular file')
  if (found.size > INPUT_BYTES_MAX) throw unfit(path, 'longer than 500 MB')
  return readFileSync(path, 'utf8')
}

/** Reads the text of a pipe, within the same bound. */
export async function readInputStream(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.byteLength
    if (bytes > INPUT_BYTES_MAX) throw unfit('Standard input', 'longer than 500 MB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes).toString('utf8')
}

function unfit(what: string, is: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `${what} is ${is}.`, {
    recovery: 'Name a regular file, or - and write to standard input.',
  })
}

/** Returns the value of a JSON text. The refusal repeats nothing of the text, which may be that of a file. */
export function parseJson(key: string, text: string, line?: number): unknown {
  const parsed = attempt(() => ({ value: JSON.parse(text) as unknown }))
  if (parsed !== undefined) return parsed.value
  throw new ElfmemError(
    'INVALID_INPUT',
    `${key} is not JSON${line === undefined ? '' : `: look at line ${line}`}.`,
    {
      recovery: 'Correct the JSON. A list may also be one JSON object a line.',
      details: line === undefined ? {} : { line },
    },
  )
}

/** Returns the values of a text with one JSON value a line; blank lines are left out. */
export function jsonLines(key: string, text: string): unknown[] {
  return text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [parseJson(key, line, at + 1)]))
}
