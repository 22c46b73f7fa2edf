import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { nameOfBeginning, shellWord } from '../../block/text.ts'
import { attempt, ElfmemError } from '../../errors.ts'
import { Connection } from '../connection/connection.ts'

/** "elfm": marks a SQLite file as a memory of elfmem. */
export const APPLICATION_ID = 0x656c666d

/** Bytes at the beginning of a SQLite file that say what it is (sqlite.org/fileformat.html §1.3). */
const HEADER_BYTES = 100

const MAGIC = 'SQLite format 3\0'

/** Returns the application id in the header of a database; undefined if the bytes are not one. */
function applicationIdIn(bytes: Buffer): number | undefined {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined
  return bytes.readInt32BE(68)
}

/** The refusal of a file that is no memory of elfmem, or not only one. */
function foreign(location: string, found: string, recovery: string): ElfmemError {
  return new ElfmemError('STORE_FOREIGN', found, { recovery, details: { location } })
}

/** Tables by which the database of the Python elfmem is known. */
const PYTHON = ['blocks', 'block_tags', 'system_config', 'edges']

/**
 * The refusal of a database of another program; of the Python elfmem's with the command that takes in what it knows. Both
 * programs look for their database at the same place, so the command names another one.
 *
 * @param tables the names of its tables
 */
export function foreignDatabase(location: string, tables: readonly string[]): ElfmemError {
  if (!PYTHON.every((name) => tables.includes(name)))
    return foreign(
      location,
      'The file is a database of another program.',
      'Choose another path for the memory.',
    )
  const target = shellWord(`${location.replace(/\.db$/, '')}-imported.db`)
  return foreign(
    location,
    'The file is the database of the Python elfmem, which this elfmem only reads.',
    `elfmem import-from ${shellWord(location)} --db ${target} takes what it knows into a memory of its own. The file stays as it is. Or choose another path for the memory.`,
  )
}

/**
 * Descriptors of files that SQLite has open in this process. The system takes all locks of a process on a file away as
 * soon as the process closes any descriptor of it (sqlite.org/howtocorrupt.html §2.2), so none is closed before the last
 * store that has the file open is.
 */
const held = new Map<string, Held>()

interface Held {
  stores: number
  readonly waiting: number[]
  /** Functions that throw if their store lost a file that it has open. */
  readonly looks: Set<() => void>
}

/**
 * Says that a store has the file open; returns what says that it has not any more, once its connections are closed.
 *
 * @param look throws if the store lost a part of what it has open
 */
function holdFile(file: number, look?: () => void): () => void {
  const key = keyOf(fstatSync(file))
  const entry = held.get(key) ?? { stores: 0, waiting: [], looks: new Set() }
  entry.stores += 1
  if (look !== undefined) entry.looks.add(look)
  held.set(key, entry)
  return () => {
    entry.stores -= 1
    if (look !== undefined) entry.looks.delete(look)
    if (entry.stores === 0) {
      held.delete(key)
      for (const each of entry.waiting.splice(0)) closeSync(each)
    }
  }
}

/** Closes a descriptor of a database, at once or when no store of this process has the file open. */
export function closeFile(file: number): void {
  const entry = held.get(keyOf(fstatSync(file)))
  if (entry === undefined) closeSync(file)
  else entry.waiting.push(file)
}

/** True of a file that a store of this process has open. */
export function isHeld(stats: Stats): boolean {
  return held.has(keyOf(stats))
}

/** Throws if a store of this process that has the file open lost a part of it. */
function lookAtHeld(stats: Stats): void {
  for (const look of held.get(keyOf(stats))?.looks ?? []) look()
}

function keyOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`
}

/**
 * Refuses to open a memory whose file has another name. SQLite looks for the log beside the name by which a file is
 * opened, so that who comes by the other name neither sees what is in this log nor lets it be read again. Whoever only
 * copies a file may take one with many names.
 *
 * @throws `STORE_FOREIGN`
 */
export function mustHaveOneName(path: string): void {
  const stats = attempt(() => statSync(path, { throwIfNoEntry: false }))
  if (stats !== undefined && hasOtherName(stats))
    throw foreign(
      path,
      'The file of the memory has another name (a hard link): what is written under one name is lost to the other.',
      `Close whatever has it open, then make it a file of its own: ${copyOverItself(path)}. Keep a memory elsewhere as a copy (elfmem backup), never as a link.`,
    )
}

/** True of a file with a second name; a folder has some anyway, and some file systems count none. */
function hasOtherName(stats: Stats): boolean {
  return stats.isFile() && stats.nlink > 1
}

/** The commands that leave the other name to the file as it is. */
function copyOverItself(path: string): string {
  const [file, copy] = [shellWord(path), shellWord(`${path}.copy`)]
  return `cp -p ${file} ${copy} && mv ${copy} ${file}`
}

/** The files that SQLite keeps beside an open memory. */
const BESIDE = ['-wal', '-shm'] as const

/** A named pipe would keep `open` waiting; Windows has no such flag. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

const SELECT_TABLES = `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')`

