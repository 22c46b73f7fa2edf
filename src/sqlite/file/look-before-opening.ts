import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { nameOfBeginning } from '../../domain/text/file-kinds.ts'
import { attempt, ElfmemError, factOf } from '../../errors.ts'
import { type LoggedFile, logBelongs } from './belonging.ts'
import { APPLICATION_ID, HEADER_BYTES, type Header, headerOf } from './bytes/header.ts'
import { type Pages, pagesOf } from './bytes/pages.ts'
import { rollsBackOnlyHeader } from './bytes/rollback-journal.ts'
import { memoryIdIn, schemaIn } from './bytes/stored-schema.ts'
import { readLog } from './bytes/write-ahead-log.ts'
import { closeFile, isHeld, lookAtHeld } from './descriptors.ts'
import { hasOtherName, linkedBeside } from './one-name.ts'
import { foreign, foreignBeside, foreignDatabase, nameOfType, rescueSentence } from './refusals.ts'
import { isAboutPages, mustHaveSoundPages } from './sound-pages.ts'

/** A named pipe would keep `open` waiting; Windows has no such flag. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Other processes write while the bytes are read, without a lock; so often they are read again before they are refused. */
const LOOKS = 6
const PAUSE_MS = 15
/** Looks at the pages themselves: who opens the file has SQLite look then. */
const LOOKS_AT_PAGES = 3

/** The facts about a file before SQLite opens it. */
export interface Looked {
  /** Bytes of the file; 0 if it is empty or not there. */
  readonly bytes: number
  /** False if its file should be remembered as found sound when it is written to (`rememberSound`). */
  readonly isKnown: boolean
}

const NOTHING: Looked = { bytes: 0, isKnown: false }

/**
 * Looks at a memory's file, its write-ahead log and its journal as bytes, before SQLite opens it: opening replays a log
 * or journal that lies beside it, whoever put it there. A file that is empty or missing passes.
 *
 * @param newest the newest version of the tables that this code reads
 * @param logged looks at a file with a log that is its own
 * @throws `STORE_FOREIGN`, `STORE_TOO_NEW`, `STORE_CORRUPT`, or `STORE_MOVED` of a store of this process that lost a part
 */
export function lookBeforeOpening(
  path: string,
  newest: number,
  logged: (file: LoggedFile) => void = () => undefined,
): Looked {
  // SQLite looks for the log beside what a link leads to.
  const real = attempt(() => realpathSync(path)) ?? path
  return openHere(real) ?? lookUntilItHolds(() => lookOnce(real, newest, logged))
}

/** Somebody may be writing, so that what is refused now may hold together a little later. */
function lookUntilItHolds(look: () => Looked): Looked {
  for (let looks = 1; ; looks += 1)
    try {
      return look()
    } catch (error) {
      if (!ElfmemError.is(error) || factOf(error, 'mayPass') !== true) throw error
      if (looks >= (isAboutPages(error) ? LOOKS_AT_PAGES : LOOKS)) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
}

/** The memory's random name by the bytes of its open main file alone, without the log; undefined if there is none. */
export function idInFile(file: number): { readonly id: string | undefined; readonly isOurs: boolean } {
  const header = headerOf(beginningOf(file))
  if (header === undefined) return { id: undefined, isOurs: false }
  const isOurs = header.applicationId === APPLICATION_ID || header.applicationId === 0
  return { id: memoryIdIn(pagesOf(file, header))?.id, isOurs }
}

/**
 * The facts about a file that a store of this process has open together with its log and the log's index: SQLite replays
 * nothing for another one, and a log of 16 MB takes as long to read as all the rest of opening. If that store lost its log
 * or the index, SQLite would begin new ones, and what the store acknowledged could not be saved any more.
 */
function openHere(path: string): Looked | undefined {
  const files = ['', '-wal', '-shm'].map((ending) => linkAt(`${path}${ending}`))
  if (files[0] !== undefined) lookAtHeld(files[0])
  if (!files.every((stats) => stats !== undefined && isHeld(stats) && !hasOtherName(stats))) return undefined
  return linkAt(`${path}-journal`) === undefined ? { bytes: files[0]?.size ?? 0, isKnown: true } : undefined
}

function lookOnce(path: string, newest: number, logged: (file: LoggedFile) => void): Looked {
  const file = opened(path)
  if (file === undefined) {
    mustBeRegularBeside(path)
    return NOTHING
  }
  try {
    const stats = fstatSync(file)
    mustBeRegular(path, stats)
    mustBeRegularBeside(path)
    if (stats.size === 0) return NOTHING
    const header = mustBeDatabase(path, beginningOf(file))
    const log = opened(`${path}-wal`)
    try {
      const pages = ownPages(path, { file, header, stats, log, logged }, newest)
      mustRollBackNothing(path, file, { header, stats })
      return { bytes: stats.size, isKnown: mustHaveSoundPages(path, pages, file) }
    } finally {
      if (log !== undefined) closeSync(log)
    }
  } finally {
    closeFile(file)
  }
}

/** The pages that SQLite would read, of a file that is ours and a log that is the file's. */
function ownPages(
  path: string,
  {
    file,
    header,
    stats,
    log,
    logged,
  }: {
    readonly file: number
    readonly header: Header
    readonly stats: Stats
    readonly log: number | undefined
    readonly logged: (file: LoggedFile) => void
  },
  newest: number,
): Pages {
  const frames = log === undefined ? undefined : readLog(log)
  const alone = pagesOf(file, header)
  if (log === undefined || frames === undefined || frames.places.size === 0) {
    mustBeOurs(path, alone, newest)
    return alone
  }
  mustBeMadeBeside(path, 'wal', stats, fstatSync(log))
  const together = pagesOf(file, header, { file: log, frames })
  mustBelong(path, { alone, frames, together })
  mustBeOurs(path, together, newest)
  logged({ alone, frames, together })
  return together
}

function mustBeRegular(path: string, stats: Stats): void {
  const kind = nameOfType(stats)
  if (kind === undefined) return
  throw foreign(
    path,
    `The path of the memory is ${kind}.`,
    kind === 'a folder'
      ? 'Name a file, for example memory.db in that folder.'
      : 'Name a regular file, or a path at which there is nothing yet.',
  )
}

/** SQLite follows whatever lies beside the database under these names. */
function mustBeRegularBeside(path: string): void {
  for (const ending of ['-wal', '-shm', '-journal']) {
    const stats = linkAt(`${path}${ending}`)
    if (stats === undefined) continue
    if (hasOtherName(stats)) throw linkedBeside(path, `${path}${ending}`)
    if (stats.isFile()) continue
    const kind = stats.isSymbolicLink() ? 'a link' : nameOfType(stats)
    throw foreign(
      path,
      `Beside the memory lies ${path}${ending}, which is ${kind}: SQLite would read and write through it.`,
      `Find out who put it there, then remove ${path}${ending} and try again.`,
    )
  }
}

/** Undefined also where a part of the path is no folder. */
function linkAt(path: string): Stats | undefined {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }))
}

