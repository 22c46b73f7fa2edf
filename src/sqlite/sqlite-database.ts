import { attempt, ElfmemError } from '../errors.ts'
import { readState } from '../sql/queries.ts'
import { SqlRows } from '../sql/rows.ts'
import { ScopedConnection } from '../sql/statement.ts'
import { closedFailure, Turns } from '../sql/turns.ts'
import type { Database, Rows, State, StoreFiles } from '../store/database.ts'
import {
  type BusyRetry,
  Connection,
  type FileAccess,
  type Life,
  transact,
  whileBusy,
} from './connection/connection.ts'
import type { FileIdentity } from './file/own-file.ts'

/** The connections of an open store. Without a reader, as in ':memory:', reads take turns with writes. */
export interface StoreParts {
  readonly writer: Connection
  readonly reader?: Connection
  readonly busyRetry: BusyRetry
  /** The name of the store instead of its path. */
  readonly name?: string
  /** The identity of the file; absent if there is none. */
  readonly identity?: FileIdentity
  readonly scratch: Database['scratch']
  /** True of a file that nobody writes to, which is read without its log. */
  readonly isFrozen?: boolean
  /** Makes what is done with the file as a whole; absent where there is none. */
  readonly files?: (access: FileAccess) => StoreFiles
}

type Reading = NonNullable<Parameters<Database['read']>[1]>
type Writing = Parameters<Database['write']>[1]

/** Versions read between two looks for the file. */
const VERSIONS_BETWEEN = 10

/** One SQLite file: one transaction at a time for each connection. */
export class SqliteDatabase implements Database {
  readonly location: string
  readonly isLasting: boolean
  readonly files?: StoreFiles
  readonly scratch: Database['scratch']
  readonly #writer: Connection
  readonly #reader: Connection
  readonly #busyRetry: BusyRetry
  readonly #identity: FileIdentity | undefined
  readonly #isFrozen: boolean
  readonly #writes: Turns<Life>
  readonly #reads: Turns<Life>
  #durable = true
  #overwrites = false
  /** Commits of this store, which its own connection does not count where there is no reader. */
  #commits = 0
  /** The number of times that the version was asked for. */
  #versions = 0
  #closing: Promise<void> | undefined

  constructor(parts: StoreParts) {
    this.location = parts.name ?? parts.writer.location
    this.isLasting = parts.identity !== undefined
    this.scratch = parts.scratch
    this.#writer = parts.writer
    this.#reader = parts.reader ?? parts.writer
    this.#writes = new Turns(this.location)
    this.#reads = parts.reader === undefined ? this.#writes : new Turns(this.location)
    this.#busyRetry = parts.busyRetry
    this.#identity = parts.identity
    this.#isFrozen = parts.isFrozen ?? false
    if (parts.files === undefined) return
    this.files = parts.files({
      location: this.location,
      busyRetry: this.#busyRetry,
      mustBeThere: () => this.#identity?.mustBeThere(),
      alone: (work) => this.#alone(work),
    })
  }

  get statements(): number {
    const shared = this.#reader === this.#writer
    return this.#writer.statements + (shared ? 0 : this.#reader.statements)
  }

