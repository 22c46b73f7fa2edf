import { join } from 'node:path'
import type { StoreFiles } from '../../../ports/store-keeping.ts'
import type { FileAccess } from './access.ts'
import { backupFile } from './backup.ts'
import { exportRows } from './export-rows.ts'
import { lookAt, mendFile } from './health.ts'
import { backupFolder, backupNames, newBackupPath, removeAbandoned, removeDatabase } from './paths.ts'
import { restoreFile } from './restore-backup.ts'
import { takeRecords } from './take-records.ts'

/** Keeps the file of an open store. */
export function createStoreFiles(access: FileAccess): StoreFiles {
  const { location } = access
  const folder = backupFolder(location)
  return {
    folder,
    backup: (target) =>
      backupFile(location, 'path' in target ? target.path : newBackupPath(folder, target.at)),
    backups: async () => backupNames(folder),
    pruneBackups: async (keep, made) => {
      removeAbandoned(folder)
      const others = backupNames(folder).filter((name) => name !== made)
      const surplus = others.slice(Math.max(0, keep - 1))
      for (const name of surplus) removeDatabase(join(folder, name))
      return surplus
    },
    restore: (from, before) =>
      restoreFile(access, 'path' in from ? from.path : join(folder, from.name), before),
    look: async ({ full }) => lookAt(location, full),
    mend: ({ dropPacked }) => mendFile(access, dropPacked),
    readRecords: (work) => exportRows(location, work),
    takeRecords: (head, records, steps) => takeRecords(access, { head, records, steps }),
  }
}
