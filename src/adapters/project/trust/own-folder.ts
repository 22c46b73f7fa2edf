import { lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ElfmemError, fileFailure } from '../../../errors.ts'
import { systemFiles } from '../files.ts'

/** The `.gitignore` of a memory's folder: git keeps its config alone, because all other files hold words of the memory. */
const GITIGNORE = '*\n!config.yaml\n!.gitignore\n'

/** Makes a folder for a memory; false when it is there. Throws `CONFIG_INVALID` if a link or a file is in its place. */
export function makeFolder(path: string): boolean {
  const isMade = isNew(path, () => mkdirSync(path, { mode: 0o700 }))
  if (!isMade) refuseLink(path)
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

/** The result of writing the file that makes git ignore a memory's folder. */
interface Ignored {
  readonly written: boolean
  /** One sentence that says where the text is that was in its place. */
  readonly note?: string
}

/**
 * Makes sure that git ignores a memory's folder but for its config. The project may have brought another `.gitignore`: ours takes its
 * place, and the other is kept beside. Throws `CONFIG_INVALID` if there is a link or a folder, which git would not obey.
 */
export function ensureGitignore(folder: string): Ignored {
  const path = join(folder, '.gitignore')
  if (writeIfAbsent(path, GITIGNORE)) return { written: true }
  refuseLink(path)
  if (!lstatSync(path).isFile())
    throw new ElfmemError('CONFIG_INVALID', `${path} is no regular file, so git would take the memory.`, {
      recovery: 'Remove it, then run this again.',
      details: { file: path },
    })
  const text = systemFiles.read(path, { noLink: true }) ?? ''
  if (text.replaceAll('\r\n', '\n') === GITIGNORE) return { written: false }
  const kept = `${path}.before-${Date.now()}`
  renameSync(path, kept)
  writeIfAbsent(path, GITIGNORE)
  return { written: true, note: `${path} is the one of elfmem now, and what it said is in ${kept}.` }
}

/** Throws `CONFIG_INVALID` for a link: what lies behind it is not in the project. */
export function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return
  throw new ElfmemError('CONFIG_INVALID', `${path} is a link, and nothing is written through it.`, {
    recovery: 'Remove the link, or run this where it leads to.',
    details: { file: path },
  })
}