  async read<T>(
    work: (rows: Rows) => Promise<T>,
    { scope, again = false, brief = false, aside = false }: Reading = {},
  ): Promise<T> {
    this.#assertOpen()
    const reading = this.#reading
    if (reading !== undefined) return work(new SqlRows(reading, scope))
    if (aside && this.#identity !== undefined)
      return this.#readAside((life) => work(new SqlRows(life, scope)))
    // A write of another connection lets all cached pages go, one's own does not: who has just written has them at hand.
    const [turns, connection] =
      brief && this.#writes.isFree ? [this.#writes, this.#writer] : [this.#reads, this.#reader]
    return turns.run(async (turn) => {
      if (!again) this.#identity?.mustBeThere()
      await whileBusy(this.#busyRetry, () => beginRead(connection))
      return transact(connection, (life) => {
        turn.reading = life
        return work(new SqlRows(life, scope))
      })
    })
  }

  /** Reads on a connection of its own. */
  async #readAside<T>(work: (life: Life) => Promise<T>): Promise<T> {
    this.#identity?.mustBeThere()
    const connection = new Connection(this.location, { readOnly: true, isFrozen: this.#isFrozen })
    try {
      await whileBusy(this.#busyRetry, () => beginRead(connection))
      return await transact(connection, work)
    } finally {
      connection.close()
    }
  }

  /** The read that calls this, if one does: a read within it belongs to it, as it would wait for itself otherwise. */
  get #reading(): Life | undefined {
    return (this.#reads.own ?? this.#writes.own)?.reading
  }

  async write<T>(work: (rows: Rows, state: State) => Promise<T>, options: Writing): Promise<T> {
    const { scope, changed } = options
    return this.#write((life, state) => work(new SqlRows(life, scope, changed), state), options)
  }

  async #write<T>(
    work: (life: Life, state: State) => Promise<T>,
    { durable = true, waits = true, overwrites = false }: Writing,
  ): Promise<T> {
    return this.#alone(async (connection) => {
      this.#setDurable(durable)
      this.#setOverwriting(overwrites)
      const retry = waits ? this.#busyRetry : { ...this.#busyRetry, milliseconds: 0 }
      await whileBusy(retry, () => connection.control('BEGIN IMMEDIATE'))
      const written = await transact(connection, async (life) => {
        const { state, memoryId } = await readState(new ScopedConnection(life.connection))
        this.#identity?.mustBe(memoryId)
        return work(life, state)
      })
      this.#commits += 1
      // Pages from before are in the log until it is emptied; a reader of them keeps it.
      if (overwrites) attempt(() => connection.control('PRAGMA wal_checkpoint(TRUNCATE)'))
      return this.#kept(written)
    })
  }

  /** Returns the result of a write if the file is where everybody looks for it; only then is it acknowledged. */
  #kept<T>(result: T): T {
    this.#identity?.mustBeThere()
    return result
  }

  /** Runs when no write of this store is open. */
  async #alone<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    this.#assertOpen()
    return this.#writes.run(() => {
      this.#identity?.mustBeThere()
      return work(this.#writer)
    })
  }

  /** FULL syncs the log at every commit, earlier commits included; NORMAL leaves that to the next one that does. */
  #setDurable(durable: boolean): void {
    if (durable === this.#durable) return
    this.#writer.control(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`)
    this.#durable = durable
  }

  #setOverwriting(overwrites: boolean): void {
    if (overwrites === this.#overwrites) return
    this.#writer.control(`PRAGMA secure_delete = ${overwrites ? 'ON' : 'OFF'}`)
    this.#overwrites = overwrites
  }

  /**
   * The reader's number tells of commits of all others, this store's writer among them. That the file is still there costs more
   * to see than that, and is looked at now and then.
   */
  async version(): Promise<number> {
    this.#assertOpen()
    return this.#reading === undefined ? this.#reads.run(async () => this.#seen()) : this.#seen()
  }

  #seen(): number {
    if (this.#versions % VERSIONS_BETWEEN === 0) this.#identity?.mustBeThere()
    this.#versions += 1
    const seen = this.#reader.control('PRAGMA data_version')
    return Number(seen?.data_version) + this.#commits
  }

  /** Waits for what was begun before; later calls find the store closed. */
  close(): Promise<void> {
    this.#closing ??= this.#reads.run(() =>
      this.#writes === this.#reads ? this.#release() : this.#writes.run(() => this.#release()),
    )
    return this.#closing
  }

  async #release(): Promise<void> {
    const mayWrite = this.#identity?.mayCheckpoint() ?? true
    const connections = [...new Set([this.#reader, this.#writer])]
    // SQLite checkpoints for the last connection, unless that one can only read.
    if (!mayWrite) connections.reverse()
    try {
      if (mayWrite) this.#writer.control('PRAGMA wal_checkpoint(PASSIVE)')
    } catch (error) {
      // What a checkpoint could not move stays in the log beside the file and is read from there.
      if (!ElfmemError.is(error)) throw error
    } finally {
      for (const connection of connections) connection.close()
      this.#identity?.close()
    }
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw closedFailure(this.location)
  }
}

/** The first query takes the snapshot, so that it dates from the beginning of `read`. */
function beginRead(connection: Connection): void {
  connection.control('BEGIN DEFERRED')
  try {
    connection.control('SELECT 1 FROM meta LIMIT 1')
  } catch (error) {
    connection.rollback()
    throw error
  }
}
