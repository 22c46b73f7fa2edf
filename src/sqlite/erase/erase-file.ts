import { lstatSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { attempt, ElfmemError } from '../../errors.ts'
import { type ErasingFiles, Finder } from '../../history/erase.ts'
import { type FileAccess, retrying } from '../connection/connection.ts'
import { closeFile } from '../file/own-file.ts'
import { workOnFile } from '../maintenance/file-work.ts'
import { backupFolder, bytesOf, exportFolder, namesIn, packedIndexes } from '../maintenance/paths.ts'

/** Number of bytes that are searched in one turn; they take some 10 ms. */
const PIECE_BYTES = 1 << 20

/** Erases from the files of an open store what its rows do not have any more. */
export function createErasing(access: FileAccess): ErasingFiles {
  const { location } = access
  return {
    async own(texts) {
      const [schema] = await access.alone(async (connection) =>
        connection.all('SELECT group_concat(sql) AS sql FROM sqlite_schema'),
      )
      const inSchema = new Finder(texts).standingIn(String(schema?.sql))
      const files = ['', '-wal', '-journal'].map((ending) => `${location}${ending}`)
      return holding(
        [...files.filter((path) => bytesOf(path) > 0), ...packedIndexes(location)],
        texts.filter((text) => !inSchema.has(text)),
      )
    },
    async copies(texts, known) {
      const unfinished = filesIn(dirname(location)).filter(
        (path) => basename(path).startsWith(basename(location)) && /\.part-\d+$/.test(path),
      )
      const beside = [...filesIn(backupFolder(location)), ...filesIn(exportFolder(location)), ...unfinished]
      const elsewhere = new Set(known.flatMap((path) => notesAt(resolve(path))))
      for (const path of beside) elsewhere.delete(path)
      return { beside: await holding(beside, texts), elsewhere: await holding([...elsewhere], texts) }
    },
    async purge(copies) {
      await workWhenFree(access, 'room')
      const isEmptied = await workWhenFree(access, 'log').then(
        () => true,
        (error: unknown) => {
          if (isStoreBusy(error)) return false
          throw error
        },
      )
      // Indexes are caches: a process that misses one reads the rows.
      for (const path of [...packedIndexes(location), ...copies]) rmSync(path, { force: true })
      return isEmptied
    },
  }
}

function isStoreBusy(error: unknown): boolean {
  return ElfmemError.is(error) && error.code === 'STORE_BUSY'
}

/** Works on the file of the open store; another file at its path is left alone. */
function workWhenFree(access: FileAccess, does: 'room' | 'log'): Promise<void> {
  return retrying(access.busyRetry, isStoreBusy, () => {
    access.mustBeThere()
    return workOnFile({ does, path: access.location })
  })
}

/** Returns the files that hold one of the texts, or cannot be read. */
async function holding(paths: readonly string[], texts: readonly string[]): Promise<readonly string[]> {
  const finder = new Finder(texts)
  const found: string[] = []
  for (const path of paths) if (await isHolding(path, finder)) found.push(path)
  return found
}

async function isHolding(path: string, finder: Finder): Promise<boolean> {
  // Only regular files are searched: a device, such as a terminal, keeps nothing, and a pipe would wait for ever.
  if (attempt(() => statSync(path))?.isFile() === false) return false
  const file = attempt(() => openSync(path, 'r'))
  if (file === undefined) return true
  try {
    const buffer = new Uint8Array(PIECE_BYTES + finder.longest)
    for (let held = 0; ; ) {
      const read = attempt(() => readSync(file, buffer, held, buffer.length - held, null))
      if (read === undefined) return true
      held += read
      // A text that begins near the end of a piece is looked for in the next one.
      const end = read === 0 ? held : Math.max(0, held - finder.longest)
      if (finder.scan(buffer.subarray(0, held), end).next().done === false) return true
      if (read === 0) return false
      buffer.copyWithin(0, end, held)
      held -= end
      await nextTurn()
    }
  } finally {
    closeFile(file)
  }
}

/** Returns the path of a copy; of a folder of notes the paths of all its notes. */
function notesAt(path: string): string[] {
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
