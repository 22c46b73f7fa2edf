import { readFileSync, statSync } from 'node:fs'
import { ElfmemError } from '../../errors.ts'

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

/** Returns the value of a JSON text. The refusal names a line alone, since the text may be that of a file. */
export function parseJson(key: string, text: string, firstLine = 1): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const { message } = cause as Error
    const last = message.includes('end of JSON') ? text.split('\n').length : undefined
    const found = / \(line (\d+) column \d+\)/.exec(message)?.[1] ?? last
    const line = found === undefined ? undefined : firstLine - 1 + Number(found)
    const where = line === undefined ? '' : `: look at line ${line}`
    throw new ElfmemError('INVALID_INPUT', `${key} is not JSON${where}.`, {
      recovery: 'Correct the JSON.',
      details: line === undefined ? {} : { line },
    })
  }
}

/**
 * A list may also be given as one JSON value a line; blank lines are left out.
 *
 * @param example one value, for whoever gives words instead of JSON
 */
export function jsonLines(key: string, text: string, example: string): unknown[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    if (/^\s*[{["]/.test(line)) return [parseJson(key, line, at + 1)]
    throw new ElfmemError('INVALID_INPUT', `Line ${at + 1} of ${key} is not JSON.`, {
      recovery: `Give a JSON list, or one JSON object a line, such as ${example}.`,
      details: { line: at + 1 },
    })
  })
}
