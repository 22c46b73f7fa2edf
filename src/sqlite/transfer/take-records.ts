import { randomUUID } from 'node:crypto'
import { basename, dirname } from 'node:path'
import type { RecordHead, StoreRecord, TakenRecords, TakingSteps } from '../../ports/store/maintenance.ts'
import { writerOn } from '../../store/methods.ts'
import { Connection, type FileAccess, transact } from '../connection/connection.ts'
import { fileFailure } from '../maintenance/backup.ts'
import { privateFile, removeAbandoned, removeDatabase, unfinished } from '../maintenance/paths.ts'
import { SqliteRows } from '../rows/rows.ts'
import { makeTables } from '../schema.ts'
import { attachStaged, copyStaged } from './import-copy.ts'
import { fillRows } from './import-rows.ts'

/** Nobody else opens it, and it is thrown away when anything fails. */
const STAGING = [
  'PRAGMA locking_mode = EXCLUSIVE',
  'PRAGMA journal_mode = MEMORY',
  'PRAGMA synchronous = OFF',
  'PRAGMA foreign_keys = ON',
  'PRAGMA cache_size = -8000',
]

interface Taking {
  readonly head: RecordHead
  readonly records: AsyncIterable<StoreRecord>
  readonly steps: TakingSteps
}

/** Takes records into a memory by way of one of their own beside it, so that the lock is held for the copy alone. */
export async function takeRecords(
  access: FileAccess,
  { head, records, steps }: Taking,
): Promise<TakenRecords> {
  const prefix = `${access.location}.importing-`
  const path = unfinished(`${prefix}${randomUUID()}`)
  try {
    removeAbandoned(dirname(prefix), basename(prefix))
    privateFile(path)
    const counts = await staged(access, path, { records, steps })
    const importer = access.connect()
    try {
      attachStaged(importer, path)
      return await access.write(async (life) => {
        const taken = await copyStaged(life.connection, { head, counts, asNew: steps.asNew })
        await steps.done(writerOn(new SqliteRows(life)), taken)
        return taken
      }, importer)
    } finally {
      importer.close()
    }
  } catch (error) {
    throw fileFailure(error, path)
  } finally {
    removeDatabase(path)
  }
}

/** Makes a memory of all records; returns how many of each kind there are. */
async function staged(
  { busyRetry }: FileAccess,
  path: string,
  { records, steps }: Omit<Taking, 'head'>,
): Promise<Record<string, number>> {
  const connection = new Connection(path)
  try {
    for (const setting of STAGING) connection.control(setting)
    await makeTables(connection, busyRetry)
    connection.control('BEGIN')
    return await transact(connection, async (life) => {
      const counts = await fillRows(connection, records)
      await steps.staged(writerOn(new SqliteRows(life)))
      return counts
    })
  } finally {
    connection.close()
  }
}
