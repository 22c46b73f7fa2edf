import { existsSync, renameSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { ElfmemError } from '../../errors.ts'
import type { BackupFile } from '../../ports/store/maintenance.ts'
import { Connection } from '../connection/connection.ts'
import { checkFile } from './check-file.ts'
import type { CopyFindings } from './checks.ts'
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

/** Copies a memory into a file beside the target, checks it, and gives it its name. */
async function copyTo(target: string, location: string, signal?: AbortSignal): Promise<CopyFindings> {
  const part = unfinished(target)
  try {
    removeDatabase(part)
    privateFile(part)
    const least = await checkFile({ does: 'count', path: location }, { signal })
    await copyInto(location, part)
    const found = await checkFile({ does: 'verify', path: part, least }, { signal })
    syncPath(part)
    renameSync(part, target)
    syncPath(dirname(target))
    return found
  } finally {
    removeDatabase(part)
  }
}

/** Copies one state of a memory into an empty file, which then is a database without a log. */
async function copyInto(location: string, part: string): Promise<void> {
  const source = new Connection(location, { readOnly: true })
  try {
    await copyPages(source, part)
  } finally {
    source.close()
  }
}

/** Copies a database into an empty file page by page, without a look at its rows. */
export async function copyPages(source: Connection, part: string): Promise<void> {
  if (Connection.canCopy) await source.copyTo(part)
  else source.run('VACUUM INTO ?1', part)
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
    recovery: 'Name a file that exists; backup() says where the backups are.',
    details: { path },
  })
}
