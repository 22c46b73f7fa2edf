import { basename } from 'node:path'
import { ElfmemError } from '../../errors.ts'
import type { BackupFile } from '../../ports/store/maintenance.ts'
import { type BusyRetry, retrying } from '../connection/busy-retry.ts'
import { Connection } from '../connection/driver.ts'
import { isCopyBusy } from '../connection/failure.ts'
import { MEMORY_ID } from '../file/bytes/stored-schema.ts'
import { versionOf } from '../file/expected-schema.ts'
import { memoryIdOf } from '../file/identity.ts'
import { lookBeforeOpening } from '../file/look-before-opening.ts'
import { assertOurs, migrate, SCHEMA_VERSION } from '../migrations/schema.ts'
import { SELECT_GENERATION } from '../queries/changes.ts'
import type { FileAccess } from '../transaction/access.ts'
import { copyPages, fileFailure, mustExist } from './backup.ts'
import { checkFile } from './check-file.ts'
import { backupFolder, bytesOf, privateFile, privateFolder, removeDatabase, unfinished } from './paths.ts'

/** Other processes may change their vectors between the look and the copy; so often they do not. */
const GENERATIONS_BETWEEN = 1_000

const SAVE = `INSERT INTO meta (key, value) VALUES (?1, ?2)
ON CONFLICT (key) DO UPDATE SET value = excluded.value`

/** A packed index tells of a state that is gone. */
const DROP_MARKS = `DELETE FROM meta WHERE key = 'index_mark' OR key LIKE 'index_mark %'`

/**
 * Puts the contents of a backup in the place of the memory's. A copy of the backup is brought to this version and
 * checked; SQLite then copies it into the open memory in one commit, so that other processes go on and see it. The
 * generation of vectors grows, which tells every resident index to begin anew.
 */
export async function restoreFile<T>(
  access: FileAccess,
  path: string,
  before: () => Promise<T>,
): Promise<{ readonly from: BackupFile; readonly before: T }> {
  mustExist(path)
  if (!Connection.canCopy)
    throw new ElfmemError('STORE_FAILED', 'This version of Node cannot restore a backup.', {
      recovery: 'Use Node 22.16 or newer; or close everything and copy the backup to the path of the memory.',
    })
  const folder = backupFolder(access.location)
  const part = unfinished(`${folder}/restoring`)
  try {
    privateFolder(folder)
    removeDatabase(part)
    privateFile(part)
    const found = await prepared(access.busyRetry, path, part)
    const done = await before()
    await access.alone(async (writer) => {
      raiseGeneration(writer, part)
      await retrying(access.busyRetry, isCopyBusy, () => copyOver(part, writer.location))
      writer.control('PRAGMA wal_checkpoint(PASSIVE)')
    })
    return { from: { ...found, path, name: basename(path), bytes: bytesOf(path) }, before: done }
  } catch (error) {
    throw fileFailure(error, path)
  } finally {
    removeDatabase(part)
  }
}

/** A copy of the backup, checked and brought to this version. Nothing of the file runs before it was found whole. */
async function prepared(busyRetry: BusyRetry, path: string, part: string) {
  lookBeforeOpening(path, SCHEMA_VERSION)
  await copyMemory(path, part)
  await checkFile({ does: 'verify', path: part }, { isForeign: true })
  {
    using copy = new Connection(part)
    await migrate(copy, busyRetry)
  }
  return checkFile({ does: 'verify', path: part, isToServe: true })
}

async function copyMemory(path: string, part: string): Promise<void> {
  using given = new Connection(path, { readOnly: true })
  assertOurs(given)
  if (versionOf(given) === 0)
    throw new ElfmemError('STORE_FAILED', 'The file holds no memory.', { recovery: 'Name a backup.' })
  await copyPages(given, part)
}

function raiseGeneration(writer: Connection, part: string): void {
  using copy = new Connection(part)
  const [here, there] = [generationOf(writer), generationOf(copy)]
  const generation = Math.max(here, there) + GENERATIONS_BETWEEN
  copy.run(SAVE, 'vector_generation', String(generation))
  copy.run(DROP_MARKS)
  const id = memoryIdOf(writer)
  // A copy has the name of the memory whose place it takes.
  if (id !== undefined) copy.run(SAVE, MEMORY_ID, id)
}

function generationOf(connection: Connection): number {
  return (
    connection.get<{ generation: number | null }>(`SELECT ${SELECT_GENERATION} AS generation`)?.generation ??
    0
  )
}

async function copyOver(part: string, location: string): Promise<void> {
  using copy = new Connection(part, { readOnly: true })
  await copy.copyTo(location)
}
