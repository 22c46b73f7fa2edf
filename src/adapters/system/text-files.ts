import { once } from 'node:events'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { TextFiles } from '../../engine/ports.ts'
import { ElfmemError, fileFailure } from '../../errors.ts'

/** Text in files of this machine. */
export const systemTextFiles: TextFiles = {
  write: writeLines,
  read: readLines,
  list: listFiles,
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
    await stream(part, lines)
    const { size } = statSync(part)
    renameSync(part, path)
    return size
  } catch (error) {
    throw fileFailure(error, path)
  } finally {
    rmSync(part, { force: true })
  }
}

async function stream(part: string, lines: AsyncIterable<string>): Promise<void> {
  const out = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true })
  try {
    await pipeline(withEnds(lines), out)
  } finally {
    // A file that is still being opened would appear after it was removed.
    if (!out.closed) await once(out, 'close').catch(() => undefined)
  }
}

async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}

async function* readLines(path: string, maxBytes: number): AsyncGenerator<string> {
  let rest = ''
  let line = 1
  try {
    mustEnd(path)
    for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
      const parts = (rest + chunk).split('\n')
      rest = parts.pop() ?? ''
      for (const part of parts) {
        yield part
        line += 1
      }
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

async function listFiles(folder: string): Promise<{ readonly name: string; readonly bytes: number }[]> {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
    return entries.map(({ name }) => ({ name, bytes: statSync(join(folder, name)).size }))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw fileFailure(error, folder)
  }
}
