import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ElfmemError, fileFailure } from '../../../errors.ts'
import { systemFiles } from '../files.ts'

/** The `.gitignore` of a memory's folder: git keeps its config alone, because all other files hold words of the memory. */
const GITIGNORE = '*\n!config.yaml\n!.gitignore\n'

/** Makes a folder for a memory; false when it is there. Throws `CONFIG_INVALID` if a link or a file is in its place. */
export function makeFolder(path: string, { followLinks = false } = {}): boolean {
  const isMade = isNew(path, () => mkdirSync(path, { mode: 0o700 }))
  if (!isMade && !followLinks) refuseLink(path)
  return isMade
}

/** Writes a file unless there is something of its name; never through a link. True if it was written. */
export function writeIfAbsent(path: string, text: string): boolean {
  return isNew(path, () => writeFileSync(path, text, { flag: 'wx' }))
}

function isNew(path: string, make: () => void): boolean {
  try {
    make()
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw fileFailure(cause, path, 'written')
    return false
  }
}

/**
 * Makes sure that git ignores a memory's folder but for its config; another text may have come with the project, and ours takes
 * its place. Throws `CONFIG_INVALID` if something that git would not obey is in its place. True if it was written.
 *
 * @param mayStay true: whatever is there stays, because the folder is the user's own
 */
export function ensureGitignore(folder: string, { mayStay = false } = {}): boolean {
  const path = join(folder, '.gitignore')
  if (writeIfAbsent(path, GITIGNORE)) return true
  if (mayStay) return false
  refuseLink(path)
  if (!lstatSync(path).isFile())
    throw new ElfmemError('CONFIG_INVALID', `${path} is no regular file, so git would take the memory.`, {
      recovery: 'Remove it, then run this again.',
      details: { file: path },
    })
  if (systemFiles.read(path, { noLink: true })?.replaceAll('\r\n', '\n') === GITIGNORE) return false
  rmSync(path)
  return writeIfAbsent(path, GITIGNORE)
}

/** Throws `CONFIG_INVALID` for a link: what lies behind it is not in the project. */
export function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return
  throw new ElfmemError('CONFIG_INVALID', `${path} is a link, and nothing is written through it.`, {
    recovery: 'Remove the link, or run this where it leads to.',
    details: { file: path },
  })
}