/**
 * Refuses a path that is no memory, before SQLite opens it: by its type, its first 100 bytes and what lies beside it. A
 * file that is empty or missing passes.
 *
 * @returns the size of the file in bytes; 0 if it is empty or not there
 * @throws `STORE_FOREIGN`, `STORE_CORRUPT`, `STORE_READ_ONLY`, or `STORE_MOVED` if a store of this process lost a part of it
 */
export function mustBeMemoryFile(path: string): number {
  // SQLite looks for the log beside the file that a link leads to.
  const real = attempt(() => realpathSync(path)) ?? path
  const stats = at(real)
  if (stats === undefined) return 0
  if (!stats.isFile())
    throw foreign(
      path,
      `The path of the memory is ${stats.isDirectory() ? 'a folder' : 'no regular file'}.`,
      'Name a file, for example memory.db in that folder, or a path at which there is nothing yet.',
    )
  lookAtHeld(stats)
  mustBeOursBeside(path, real, stats)
  if (stats.size === 0) return 0
  // The id of a new memory may stand in its log alone. A file that a store of this process has open was checked before.
  if (mustBeDatabase(path) !== APPLICATION_ID && !isHeld(stats)) {
    const { id, tables } = contentsOf(real)
    if (id !== APPLICATION_ID && (id !== 0 || tables.length > 0)) throw foreignDatabase(path, tables)
  }
  return stats.size
}

/** Returns the application id of a database; throws `STORE_FOREIGN`, `STORE_CORRUPT` or `STORE_READ_ONLY`. */
export function mustBeDatabase(path: string): number {
  const bytes = beginningOf(path)
  const id = applicationIdIn(bytes)
  if (id !== undefined) return id
  const kind = nameOfBeginning(bytes.toString('latin1'))
  if (kind !== undefined)
    throw foreign(
      path,
      `The file is no memory. It looks like ${kind}.`,
      'Choose another path for the memory.',
    )
  throw new ElfmemError('STORE_CORRUPT', 'The file is not a memory: it is not a SQLite database.', {
    recovery: 'Choose another path; or, if it was a memory, move it away and restore a backup.',
    details: { location: path },
  })
}

/** Refuses a log, an index or a journal that SQLite did not make: SQLite gives them the owner and the mode of the database. */
function mustBeOursBeside(path: string, real: string, { uid, mode }: Stats): void {
  for (const ending of [...BESIDE, '-journal']) {
    const beside = `${real}${ending}`
    const stats = attempt(() => lstatSync(beside, { throwIfNoEntry: false }))
    if (stats === undefined) continue
    if (hasOtherName(stats))
      throw foreign(
        path,
        `Beside the memory lies ${beside}, which has another name (a hard link): SQLite would write over what has it.`,
        `Close whatever has the memory open, then make it a file of its own: ${copyOverItself(beside)}. Or move it away.`,
      )
    const isOurs = stats.uid === uid && (stats.size === 0 || (stats.mode & 0o777) === (mode & 0o777))
    if (stats.isFile() && (isOurs || process.platform === 'win32')) continue
    const wanted = (mode & 0o777).toString(8)
    throw foreign(
      path,
      stats.isFile()
        ? `${beside} was not made beside this memory: its owner or permissions differ.`
        : `Beside the memory lies ${beside}, which is no regular file.`,
      `Move it away; or, if you copied it there yourself, give it the permissions of the memory (chmod ${wanted}). Nothing was changed.`,
    )
  }
}

function beginningOf(path: string): Buffer {
  const file = attempt(() => openSync(path, READ))
  if (file === undefined)
    throw new ElfmemError('STORE_READ_ONLY', `This user may not read ${path}.`, {
      recovery: 'Give this user access to the file, or choose another path.',
      details: { location: path },
    })
  try {
    const bytes = Buffer.alloc(HEADER_BYTES)
    return bytes.subarray(0, readSync(file, bytes, 0, HEADER_BYTES, 0))
  } finally {
    closeFile(file)
  }
}

