import { chmodSync, existsSync, renameSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { attempt, ElfmemError, fileFailure } from '../../errors.ts'
import { SELECT_GENERATION } from '../../sql/statement.ts'
import type { BackupFile } from '../../store/database.ts'
import { MEMORY_ID } from '../../store/tables.ts'
import { Connection, type FileAccess, retrying } from '../connection/connection.ts'
import { isCopyBusy } from '../connection/failure.ts'
import { mustBeMemoryFile } from '../file/own-file.ts'
import { memoryIdOf } from '../schema.ts'
import type { CopyFindings } from './checks.ts'
import { workOnFile } from './file-work.ts'
import {
  backupFolder,
  bytesOf,
  privateFile,
  privateFolder,
  removeAbandoned,
  removeDatabase,
  syncPath,
  unfinished,
} from './paths.ts'

/** Writes a verified copy of a memory; it has its name only when it is whole. */
export async function backupFile(
  location: string,
  target: string,
  signal?: AbortSignal,
): Promise<BackupFile> {
  if (existsSync(target))
    throw new ElfmemError('INVALID_INPUT', `${target} exists already.`, {
      recovery: 'Name a file that does not exist; nothing is written over.',
    })
  try {
    privateFolder(dirname(target))
    const found = await copyTo(target, location, signal)
    return { ...found, path: target, name: basename(target), bytes: bytesOf(target) }
  } catch (error) {
    throw fileFailure(error, target)
  }
}

/** Copies a memory into a file beside the target, checks it, and gives it its name. */
async function copyTo(target: string, location: string, signal?: AbortSignal): Promise<CopyFindings> {
  const part = unfinished(target)
  try {
    removeDatabase(part)
    privateFile(part)
    const least = await workOnFile({ does: 'count', path: location }, signal)
    await copyInto(location, part)
    const found = await workOnFile({ does: 'verify', path: part, least }, signal)
    syncPath(part)
    renameSync(part, target)
    syncPath(dirname(target))
    return found
  } finally {
    removeDatabase(part)
  }
}

/** Copies one state of a memory into an empty file page by page, which then is a database without a log. */
async function copyInto(location: string, part: string): Promise<void> {
  using source = new Connection(location, { readOnly: true })
  if (Connection.canCopy) await source.copyTo(part)
  else source.run('VACUUM INTO ?1', part)
}

/** Refuses a path at which there is nothing. */
function mustExist(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return
  throw new ElfmemError('NOT_FOUND', `There is no backup at ${path}.`, {
    recovery: 'Name a file that exists; backup() says where the backups are.',
    details: { path },
  })
}

/**
 * Copies a database that may lie anywhere, without writing beside it: SQLite makes a log and its index for whoever only
 * reads and leaves them, so it copies only where both are there already, because somebody has the file open.
 *
 * @param part an empty file
 */
async function takeCopy(path: string, part: string): Promise<void> {
  if (existsSync(`${path}-wal`) && existsSync(`${path}-shm`)) return copyInto(path, part)
  const before = stateOf(path)
  for (const ending of ['', '-wal']) {
    if (bytesOf(`${path}${ending}`) === 0) continue
    await copyFile(`${path}${ending}`, `${part}${ending}`)
    chmodSync(`${part}${ending}`, 0o600)
  }
  if (stateOf(path) === before && !existsSync(`${path}-shm`)) return
  throw new ElfmemError('STORE_BUSY', 'The backup was written to while it was copied.', {
    recovery: 'Try again when nobody has it open.',
    details: { path },
  })
}

function stateOf(path: string): string {
  const states = ['', '-wal'].map((ending) => {
    const stats = statSync(`${path}${ending}`, { throwIfNoEntry: false, bigint: true })
    return [stats?.ino, stats?.size, stats?.mtimeNs]
  })
  return states.join()
}

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
    const found = await prepared(path, part)
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
  throw new ElfmemError('STORE_FAILED', 'This runtime cannot restore a backup.', {
    recovery:
      'The backup is whole. Use Node 22.18 or newer; or close everything and copy the backup to the path of the memory.',
  })
}

/** Makes a checked copy of the backup; a damaged one is named, so that nobody takes the memory for it. */
async function prepared(path: string, part: string): Promise<CopyFindings> {
  try {
    return await copied(path, part)
  } catch (error) {
    if (!ElfmemError.is(error) || error.code !== 'STORE_CORRUPT') throw error
    throw new ElfmemError(
      'STORE_CORRUPT',
      `The backup ${basename(path)} is damaged. The memory is as it was.`,
      {
        recovery: 'Restore another backup.',
        details: error.details,
        cause: error,
      },
    )
  }
}

/** Nothing of the file runs before it was found whole. */
async function copied(path: string, part: string): Promise<CopyFindings> {
  mustBeMemoryFile(path)
  await takeCopy(path, part)
  // It may be another file by now.
  mustBeMemoryFile(part)
  return workOnFile({ does: 'verify', path: part, from: path })
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
  const copy = new Connection(part, { readOnly: true })
  try {
    await copy.copyTo(location)
  } finally {
    attempt(() => copy.close())
  }
}
