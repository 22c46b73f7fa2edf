import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { attempt, ElfmemError } from '../../../../errors.ts'
import { harmlessLine } from '../../../../operations/wording.ts'
import { sha256 } from '../edit/entry.ts'

/** Bytes of a client's file at most; some keep their history in it. */
const BYTES_MAX = 64 * 1024 * 1024
/** Stands for the hash of a file that is not there. */
export const ABSENT = 'absent'

/** The place of a file: in a project no link is followed, in the user's folder only to what is the user's. */
export interface Place {
  /** The folder of the project; absent for a file of the user. */
  readonly project?: string
  /** Numeric id of the user; undefined where files have no owner. */
  readonly uid: number | undefined
  /** True: nothing is to be made, so that a file which is gone is looked for no further. */
  readonly mayBeGone?: boolean
  /** True: it is only looked at, so that one which cannot be replaced is read, too. */
  readonly onlyToRead?: boolean
}

/** A file as it was read. */
export interface FileState {
  /** The path as it was named. */
  readonly path: string
  /** The path of the file, without links. */
  readonly target: string
  /** True if the name is a link to where it lies. */
  readonly isLink: boolean
  /** Undefined if there is no file. */
  readonly bytes?: Buffer
  /** Decoded; empty if there is no file. */
  readonly text: string
  /** The hash of its bytes; a word of its own if there is no file. */
  readonly sha256: string
  /** Permission bits. */
  readonly mode?: number
}

/**
 * Reads a file that is to be edited.
 *
 * @throws `CONFIG_INVALID` for what must not be edited: a link in a project, a file of another user, one that is read-only,
 *   has several names (hard links), is no regular file or not UTF-8. The message is a clause without the path.
 */
export function readGuarded(path: string, place: Place): FileState {
  const target = place.project === undefined ? targetOf(path, place.uid) : withoutLinks(path, place.project)
  const found = attempt(() => lstatSync(target))
  const isToChange = place.onlyToRead !== true
  if (isToChange && (found !== undefined || place.mayBeGone !== true)) mustOwnFolder(target, place.uid)
  const isLink = attempt(() => lstatSync(path))?.isSymbolicLink() === true
  if (found === undefined) return { path, target, isLink, text: '', sha256: ABSENT }
  if (!found.isFile()) throw refused('is no regular file')
  if (isForeign(found.uid, place.uid)) throw refused('belongs to another user')
  if (isToChange && (found.mode & 0o200) === 0) throw refused('is read-only')
  // Written in place it would not be whole at each instant; exchanged it would be cut from its other names.
  if (isToChange && found.nlink > 1)
    throw refused('has another name, too (a hard link), which would be left behind')
  if (found.size > BYTES_MAX) throw refused('is larger than 64 MB')
  const bytes = read(target)
  const known = { path, target, isLink, mode: found.mode & 0o7777 }
  return { ...known, bytes, text: decoded(bytes), sha256: sha256(bytes) }
}

function read(target: string): Buffer {
  try {
    return readFileSync(target)
  } catch (cause) {
    throw refused(`cannot be read (${(cause as NodeJS.ErrnoException).code})`)
  }
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refused('is not UTF-8')
  }
}

/** A path in a project, in which nothing below the project is a link. */
function withoutLinks(path: string, project: string): string {
  const parts = relative(project, path).split(sep)
  if (parts[0] === '..' || parts.length === 0) throw refused('is not in the project')
  let at = attempt(() => realpathSync(project)) ?? project
  for (const [index, part] of parts.entries()) {
    at = join(at, part)
    const found = attempt(() => lstatSync(at))
    if (found?.isSymbolicLink())
      throw refused(index === parts.length - 1 ? 'is a link' : `lies behind the link ${at}`)
  }
  return at
}

/** The end of the links that a path of the user leads through; each of them must be the user's or the system's. */
function targetOf(path: string, uid: number | undefined, followed = 0): string {
  if (followed > 40) throw refused('is a link that never ends')
  const found = attempt(() => lstatSync(path))
  if (found === undefined || !found.isSymbolicLink()) {
    const folder = dirname(path)
    if (folder === path) return path
    return join(attempt(() => realpathSync(folder)) ?? targetOf(folder, uid, followed + 1), basename(path))
  }
  if (isForeign(found.uid, uid)) throw refused('is a link of another user')
  const end = attempt(() => realpathSync(path))
  if (end === undefined) throw refused('is a link that leads nowhere')
  return end
}

/** The nearest folder that is there must be the user's, since in any other somebody else may exchange what is written, and take a file. */
function mustOwnFolder(target: string, uid: number | undefined): void {
  for (let folder = dirname(target); ; folder = dirname(folder)) {
    const found = attempt(() => statSync(folder))
    if (found === undefined && dirname(folder) !== folder) continue
    if (found !== undefined && !found.isDirectory()) throw refused(`lies in ${folder}, which is no folder`)
    if (found !== undefined && isForeign(found.uid, uid))
      throw refused(`lies in ${folder}, a folder of another user`)
    if (found !== undefined && (found.mode & 0o200) === 0)
      throw refused(`lies in ${folder}, which is read-only`)
    return
  }
}

function isForeign(owner: number, uid: number | undefined): boolean {
  return uid !== undefined && owner !== uid
}

function refused(reason: string): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', reason, { recovery: 'Mend that.', details: { reason } })
}

/** The folders that a file is to lie in and that are not there, the outermost first. */
export function missingFolders({ target }: FileState): readonly string[] {
  const missing: string[] = []
  for (let folder = dirname(target); attempt(() => statSync(folder)) === undefined; folder = dirname(folder))
    missing.unshift(folder)
  return missing
}

/**
 * Puts bytes in the place of a file as a whole, keeping its mode, if it is still as it was read. Whoever is killed meanwhile
 * leaves the one or the other. Between the last look and the exchange lie microseconds in which another program's write is lost.
 *
 * @throws `CONFLICT` if the file is another one by now
 */
export function replaceFile(
  { path, target, sha256: known, mode }: FileState,
  bytes: string | Buffer,
  made: number,
): void {
  const part = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.elfmem`)
  const file = openSync(part, 'wx', 0o600)
  try {
    try {
      writeFileSync(file, bytes)
      fchmodSync(file, mode ?? made)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    mustBe(path, target, known)
    renameSync(part, target)
  } finally {
    rmSync(part, { force: true })
  }
}

/** Removes a file if it is still as it was read. Throws `CONFLICT` if it is not. */
export function removeFile({ path, target, sha256: known }: FileState): void {
  mustBe(path, target, known)
  rmSync(target)
}

function mustBe(path: string, target: string, known: string): void {
  const now = attempt(() => lstatSync(target))
  const hash = now === undefined ? ABSENT : now.isFile() ? sha256(readFileSync(target)) : 'no file'
  if (hash === known) return
  throw new ElfmemError(
    'CONFLICT',
    `${harmlessLine(resolve(path))} was changed by another program just now.`,
    { recovery: 'Run this again.' },
  )
}
