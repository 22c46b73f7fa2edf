import { lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { backupFolder } from '../maintenance/paths.ts'

/** The files of a memory by what they are; only regular ones, and only those that are there. */
export interface MemoryFiles {
  /** The database, and what SQLite has beside it. */
  readonly database: readonly string[]
  /** Packed indexes, unfinished ones too. */
  readonly indexes: readonly string[]
  /** Copies of the database: backups, and those from before a change of format. */
  readonly backups: readonly string[]
  /** Copies that are being made or were left by a process that was killed. */
  readonly unfinished: readonly string[]
  readonly exports: readonly string[]
}

/** A copy being made is named after the process that makes it. */
const UNFINISHED = /\.part-\d+/

/** Looks for all files of a memory. */
export function memoryFiles(location: string): MemoryFiles {
  const folder = dirname(location)
  const ours = basename(location)
  const beside = namesIn(folder)
    .filter((name) => name.startsWith(ours))
    .map((name) => ({ ending: name.slice(ours.length), path: join(folder, name) }))
  const ending = (pattern: RegExp) =>
    beside.filter((each) => pattern.test(each.ending)).map(({ path }) => path)
  const backups = filesIn(backupFolder(location))
  const exports = filesIn(exportFolder(location))
  return {
    database: ending(/^(|-wal|-journal)$/),
    indexes: ending(/^-index/),
    backups: [...ending(/^\.before-v\d+\.db$/), ...backups.filter((path) => /\.db$/.test(path))],
    unfinished: [...ending(UNFINISHED), ...[...backups, ...exports].filter((path) => UNFINISHED.test(path))],
    exports: exports.filter((path) => !UNFINISHED.test(path)),
  }
}

/** All of them, in one list. */
export function allFiles(location: string): string[] {
  const { database, indexes, backups, unfinished, exports } = memoryFiles(location)
  return [...database, ...indexes, ...backups, ...unfinished, ...exports]
}

/** Where exports of a memory go unless a path is given. */
function exportFolder(location: string): string {
  return `${location}.exports`
}

function filesIn(folder: string): string[] {
  return namesIn(folder).map((name) => join(folder, name))
}

/** Names of regular files: nothing behind a link, no pipe, no folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.isFile())
      .sort()
  } catch {
    return []
  }
}
