import { randomBytes } from 'node:crypto'
import { fstatSync, openSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { attempt, ElfmemError } from '../../errors.ts'
import type { Connection } from '../connection/driver.ts'
import { type BusyRetry, whileBusy } from '../connection/transaction.ts'
import { MEMORY_ID } from './bytes/stored-schema.ts'
import { closeFile, holdFile } from './descriptors.ts'
import { LogWatch } from './log-watch.ts'
import { idInFile } from './look-before-opening.ts'

/** The files that SQLite keeps beside an open memory. */
const BESIDE = ['-wal', '-shm'] as const

/**
 * Changes of a folder within so many milliseconds may bear the same time. Of its times the one of its last change of state
 * counts, which nobody can set.
 */
const TICK_MS = 50

/** A checkpoint of another process may be under way while the bytes are read; so often they are read again. */
const LOOKS = 4
const PAUSE_MS = 5

/**
 * Which file a store has open. SQLite goes on writing into a file that was deleted, moved or written over, and no other
 * process ever sees those writes: so who writes asks before, and once more before it says that it is done. Costs a look at
 * the file, its folder and its log, some 10 µs, and a read of a few pages whenever somebody wrote to the main file.
 */
export class FileIdentity {
  readonly #location: string
  readonly #id: string
  readonly #file: number
  readonly #release: () => void
  readonly #main: Stats
  readonly #log: LogWatch | undefined
  /** The write-ahead log and its index as first seen; SQLite makes each once and keeps it while anybody has the memory open. */
  readonly #beside = new Map<string, Stats>()
  /** Where SQLite makes them: beside the file that a link leads to. */
  readonly #real: string
  /** The folder of these as it was when they were looked at; undefined if it may since have changed unseen. */
  #folder: Stats | undefined
  #seen: Stats
  #moved: ElfmemError | undefined
  #isWrittenOver = false
  #isLogReplaced = false

  /** To be made when the connections are open and have read something. */
  constructor(location: string, id: string) {
    this.#location = location
    this.#id = id
    this.#file = openSync(location, 'r')
    this.#release = holdFile(this.#file, () => this.mustBeThere())
    this.#main = fstatSync(this.#file)
    this.#real = realpathSync(location)
    this.#log = LogWatch.of(this.#real)
    this.#seen = this.#main
    for (const ending of BESIDE) this.#mustBeBeside(ending)
  }

  /** Throws `STORE_MOVED` if the path does not lead to this memory any more. Nothing takes that back. */
  mustBeThere(): void {
    this.mustTakeWrites()
    this.mustBeReadable()
  }

  /** The same before a write, after which `mustBeReadable` says the rest. */
  mustTakeWrites(): void {
    if (this.#moved !== undefined) throw this.#moved
    const stats = at(this.#location)
    if (stats === undefined) throw this.#refused('is gone')
    if (!isSame(stats, this.#main)) throw this.#refused('is another one now')
    this.#mustBeBesideIt()
    this.#mustHave(this.#log?.hasEnd())
    if (stats.ctimeMs === this.#seen.ctimeMs && stats.size === this.#seen.size) return
    if (!this.#isStillOurs()) {
      this.#isWrittenOver = true
      throw this.#refused('was written over')
    }
    this.#seen = stats
  }

  /** The same if nobody who opens the memory can read its log; after a commit, before it is acknowledged. */
  mustBeReadable(): void {
    this.#mustHave(this.#log?.hasBeginning())
  }

  #mustHave(isThere = true): void {
    if (isThere) return
    this.#isLogReplaced = true
    throw this.#refused('lost what its write-ahead log (-wal) held')
  }

  /**
   * SQLite goes on writing into a log that was deleted, too, and whoever opens the memory next finds none of it. Nothing is
   * deleted or replaced without a change of its folder. The log itself is not asked while that stays as it is: a system
   * that gives each write after such a question a time of its own takes a tenth longer to sync it.
   */
  #mustBeBesideIt(): void {
    const folder = at(dirname(this.#real))
    const before = this.#folder
    if (before !== undefined && folder?.ctimeMs === before.ctimeMs && isSame(folder, before)) return
    for (const ending of BESIDE) this.#mustBeBeside(ending)
    this.#folder = folder !== undefined && Date.now() - folder.ctimeMs > TICK_MS ? folder : undefined
  }

  #mustBeBeside(ending: string): void {
    const first = this.#beside.get(ending)
    const stats = at(`${this.#real}${ending}`)
    if (first === undefined) {
      if (stats !== undefined) this.#beside.set(ending, stats)
    } else if (stats === undefined || !isSame(stats, first)) {
      this.#isLogReplaced ||= stats !== undefined
      throw this.#refused(
        `lost its ${ending === '-wal' ? 'write-ahead log' : 'shared index of the log'} (${ending})`,
      )
    }
  }

  /** Throws `STORE_MOVED` if what a transaction reads, which has this random name, is another memory. */
  mustBe(id: unknown): void {
    if (id === this.#id) return
    this.#isWrittenOver = true
    throw this.#refused('was written over')
  }

  /**
   * True if closing may write: into the file that was opened, wherever it was moved, but not into one that was written
   * over. SQLite itself removes no log by its name when the file was moved.
   */
  mayCheckpoint(): boolean {
    try {
      this.mustBeThere()
    } catch {
      // Of a log that is only gone all is still at hand, unless somebody wrote to the memory without it.
      const isAlone = !this.#isLogReplaced && this.#isUnchanged()
      return !this.#isWrittenOver && (this.#isMoved() || isAlone)
    }
    return true
  }

  #isMoved(): boolean {
    const stats = at(this.#location)
    return stats === undefined || !isSame(stats, this.#main)
  }

  #isUnchanged(): boolean {
    const { ctimeMs, size } = fstatSync(this.#file)
    return ctimeMs === this.#seen.ctimeMs && size === this.#seen.size
  }

  /** To be called when the connections are closed. */
  close(): void {
    this.#log?.close()
    closeFile(this.#file)
    this.#release()
  }

  /** A memory whose first pages are still in its log has no name in the file itself. */
  #isStillOurs(): boolean {
    for (let look = 1; ; look += 1) {
      const { id, isOurs } = idInFile(this.#file)
      if (isOurs && (id === undefined || id === this.#id)) return true
      if (look >= LOOKS) return false
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }

  #refused(what: string): ElfmemError {
    this.#moved = new ElfmemError(
      'STORE_MOVED',
      `The file of the memory ${what}; nothing more was written.`,
      {
        recovery:
          'Close the memory and open it again (restart a server). If the file should still be there, restore a backup first.',
        details: { location: this.#location },
      },
    )
    return this.#moved
  }
}

/** Undefined also where a part of the path is no folder any more. */
function at(path: string): Stats | undefined {
  return attempt(() => statSync(path, { throwIfNoEntry: false }))
}

function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev
}

const SELECT = `SELECT value FROM meta WHERE key = '${MEMORY_ID}'`

/** Who was first named it. */
const INSERT = `INSERT INTO meta (key, value) VALUES ('${MEMORY_ID}', ?1) ON CONFLICT (key) DO NOTHING`

/** The memory's random name; undefined if it has none yet. */
export function memoryIdOf(connection: Connection): string | undefined {
  const value = connection.control(SELECT)?.value
  return typeof value === 'string' ? value : undefined
}

/** Names a memory that has no name yet: 16 random hex digits. */
export async function nameMemory(writer: Connection, busyRetry: BusyRetry): Promise<string> {
  const known = memoryIdOf(writer)
  if (known !== undefined) return known
  const id = randomBytes(8).toString('hex')
  await whileBusy(busyRetry, () => writer.run(INSERT, id))
  return memoryIdOf(writer) ?? id
}
