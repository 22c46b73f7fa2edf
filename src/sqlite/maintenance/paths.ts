import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { attempt } from '../../errors.ts'

/** A backup in the folder of backups: time, a number for those of one millisecond, and whether an agent made it; so names sort by time. */
const OWN_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-\d{3}(-agent)?\.db$/
/** A copy being made, named after the process that makes it. */
const UNFINISHED = /\.part-\d+$/
/** An unfinished copy that nobody has written to for so long is left over, whoever has the number of its process now. */
const ABANDONED_MS = 3_600_000

/** Returns the folder of the backups of a memory. */
export function backupFolder(location: string): string {
  return `${location}.backups`
}

/** Returns the folder of the exports of a memory that are given no path. */
export function exportFolder(location: string): string {
  return `${location}.exports`
}

/** Names of the backups in a folder, newest first. */
export function backupNames(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => OWN_NAME.test(name))
    .sort()
    .reverse()
}

/** True if a backup of this name was made by an agent. */
export function isAgents(name: string): boolean {
  return OWN_NAME.exec(name)?.[1] !== undefined
}

/** A name in the folder that nobody has. */
export function newBackupPath(folder: string, at: string, of: 'owner' | 'agent'): string {
  const time = at.replaceAll(/[:.]/g, '-')
  const numbers = namesIn(folder)
    .filter((name) => name.startsWith(time))
    .map((name) => Number.parseInt(name.slice(time.length + 1), 10) || 0)
  const number = String(Math.max(0, ...numbers) + 1).padStart(3, '0')
  return join(folder, `${time}-${number}${of === 'agent' ? '-agent' : ''}.db`)
}

/** Returns the path of a copy until it is whole. */
export function unfinished(path: string): string {
  return `${path}.part-${process.pid}`
}

/** Makes a folder for its owner only; one that is there keeps its mode. */
export function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

/** Makes an empty file for its owner only; throws when the name is taken. */
export function privateFile(path: string): void {
  closeSync(openSync(path, 'wx', 0o600))
}

/** Removes a database and what SQLite may have left beside it. */
export function removeDatabase(path: string): void {
  for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
}

/** True if the process that made an unfinished copy is gone, or left it long ago. */
function isAbandoned(path: string): boolean {
  const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (Date.now() - written > ABANDONED_MS) return true
  const made = Number(/\.part-(\d+)/.exec(path)?.[1])
  if (made === process.pid) return false
  try {
    process.kill(made, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

/** Removes unfinished copies of processes that are gone, of all names that begin as given. */
export function removeAbandoned(folder: string, beginning = ''): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    if (!name.startsWith(beginning) || !UNFINISHED.test(name)) continue
    if (isAbandoned(path)) removeDatabase(path)
  }
}

/** Makes sure that a file, or the names in a folder, survive a power failure. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } catch (error) {
    // Windows has no way to sync a folder.
    if (process.platform !== 'win32') throw error
  } finally {
    closeSync(file)
  }
}

/** The memory's files and folders that other users may read or change. */
export function exposedPaths(location: string): { readonly path: string; readonly isFolder: boolean }[] {
  if (process.platform === 'win32') return []
  const folder = dirname(location)
  const own = namesIn(folder).filter((name) => isBeside(location, name))
  const files = own.filter((name) => (modeOf(join(folder, name)) & 0o077) !== 0)
  const mode = modeOf(folder)
  const isReplaceable = (mode & 0o022) !== 0 && (mode & 0o1000) === 0
  return [
    ...files.map((name) => ({ path: join(folder, name), isFolder: false })),
    ...(isReplaceable ? [{ path: folder, isFolder: true }] : []),
  ]
}

/** Packed indexes beside the memory. */
export function packedIndexes(location: string): string[] {
  const ours = `${basename(location)}-index`
  return namesIn(dirname(location))
    .filter((name) => name === ours || name.startsWith(`${ours}-`))
    .map((name) => join(dirname(location), name))
}

/** Takes from other users what they need not have. */
export function tighten(path: string): void {
  chmodSync(path, modeOf(path) & 0o700)
}

/** Bytes of a file; 0 when there is none, also where there can be none. */
export function bytesOf(path: string): number {
  return attempt(() => statSync(path, { throwIfNoEntry: false }))?.size ?? 0
}

function isBeside(location: string, name: string): boolean {
  const ours = basename(location)
  return (
    name === ours ||
    (/^(-wal|-shm|-journal|-index.*|\.backups|\.exports)$/.test(name.slice(ours.length)) &&
      name.startsWith(ours))
  )
}

function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0
}

/** Names in a folder; none where there is none. */
export function namesIn(folder: string): string[] {
  return attempt(() => readdirSync(folder)) ?? []
}
