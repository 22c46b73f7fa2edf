import { createReadStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { TextFiles } from '../../engine/ports.ts'
import { attempt, ElfmemError, fileFailure } from '../../errors.ts'

/** Text in files of this machine. */
export const systemTextFiles: TextFiles = {
  write: writeLines,
  read: readLines,
  remove: async (path) => rmSync(path, { force: true }),
}

async function writeLines(
  path: string,
  lines: AsyncIterable<string>,
  { replace } = { replace: false },
): Promise<number> {
  if (!replace && existsSync(path))
    throw new ElfmemError('INVALID_INPUT', `${path} exists already.`, {
      recovery: 'Name a file that does not exist; nothing is written over.',
    })
  const part = `${path}.part-${process.pid}`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    rmSync(part, { force: true })
    await writeFile(part, piecesOf(lines), { flag: 'wx', mode: 0o600, flush: true })
    const { size } = statSync(part)
    renameSync(part, path)
    return size
  } catch (error) {
    throw fileFailure(error, path)
  } finally {
    attempt(() => rmSync(part, { force: true }))
  }
}

/** Number of characters that are written at once. */
const PIECE = 65_536

/** Yields lines with their ends, many at a time. */
async function* piecesOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = ''
  for await (const line of lines) {
    piece += `${line}\n`
    if (piece.length < PIECE) continue
    yield piece
    piece = ''
  }
  yield piece
}

async function* readLines(path: string, maxBytes: number): AsyncGenerator<string> {
  let rest = ''
  let line = 1
  try {
    mustEnd(path)
    for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
      const parts = (rest + chunk).split('\n')
      rest = parts.pop() ?? ''
      yield* parts
      line += parts.length
      if (Buffer.byteLength(rest) > maxBytes)
        throw new ElfmemError('INVALID_INPUT', `Line ${line} is longer than ${maxBytes} bytes.`, {
          recovery: 'Name a file that elfmem exported.',
          details: { line },
        })
    }
  } catch (error) {
    throw fileFailure(error, path)
  }
  if (rest !== '') yield rest
}

/** A device may have no end. Who writes to a pipe ends it, and others have their turn meanwhile. */
function mustEnd(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isFile() || found.isFIFO()) return
  throw new ElfmemError('INVALID_INPUT', `${path} is no regular file.`, {
    recovery: 'Name a regular file, or - and write to standard input.',
    details: { path },
  })
}
