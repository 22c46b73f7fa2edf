import { join } from 'node:path'
import type { StoreFiles } from '../store/database.ts'
import type { FileAccess } from './connection/connection.ts'
import { backupFile, restoreFile } from './maintenance/backup.ts'
import { workOnFile } from './maintenance/file-work.ts'
import {
  backupFolder,
  backupNames,
  bytesOf,
  exportFolder,
  exposedPaths,
  isAgents,
  newBackupPath,
  removeAbandoned,
  removeDatabase,
  tighten,
} from './maintenance/paths.ts'

/** Keeps the file of an open store. */
export function createStoreFiles(access: FileAccess): StoreFiles {
  const { location } = access
  const folder = backupFolder(location)
  return {
    folder,
    exportFolder: exportFolder(location),
    erasing: async () => (await import('./erase/erase-file.ts')).createErasing(access),
    backup: async (target, signal) => {
      access.mustBeThere()
      const path = 'path' in target ? target.path : newBackupPath(folder, target.at, target.of)
      return backupFile(location, path, signal)
    },
    backups: async () => backupNames(folder),
    bytes: async () => bytesOf(location) + bytesOf(`${location}-wal`),
    pruneBackups: async (made, keep) => {
      removeAbandoned(folder)
      const others = backupNames(folder).filter((name) => name !== made && isAgents(name) === isAgents(made))
      const oldest = others.slice(keep - 1)
      for (const name of oldest) removeDatabase(join(folder, name))
      return oldest
    },
    restore: (from, before) =>
      restoreFile(access, 'path' in from ? from.path : join(folder, from.name), before),
    look: async ({ full, signal }) => {
      access.mustBeThere()
      return workOnFile({ does: 'look', path: location, full }, signal)
    },
    mend: async () => {
      await access.alone(async (writer) => writer.control('PRAGMA wal_checkpoint(TRUNCATE)'))
      removeAbandoned(folder)
      const exposed = exposedPaths(location).filter(({ isFolder }) => !isFolder)
      for (const { path } of exposed) tighten(path)
      return exposed.length
    },
  }
}
