import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ElfmemError } from '../../../errors.ts'

/** In git a memory's folder is its config; the rest is words of the memory, in one form or another. */
const GITIGNORE = '*\n!config.yaml\n!.gitignore\n'
/** What earlier versions wrote, which leaves out the index and the exports. */
const OLD_GITIGNORES = ['*.db\n*.db-shm\n*.db-wal\n*.bak*\n']

/** Makes a folder for a memory; false when it is there. Throws `CONFIG_INVALID` if a link or a file is in its place. */
export function makeFolder(path: string, { followLinks = false } = {}): boolean {
  try {
    mkdirSync(path, { mode: 0o700 })
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(path, cause)
  }
  if (!followLinks) refuseLink(path)
  return false
}

/** Writes a file unless there is something of its name; never through a link. True if it was written. */
export function writeIfAbsent(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' })
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(path, cause)
    return false
  }
}

/** Has git ignore a memory's folder but for its config; a text of somebody's own stays. True if it was written. */
export function writeGitignore(folder: string): boolean {
  const path = join(folder, '.gitignore')
  if (writeIfAbsent(path, GITIGNORE)) return true
  if (!lstatSync(path).isFile() || !OLD_GITIGNORES.includes(readFileSync(path, 'utf8'))) return false
  const part = `${path}.${process.pid}`
  try {
    writeFileSync(part, GITIGNORE, { flag: 'wx' })
    renameSync(part, path)
    return true
  } finally {
    rmSync(part, { force: true })
  }
}

/** Throws `CONFIG_INVALID` for a link: what lies behind it is not in the project. */
export function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return
  throw new ElfmemError('CONFIG_INVALID', `${path} is a link, and nothing is written through it.`, {
    recovery: 'Remove the link, or run this where it leads to.',
    details: { file: path },
  })
}

function unwritable(path: string, cause: unknown): ElfmemError {
  return new ElfmemError('STORE_FAILED', `${path} cannot be written: ${(cause as Error).message}.`, {
    recovery: 'Choose a folder that this user may write to.',
    details: { file: path },
    cause,
  })
}
