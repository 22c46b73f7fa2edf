import { basename } from 'node:path'
import { attempt, ElfmemError } from '../../errors.ts'
import type { BackupFile } from '../../ports/store/maintenance.ts'
import { MEMORY_ID } from '../../store/log-tables.ts'
import { Connection, type FileAccess, retrying } from '../connection/connection.ts'
import { isCopyBusy } from '../connection/failure.ts'
import { mustBeMemoryFile } from '../file/own-file.ts'
import { SELECT_GENERATION } from '../queries/changes.ts'
import { assertOurs, memoryIdOf, versionOf } from '../schema.ts'
import { fileFailure, mustExist } from './backup.ts'
import { checkFile } from './check-file.ts'
import {
  backupFolder,
  bytesOf,
  privateFile,
  privateFolder,
  removeAbandoned,
  removeDatabase,
  unfinished,
} from './paths.ts'
import { mustHaveNoHoles, takeCopy } from './take-copy.ts'

/** Other processes may change their vectors between the look and the copy; so often they do not. */
const GENERATIONS_BETWEEN = 1_000

const SAVE = `INSERT INTO meta (key, value) VALUES (?1, ?2)
ON CONFLICT (key) DO UPDATE SET value = excluded.value`

/** A packed index tells of a state that is gone. */
const DROP_MARKS = `DELETE FROM meta WHERE key = 'index_mark' OR key LIKE 'index_mark %'`

/**
 * Puts the contents of a backup in the place of the memory's. A copy of the backup is checked; SQLite then copies it into
 * the open memory in one commit, so that other processes go on and see it. The generation of vectors grows, which tells
 * every index in memory to begin anew. A failure before that commit leaves the memory as it is, without the safety backup;
 * after it nothing fails.
 *
 * @param before makes the safety backup
 */
export async function restoreFile(
  access: FileAccess,
  path: string,
  before: () => Promise<BackupFile>,
): Promise<{ readonly from: BackupFile; readonly before: BackupFile }> {
  mustExist(path)
  const folder = backupFolder(access.location)
  const part = unfinished(`${folder}/restoring`)
  let safety: BackupFile | undefined
  let isReplaced = false
  try {
    privateFolder(folder)
    removeAbandoned(folder)
    removeDatabase(part)
    privateFile(part)
    const found = await prepared(access, path, part)
    const from = { ...found, path, name: basename(path), bytes: bytesOf(path) }
    mustBeAbleToCopy()
    await access.alone(async (writer) => raiseGeneration(writer, part))
    safety = await before()
    await access.alone(async (writer) => {
      await retrying(access.busyRetry, isCopyBusy, () => copyOver(part, writer.location))
      isReplaced = true
      // What is not moved out of the log stays in it.
      attempt(() => writer.control('PRAGMA wal_checkpoint(PASSIVE)'))
    })
    return { from, before: safety }
  } catch (error) {
    if (safety !== undefined && !isReplaced) removeDatabase(safety.path)
    throw fileFailure(error, path)
  } finally {
    // What is left goes with the next backup.
    attempt(() => removeDatabase(part))
  }
}

/** Comes after the look at the file: whoever gave a bad one learns that first. */
function mustBeAbleToCopy(): void {
  if (Connection.canCopy) return
  throw new ElfmemError('STORE_FAILED', `Node ${process.versions.node} cannot restore a backup.`, {
    recovery:
      'The backup is whole. Use Node 22.16 or newer; or close everything and copy the backup to the path of the memory.',
  })
}

/** Makes a checked copy of the backup. Nothing of the file runs before it was found whole. */
async function prepared(access: FileAccess, path: string, part: string) {
  mustBeMemoryFile(path)
  mustHaveNoHoles(path)
  await takeCopy(path, part)
  // It may be another file by now.
  mustBeMemoryFile(part)
  mustHoldMemory(part, path)
  await checkFile({ does: 'verify', path: part }, { isForeign: true })
  const pageSize = await access.alone(async (writer) => pageSizeOf(writer))
  usePageSize(part, pageSize)
  return checkFile({ does: 'verify', path: part, isToServe: true })
}

/** @param path what the copy was taken from */
function mustHoldMemory(part: string, path: string): void {
  const copy = new Connection(part)
  try {
    assertOurs(copy, path)
    if (versionOf(copy) === 0)
      throw new ElfmemError('STORE_FAILED', 'The file holds no memory.', { recovery: 'Name a backup.' })
  } finally {
    copy.close()
  }
}

function pageSizeOf(connection: Connection): number {
  return Number(connection.control('PRAGMA page_size')?.page_size)
}

/** SQLite copies over a database in use only pages of the same size. */
function usePageSize(part: string, pageSize: number): void {
  const copy = new Connection(part)
  try {
    if (pageSizeOf(copy) === pageSize) return
    copy.control('PRAGMA journal_mode = DELETE')
    copy.control(`PRAGMA page_size = ${pageSize}`)
    copy.script('VACUUM')
  } finally {
    copy.close()
  }
}

function raiseGeneration(writer: Connection, part: string): void {
  const copy = new Connection(part)
  try {
    const [here, there] = [generationOf(writer), generationOf(copy)]
    const generation = Math.max(here, there) + GENERATIONS_BETWEEN
    copy.run(SAVE, 'vector_generation', String(generation))
    copy.run(DROP_MARKS)
    const id = memoryIdOf(writer)
    // A copy has the name of the memory whose place it takes.
    if (id !== undefined) copy.run(SAVE, MEMORY_ID, id)
  } finally {
    copy.close()
  }
}

function generationOf(connection: Connection): number {
  return (
    connection.get<{ generation: number | null }>(`SELECT ${SELECT_GENERATION} AS generation`)?.generation ??
    0
  )
}

async function copyOver(part: string, location: string): Promise<void> {
  const copy = new Connection(part, { readOnly: true })
  try {
    await copy.copyTo(location)
  } finally {
    attempt(() => copy.close())
  }
}
