import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { attempt } from '../../errors.ts'
import { backupFolder, bytesOf, exportFolder, namesIn } from '../maintenance/paths.ts'

/** The files of a memory by what they are; only regular ones, and only those that are there. */
export interface MemoryFiles {
  /** The database, and what SQLite has beside it. */
  readonly database: readonly string[]
  /** Packed indexes, unfinished ones too. */
  readonly indexes: readonly string[]
  /** Copies of the database. */
  readonly backups: readonly string[]
  /** SQLite's other files beside these, which go with them. */
  readonly logs: readonly string[]
  /** Copies that are being made or were left by a process that was killed. */
  readonly unfinished: readonly string[]
  readonly exports: readonly string[]
}

/** A copy being made is named after the process that makes it. */
const UNFINISHED = /\.part-\d+/

/** The folder of a memory may be one of downloads: so much is read in some seconds. */
const MOST_FILES = 500
const MOST_BYTES = 1 << 30

/** Looks for all files of a memory; behind a link SQLite has its files beside what the link leads to. */
export function memoryFiles(location: string): MemoryFiles {
  const beside = [...new Set([location, realPath(location)])].flatMap(filesBeside)
  const ending = (pattern: RegExp) =>
    beside.filter((each) => pattern.test(each.ending)).map(({ path }) => path)
  const backups = filesIn(backupFolder(location))
  const exports = filesIn(exportFolder(location))
  return {
    database: ending(/^(|-wal|-journal)$/),
    indexes: ending(/^-index/),
    backups: backups.filter((path) => /\.db$/.test(path)),
    logs: backups.filter((path) => /\.db-(wal|journal)$/.test(path)),
    unfinished: [...ending(UNFINISHED), ...[...backups, ...exports].filter((path) => UNFINISHED.test(path))],
    exports: exports.filter((path) => !UNFINISHED.test(path)),
  }
}

/** All of them, in one list. */
export function allFiles(location: string): string[] {
  const { database, indexes, backups, logs, unfinished, exports } = memoryFiles(location)
  return [...database, ...indexes, ...backups, ...logs, ...unfinished, ...exports]
}

/** Known copies that are not the memory's own, other files near it, and how many more there are than the bound. */
export function filesToLookThrough(location: string, given: readonly string[]) {
  const own = new Set(allFiles(location))
  const known = [...new Set(given.map((path) => resolve(path)))].filter((path) => !own.has(path))
  const skipped = new Set([...own, ...known])
  const folders = [dirname(location), dirname(realPath(location)), backupFolder(location)]
  const beside = [...new Set(folders)].flatMap(filesIn).filter(
    // Locks are held on shared memory, and no words are in it.
    (path) => !skipped.has(path) && !path.endsWith('-shm'),
  )
  const near = likeliest(beside, basename(location).split('.')[0] ?? '')
  return { known, near, others: beside.length - near.length }
}

/** Regular files in a folder: nothing behind a link, no pipe, no folder. */
function filesIn(folder: string): string[] {
  return namesIn(folder)
    .map((name) => join(folder, name))
    .filter((path) => attempt(() => lstatSync(path))?.isFile())
    .sort()
}

function filesBeside(location: string): { readonly ending: string; readonly path: string }[] {
  const ours = basename(location)
  return filesIn(dirname(location))
    .filter((path) => basename(path).startsWith(ours))
    .map((path) => ({ ending: basename(path).slice(ours.length), path }))
}

function realPath(path: string): string {
  return attempt(() => realpathSync(path)) ?? path
}

/** Named as the memory is, then the smallest. */
function likeliest(paths: readonly string[], name: string): string[] {
  const isOther = (path: string) => (basename(path).startsWith(name) ? 0 : 1)
  let left = MOST_BYTES
  return paths
    .map((path) => ({ path, bytes: bytesOf(path) }))
    .sort((one, other) => isOther(one.path) - isOther(other.path) || one.bytes - other.bytes)
    .slice(0, MOST_FILES)
    .filter(({ bytes }) => {
      left -= bytes
      return left >= 0
    })
    .map(({ path }) => path)
}
