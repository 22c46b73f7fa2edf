import { lstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { attempt } from '../../errors.ts'
import { Finder, type FoundInFile } from '../../history/erase.ts'
import { closeFile } from '../file/own-file.ts'
import { backupFolder, bytesOf, exportFolder, namesIn, packedIndexes } from '../maintenance/paths.ts'

/** Bytes that are searched before others get their turn; these take some 10 ms. */
const PIECE_BYTES = 1 << 20

/** The files of a memory that are there. */
export interface MemoryFiles {
  /** The database, its log and its packed indexes. */
  readonly own: readonly string[]
  /** Backups and exports beside the memory, unfinished ones too, and SQLite's files beside these. */
  readonly copies: readonly string[]
}

/** Lists the files of a memory. */
export function memoryFiles(location: string): MemoryFiles {
  const own = ['', '-wal', '-journal'].map((ending) => `${location}${ending}`)
  const made = filesIn(dirname(location)).filter(
    (path) => basename(path).startsWith(basename(location)) && /\.part-\d+$/.test(path),
  )
  return {
    own: [...own.filter((path) => bytesOf(path) > 0), ...packedIndexes(location)],
    copies: [...filesIn(backupFolder(location)), ...filesIn(exportFolder(location)), ...made],
  }
}

/** Counts how often texts stand in files, which are read in pieces. A file that is gone or cannot be read is `isUnread`. */
export async function searchFiles(
  paths: readonly string[],
  texts: readonly string[],
): Promise<readonly FoundInFile[]> {
  const finder = new Finder(texts)
  const found: FoundInFile[] = []
  for (const path of paths) found.push(await searchFile(path, finder))
  return found
}

async function searchFile(path: string, finder: Finder): Promise<FoundInFile> {
  const stats = attempt(() => statSync(path))
  const bytes = stats?.size ?? 0
  // A device, such as the terminal that a log goes to, keeps nothing, and a pipe would wait for ever.
  if (stats !== undefined && !stats.isFile()) return { path, bytes, times: 0 }
  const file = attempt(() => openSync(path, 'r'))
  if (file === undefined) return { path, bytes, times: 0, isUnread: true }
  let times = 0
  try {
    const buffer = new Uint8Array(PIECE_BYTES + finder.longest)
    for (let held = 0; ; ) {
      const read = attempt(() => readSync(file, buffer, held, buffer.length - held, null))
      if (read === undefined) return { path, bytes, times, isUnread: true }
      held += read
      // A text that begins near the end of a piece is looked for in the next one.
      const end = read === 0 ? held : Math.max(0, held - finder.longest)
      finder.scan(buffer.subarray(0, held), end, () => {
        times += 1
      })
      if (read === 0) return { path, bytes, times }
      buffer.copyWithin(0, end, held)
      held -= end
      await nextTurn()
    }
  } finally {
    closeFile(file)
  }
}

/** Returns the path of a copy; of a folder of notes the paths of all its notes. */
export function notesAt(path: string): string[] {
  if (attempt(() => statSync(path))?.isDirectory() !== true) return [path]
  const entries = attempt(() => readdirSync(path, { recursive: true, withFileTypes: true })) ?? []
  const notes = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
  return notes.map(({ parentPath, name }) => join(parentPath, name))
}

/** Returns the regular files in a folder, without links, pipes and folders. */
function filesIn(folder: string): string[] {
  return namesIn(folder)
    .map((name) => join(folder, name))
    .filter((path) => attempt(() => lstatSync(path))?.isFile())
    .sort()
}