/**
 * The application id and the tables and views of a database. They are those of the file without its log, and nothing is made
 * beside it, unless the runtime can only read both.
 */
function contentsOf(path: string): { readonly id: number; readonly tables: readonly string[] } {
  const database = new Connection(path, { isFrozen: true })
  try {
    const id = Number(database.control('PRAGMA application_id')?.application_id)
    return { id, tables: database.all<{ name: string }>(SELECT_TABLES).map(({ name }) => name) }
  } finally {
    database.close()
  }
}

/**
 * Remembers which file a store has open. SQLite goes on writing into a file that was deleted, moved or replaced, and no
 * other process ever sees those writes. So a store asks before each read and write, and again before it acknowledges a write.
 */
export class FileIdentity {
  readonly #location: string
  /** The path of the file itself, which a link may lead to; SQLite keeps its other files beside it. */
  readonly #real: string
  readonly #file: number
  readonly #release: () => void
  readonly #main: Stats
  /** The log and its index as they were first seen. SQLite keeps both while anybody has the memory open. */
  readonly #beside = new Map<string, Stats>()
  /** The state of the file when everything was last in its place. */
  #seen: Stats
  #id: string | undefined
  #refusal: ElfmemError | undefined
  #isOther = false

  /** Must run before SQLite opens the file: until `close` nothing else of this process closes a descriptor of it. */
  constructor(location: string) {
    this.#location = location
    this.#real = realpathSync(location)
    this.#file = openSync(location, READ)
    this.#main = fstatSync(this.#file)
    this.#seen = this.#main
    this.#release = holdFile(this.#file, () => this.mustBeThere())
  }

  /** Notes the random name of the memory in the file. Must run when both connections have read something. */
  holds(id: string): void {
    this.#id = id
    this.mustBeThere()
  }

  /** Throws `STORE_MOVED` if the path does not lead to this memory and its log any more, and from then on always. */
  mustBeThere(): void {
    if (this.#refusal !== undefined) throw this.#refusal
    const now = at(this.#location)
    if (now === undefined) throw this.#moved('is gone')
    if (!isSame(now, this.#main)) throw this.#moved('is another one now')
    if (now.size === 0 && this.#seen.size > 0) {
      this.#isOther = true
      throw this.#moved('was emptied')
    }
    for (const ending of BESIDE) {
      const state = this.#stateOf(ending)
      if (state === 'gone') throw this.#moved(`lost its ${ending}`)
      if (state === 'other') throw this.#moved(`has another ${ending} now`)
    }
    this.#seen = now
  }

  /** Throws `STORE_MOVED` if the memory that a transaction reads has another random name. */
  mustBe(id: unknown): void {
    if (id === this.#id) return
    this.#isOther = true
    throw this.#moved('was written over')
  }

  /**
   * Returns whether closing may move the log into the file. It may if the file was moved, and if its log was deleted but
   * nobody wrote to the file since. SQLite does not remove a log by its name if the file was moved.
   */
  mayCheckpoint(): boolean {
    if (this.#isOther) return false
    const now = at(this.#location)
    if (now === undefined || !isSame(now, this.#main)) return true
    const states = BESIDE.map((ending) => this.#stateOf(ending))
    if (states.includes('other')) return false
    return !states.includes('gone') || isUnchanged(fstatSync(this.#file), this.#seen)
  }

  /** Must run after the connections are closed. */
  close(): void {
    closeFile(this.#file)
    this.#release()
  }

  #stateOf(ending: string): 'same' | 'gone' | 'other' {
    const first = this.#beside.get(ending)
    const now = at(`${this.#real}${ending}`)
    if (first !== undefined && now !== undefined) return isSame(now, first) ? 'same' : 'other'
    if (first !== undefined) return 'gone'
    if (now !== undefined) this.#beside.set(ending, now)
    return 'same'
  }

  #moved(what: string): ElfmemError {
    this.#refusal = new ElfmemError(
      'STORE_MOVED',
      `The file of the memory ${what}; nothing more was written.`,
      {
        recovery:
          'Close the memory and open it again (restart a server). If the file should still be there, restore a backup first.',
        details: { location: this.#location },
      },
    )
    return this.#refusal
  }
}

/** Returns what the system says of a path; undefined if there is nothing, or a part of the path is no folder. */
function at(path: string): Stats | undefined {
  return attempt(() => statSync(path, { throwIfNoEntry: false }))
}

function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev
}

function isUnchanged(one: Stats, other: Stats): boolean {
  return one.ctimeMs === other.ctimeMs && one.size === other.size
}
