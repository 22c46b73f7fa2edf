import { existsSync, renameSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { ElfmemError } from '../../errors.ts'
import type { BackupFile } from '../../ports/store/maintenance.ts'
import { type BusyRetry, whileBusy } from '../connection/busy-retry.ts'
import { Connection } from '../connection/driver.ts'
import { versionOf } from '../file/expected-schema.ts'
import { SCHEMA_VERSION } from '../migrations/schema.ts'
import { checkFile } from './check-file.ts'
import { COUNTS, type CopyFindings, type Least, NOTHING } from './checks.ts'
import { bytesOf, privateFile, privateFolder, removeDatabase, syncPath, unfinished } from './paths.ts'

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

/** One of an earlier try is written over. */
async function copyTo(target: string, location: string, signal?: AbortSignal): Promise<CopyFindings> {
  const part = unfinished(target)
  try {
    removeDatabase(part)
    privateFile(part)
    const least = await copyInto(location, part)
    const found = await checkFile({ does: 'verify', path: part, least }, { signal })
    syncPath(part)
    renameSync(part, target)
    syncPath(dirname(target))
    return found
  } finally {
    removeDatabase(part)
  }
}

/** Copies one state of a memory into an empty file, which then is a database without a log; returns what it held before. */
async function copyInto(location: string, part: string): Promise<Least> {
  using source = new Connection(location, { readOnly: true })
  const least = versionOf(source) === 0 ? NOTHING : (source.get<Least & { edges: number }>(COUNTS) as Least)
  await copyPages(source, part)
  return least
}

/** Copies a database into an empty file page by page, without a look at its rows. */
export async function copyPages(source: Connection, part: string): Promise<void> {
  if (Connection.canCopy) await source.copyTo(part)
  else source.run('VACUUM INTO ?1', part)
}

/** Before the format of a memory that holds something is changed, keeps it as it is; without that nothing is changed. */
export async function backupBefore(writer: Connection, busyRetry: BusyRetry): Promise<void> {
  const version = await whileBusy(busyRetry, () => versionOf(writer))
  if (version === 0 || version >= SCHEMA_VERSION) return
  const target = `${writer.location}.before-v${SCHEMA_VERSION}.db`
  try {
    // One of an earlier try is older than the memory is now.
    await copyTo(target, writer.location)
  } catch (cause) {
    const message = `The memory has to be brought to a newer format, and the backup before that failed: ${(cause as Error).message}`
    throw new ElfmemError('STORE_FAILED', message, {
      recovery: `Make room for ${target}, then open the memory again; it was left as it is.`,
      details: { location: writer.location, version, target },
      cause,
    })
  }
}

const FAILURES: Readonly<Record<string, string>> = {
  ENOSPC: 'There is no room left.',
  EACCES: 'This user may not write there.',
  EPERM: 'This user may not write there.',
  EROFS: 'The disk is read-only.',
  ENOTDIR: 'A part of the path is no folder.',
}

/** Returns the error for a refusal of the file system; other errors come back as they are. */
export function fileFailure(error: unknown, path: string): unknown {
  if (ElfmemError.is(error) || !(error instanceof Error) || !('code' in error)) return error
  const code = String(error.code)
  return new ElfmemError(
    code === 'ENOSPC' ? 'STORE_FULL' : 'STORE_FAILED',
    `${path} cannot be written. ${FAILURES[code] ?? error.message}`,
    { recovery: 'Choose another path, or correct this one.', details: { path, code }, cause: error },
  )
}

/** Refuses a path at which there is nothing. */
export function mustExist(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return
  throw new ElfmemError('NOT_FOUND', `There is no backup at ${path}.`, {
    recovery: 'Name a file that exists; backup says where the backups are.',
    details: { path },
  })
}
