import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeUserFolder, userUnwritable } from '../../../../adapters/project/user-records.ts'
import { attempt, ElfmemError } from '../../../../errors.ts'
import { harmlessLine } from '../../../../operations/wording.ts'
import { sha256 } from '../edit/entry.ts'
import {
  ABSENT,
  type FileState,
  missingFolders,
  readGuarded,
  removeFile,
  replaceFile,
} from './guarded-file.ts'
import type { KeptEntry, KeptFile, Manifest } from './manifest.ts'

/** A change of one file that is still to be made. */
export interface Change {
  readonly path: string
  /** The folder of the project that the file is in; absent for a file of the user. */
  readonly project?: string
  /** The file as it was read. */
  readonly state: FileState
  /** The text that it gets; undefined if it goes. */
  readonly after: string | undefined
  /** The entries that elfmem then has in it; none if that is over. */
  readonly entries: readonly KeptEntry[]
  /** Texts of the owner that find no place in the file, and are to be kept elsewhere. */
  readonly displaced?: readonly string[]
}

/** A file that cannot be changed, why, and what to paste by hand; the reason is a clause without the path. */
export interface Refusal {
  readonly path: string
  readonly reason: string
  readonly snippets: readonly string[]
}

/** Mode of a file that is made: the user's own is for nobody else. */
const USER_MODE = 0o600
const PROJECT_MODE = 0o644
const USER_FOLDER_MODE = 0o700
const PROJECT_FOLDER_MODE = 0o755

/** Does changes one after the other, while no other process of this user does any. Throws as `applyChange` does. */
export function applyAll(home: string, changes: () => readonly Change[], world: Applying): Promise<void> {
  return alone(home, () => {
    for (const change of changes()) applyChange(change, world)
  })
}

/** The records of changes, and the user they belong to. */
export interface Applying {
  readonly manifest: Manifest
  /** Numeric id of the user; undefined where files have no owner. */
  readonly uid: number | undefined
}

/**
 * Does a change as it was shown, if the file is still the one that was shown. What is to be known for taking it back is written
 * first, so that a process that is killed leaves nothing that the manifest does not know.
 *
 * @throws `CONFLICT` if the file is another one by now, `CONFIG_INVALID` if it may no longer be changed, `STORE_FAILED`
 */
function applyChange(change: Change, { manifest, uid }: Applying): void {
  const { path, project, after } = change
  const mayBeGone = change.entries.length === 0
  const state = readGuarded(path, { ...(project === undefined ? {} : { project }), uid, mayBeGone })
  if (state.sha256 !== change.state.sha256)
    throw new ElfmemError('CONFLICT', `${harmlessLine(path)} was changed by another program just now.`, {
      recovery: 'Run this again.',
    })
  const kept = manifest.find(path)
  for (const text of change.displaced ?? []) manifest.keep(path, text)
  if (change.entries.length === 0) {
    withdraw(change, state)
    if (kept !== undefined) forget(kept, manifest)
    return
  }
  const next = nextOf(change, state, kept, manifest)
  manifest.save(next)
  if (after === undefined || after === state.text) return
  for (const folder of next.folders)
    attempt(() => mkdirSync(folder, { mode: project === undefined ? USER_FOLDER_MODE : PROJECT_FOLDER_MODE }))
  write(state, after, project)
}

function write(state: FileState, after: string, project: string | undefined): void {
  try {
    replaceFile(state, after, project === undefined ? USER_MODE : PROJECT_MODE)
  } catch (cause) {
    if (ElfmemError.is(cause)) throw cause
    throw new ElfmemError(
      'STORE_FAILED',
      harmlessLine(`${state.path} cannot be written: ${(cause as Error).message}.`),
      {
        recovery: 'Give this user write access to the folder, or leave this client out.',
        details: { file: state.path },
        cause,
      },
    )
  }
}

function withdraw({ after, project }: Change, state: FileState): void {
  if (after === undefined && state.sha256 !== ABSENT) removeFile(state)
  else if (after !== undefined && after !== state.text) write(state, after, project)
}

function forget(kept: KeptFile, manifest: Manifest): void {
  manifest.remove(kept)
  for (const folder of kept.folders.toReversed()) {
    attempt(() => rmdirSync(folder))
    // One that holds another file of ours goes with that one; one with something of others stays.
    const heir = manifest
      .list()
      .find(({ path, folders }) => path.startsWith(folder + sep) && !folders.includes(folder))
    if (heir !== undefined) manifest.save({ ...heir, folders: [folder, ...heir.folders] })
  }
}

function nextOf(
  { path, project, after, entries }: Change,
  state: FileState,
  kept: KeptFile | undefined,
  manifest: Manifest,
): KeptFile {
  const common = {
    path,
    ...(project === undefined ? {} : { project }),
    entries,
    after: after === undefined ? ABSENT : sha256(after),
  }
  const isStillOurs = kept?.entries.some((entry) => entries.some((each) => isSame(each, entry)))
  if (kept !== undefined && isStillOurs) {
    const isMixed = kept.mixed === true || kept.after !== state.sha256
    return { ...common, folders: kept.folders, before: kept.before, ...(isMixed ? { mixed: true } : {}) }
  }
  if (state.bytes !== undefined) manifest.backup(path, state.bytes)
  const folders = [...new Set([...(kept?.folders ?? []), ...missingFolders(state)])]
  return { ...common, folders, before: state.sha256 }
}

function isSame({ trace: a }: KeptEntry, { trace: b }: KeptEntry): boolean {
  return a.kind === b.kind && a.at.join('\0') === b.at.join('\0')
}

/** The most milliseconds that one process waits for another; writing takes milliseconds. */
const WAIT_MS = 10_000
const PAUSE_MS = 20

/**
 * Runs what changes clients' files while no other process of this user does. A lock whose process ended is taken over.
 *
 * @throws `CONFLICT` if the other one does not end within ten seconds
 */
async function alone<T>(home: string, run: () => T): Promise<T> {
  const folder = join(home, '.elfmem', 'clients')
  const lock = join(folder, 'lock')
  makeUserFolder(folder)
  const own = `${process.pid} ${randomBytes(8).toString('hex')}`
  const until = Date.now() + WAIT_MS
  while (!taken(lock, own)) {
    const holder = attempt(() => readFileSync(lock, 'utf8')) ?? ''
    if (isLeft(holder)) giveUp(lock, holder)
    else if (Date.now() > until)
      throw new ElfmemError('CONFLICT', 'Another elfmem is changing the files of clients.', {
        recovery: `Run this again; if no other one runs, remove ${lock}.`,
      })
    else await sleep(PAUSE_MS)
  }
  try {
    return run()
  } finally {
    if (attempt(() => readFileSync(lock, 'utf8')) === own) rmSync(lock, { force: true })
  }
}

function taken(lock: string, own: string): boolean {
  try {
    writeFileSync(lock, own, { flag: 'wx', mode: 0o600 })
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw userUnwritable(lock, cause)
  }
}

/** True if the process that has the lock is gone. */
function isLeft(holder: string): boolean {
  const pid = Number.parseInt(holder, 10)
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Moves away a lock that was left. Only one of several processes succeeds; a lock that another took over meanwhile is put back. */
function giveUp(lock: string, holder: string): void {
  const aside = `${lock}.${randomBytes(6).toString('hex')}`
  attempt(() => renameSync(lock, aside))
  if (attempt(() => readFileSync(aside, 'utf8')) !== holder) attempt(() => linkSync(aside, lock))
  rmSync(aside, { force: true })
}
