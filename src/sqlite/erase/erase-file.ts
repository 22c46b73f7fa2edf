import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { ElfmemError } from '../../errors.ts'
import { type ErasingFiles, Finder } from '../../history/erase.ts'
import { type FileAccess, retrying } from '../connection/connection.ts'
import { workOnFile } from '../maintenance/file-work.ts'
import { packedIndexes } from '../maintenance/paths.ts'
import { memoryFiles, notesAt, searchFiles } from './search-files.ts'

/** Erases from the files of an open store what its rows do not have any more. */
export function createErasing(access: FileAccess): ErasingFiles {
  const { location } = access
  return {
    async survey({ pieces, ids }, known) {
      const files = memoryFiles(location)
      const elsewhere = new Set(known.flatMap((path) => notesAt(resolve(path))))
      for (const path of [...files.own, ...files.copies]) elsewhere.delete(path)
      const before = await searchFiles([...files.own, ...files.copies], pieces)
      const naming = await searchFiles([...files.copies, ...elsewhere], [...pieces, ...ids])
      const holding = naming.filter(({ times, isUnread }) => times > 0 || isUnread).map(({ path }) => path)
      return {
        before,
        copies: holding.filter((path) => !elsewhere.has(path)),
        elsewhere: holding.filter((path) => elsewhere.has(path)),
      }
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
    async find(pieces) {
      const [schema] = await access.alone(async (connection) =>
        connection.all('SELECT group_concat(sql) AS sql FROM sqlite_schema'),
      )
      const standing = new Finder(pieces).standingIn(String(schema?.sql))
      const left = pieces.filter((piece) => !standing.has(piece))
      return searchFiles(memoryFiles(location).own, left)
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
