import { constants, copyFileSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ElfmemError } from '../../../errors.ts'
import { systemFiles } from '../files.ts'

/** The `.gitignore` of a memory's folder: git keeps its config alone, because all other files hold words of the memory. */
const GITIGNORE = '*\n!config.yaml\n!.gitignore\n'

/** Makes a folder for a memory; false when it is there. Throws `CONFIG_INVALID` if a link or a file is in its place. */
export function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 })
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(path, cause)
  }
  refuseLink(path)
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

/** The result of writing the file that makes git ignore a memory's folder. */
interface Ignored {
  readonly written: boolean
  /** One sentence that says where the text is that was in its place. */
  readonly note?: string
}

/**
 * Makes sure that git ignores a memory's folder but for its config. A text that says less may have come with the project:
 * ours takes its place, and it is kept beside. Throws `CONFIG_INVALID` if what is in its place is no plain file.
 */
export function ensureGitignore(folder: string): Ignored {
  const path = join(folder, '.gitignore')
  if (writeIfAbsent(path, GITIGNORE)) return { written: true }
  mustBePlain(path)
  const text = systemFiles.read(path, { noLink: true }) ?? ''
  if (ignoresAllButConfig(text)) return { written: false }
  const kept = `${path}.before-${Date.now()}`
  copyFileSync(path, kept, constants.COPYFILE_EXCL)
  replaceBy(path, GITIGNORE)
  return {
    written: true,
    note: `${path} would have let git take the memory; ours is in its place, and its text is in ${kept}.`,
  }
}

/** Throws unless the path is a plain file: git does not follow a link, a folder or a pipe of this name, and takes everything. */
function mustBePlain(path: string): void {
  refuseLink(path)
  if (lstatSync(path).isFile()) return
  throw new ElfmemError('CONFIG_INVALID', `${path} is no regular file, so git would take the memory.`, {
    recovery: 'Remove it, then run this again.',
    details: { file: path },
  })
}

/** True if after the last rule for everything nothing is taken back but the config and the file itself. */
function ignoresAllButConfig(text: string): boolean {
  const rules = text
    .split('\n')
    .map((line) => line.replace('\r', '').trimEnd())
    .filter((line) => line !== '' && !line.startsWith('#'))
  const all = rules.lastIndexOf('*')
  const back = rules.slice(all + 1).filter((rule) => rule.startsWith('!'))
  return all >= 0 && back.every((rule) => /^!\/?(config\.yaml|\.gitignore)$/.test(rule))
}

function replaceBy(path: string, text: string): void {
  const part = `${path}.${process.pid}`
  try {
    writeFileSync(part, text, { flag: 'wx' })
    renameSync(part, path)
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