function mustBeDatabase(path: string, beginning: Buffer): Header {
  const header = headerOf(beginning)
  if (header !== undefined) return header
  const kind = nameOfBeginning(beginning.toString('latin1'))
  if (kind !== undefined)
    throw foreign(
      path,
      `The file is no memory. It looks like ${kind}.`,
      'Choose another path for the memory.',
    )
  throw new ElfmemError('STORE_CORRUPT', 'The file is not a memory: it is not a SQLite database.', {
    recovery: `Choose another path, or move the file away. If it was a memory: ${rescueSentence(path)}`,
    details: { location: path },
  })
}

/** Refuses the database of another program, and versions that this code does not know. */
function mustBeOurs(path: string, pages: Pages, newest: number): void {
  const { applicationId, userVersion, encoding } = headerOf(pages.read(1) ?? Buffer.alloc(0)) ?? pages.header
  const isOurs = applicationId === APPLICATION_ID
  if (!isOurs && (applicationId !== 0 || schemaIn(pages).length > 0)) throw foreignDatabase(path, pages)
  if (isOurs && userVersion > newest)
    throw new ElfmemError('STORE_TOO_NEW', 'The memory was written by a newer elfmem.', {
      recovery: `Update elfmem; the file was left as it is. If no elfmem wrote version ${userVersion}: ${rescueSentence(path)}`,
      details: { location: path, version: userVersion, supported: newest },
    })
  if (userVersion < 0 || (!isOurs && userVersion !== 0))
    throw foreign(
      path,
      `The file says that its tables have version ${userVersion}, which no elfmem writes.`,
      rescueSentence(path),
    )
  // Erasing looks for words in UTF-8 alone.
  if (encoding !== 'utf-8')
    throw foreign(
      path,
      `The texts of the file are in ${encoding.toUpperCase()}, which no elfmem writes.`,
      rescueSentence(path),
    )
}

function mustBelong(path: string, logged: LoggedFile): void {
  if (logBelongs(logged)) return
  throw foreignBeside(
    path,
    `${path}-wal is the log of another database; it would overwrite the memory.`,
    `Move ${path}-wal away (keep it, if you do not know where it is from), then try again; the memory itself was left as it is.`,
  )
}

/** SQLite gives what it makes beside a database the same owner and permissions. */
function mustBeMadeBeside(path: string, ending: 'wal' | 'journal', main: Stats, beside: Stats): void {
  if (process.platform === 'win32') return
  const [wanted, found] = [main.mode & 0o777, beside.mode & 0o777]
  if (wanted === found && main.uid === beside.uid) return
  const modes = `${found.toString(8)} instead of ${wanted.toString(8)}`
  throw foreignBeside(
    path,
    `${path}-${ending} was not made beside this memory: its owner or permissions differ (${modes}).`,
    `If you copied it there yourself, give it those of the memory (chmod ${wanted.toString(8)}); else move it away. Nothing was changed.`,
  )
}

/** A journal that SQLite would roll back puts old pages over those of the file. */
function mustRollBackNothing(
  path: string,
  file: number,
  { header, stats }: { readonly header: Header; readonly stats: Stats },
): void {
  const journal = opened(`${path}-journal`)
  if (journal === undefined) return
  try {
    const first = Buffer.alloc(header.pageSize)
    readSync(file, first, 0, first.length, 0)
    if (rollsBackOnlyHeader(journal, { header, first, fileBytes: stats.size })) return
  } finally {
    closeSync(journal)
  }
  throw foreignBeside(
    path,
    `${path}-journal is the journal of another database; it would overwrite the memory.`,
    `Move ${path}-journal away, then try again; the memory itself was left as it is.`,
  )
}

/** Undefined where there is nothing, or nothing that may be read: whoever opens the file says that better. */
function opened(path: string): number | undefined {
  if (linkAt(path) === undefined) return undefined
  try {
    return openSync(path, READ)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENXIO')
      throw foreign(path, 'The path of the memory is a socket or a device.', 'Name a regular file.')
    return undefined
  }
}

function beginningOf(file: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES)
  return bytes.subarray(0, readSync(file, bytes, 0, HEADER_BYTES, 0))
}
