import { ElfmemError } from '../errors.ts'
import type { StoreFiles } from '../ports/store/maintenance.ts'
import type { Store, WriteOptions } from '../ports/store/store.ts'
import type { StoreReader, StoreWriter } from '../ports/store/transaction.ts'
import { type ScopableStore, viewOf } from '../ports/store/view.ts'
import { type BusyRetry, whileBusy } from './connection/busy-retry.ts'
import type { Connection } from './connection/driver.ts'
import { closedFailure } from './connection/failure.ts'
import type { FileIdentity } from './file/identity.ts'
import type { FileAccess } from './transaction/access.ts'
import { ReadTransaction } from './transaction/read-transaction.ts'
import { type TransactionLife, transact } from './transaction/transaction-life.ts'
import { WriteTransaction } from './transaction/write-transaction.ts'
import { keepImage } from './undo/image.ts'
import { UndoRecorder } from './undo/recorder.ts'

/** The connections of an open store. Without a reader, as in ':memory:', reads take turns with writes. */
export interface StoreParts {
  readonly writer: Connection
  readonly reader?: Connection
  readonly busyRetry: BusyRetry
  /** What the store is called instead of its path. */
  readonly name?: string
  /** Which file it is; absent where there is none. */
  readonly identity?: FileIdentity
  /** Called once, after the first write; may write. */
  readonly written?: () => void
  /** Makes what is done with the file as a whole; absent where there is none. */
  readonly files?: (access: Omit<FileAccess, 'connect'>) => StoreFiles
}

/** One SQLite file as a store: one transaction at a time for each connection. */
export class SqliteStore implements Store, ScopableStore {
  readonly location: string
  readonly files?: StoreFiles
  readonly #writer: Connection
  readonly #reader: Connection
  readonly #busyRetry: BusyRetry
  readonly #identity: FileIdentity | undefined
  readonly #recorder: UndoRecorder
  readonly #writes = new Mutex()
  readonly #reads: Mutex
  #written: (() => void) | undefined
  #durable = true
  #closing: Promise<void> | undefined

  constructor(parts: StoreParts) {
    this.location = parts.name ?? parts.writer.location
    this.#writer = parts.writer
    this.#reader = parts.reader ?? parts.writer
    this.#reads = parts.reader === undefined ? this.#writes : new Mutex()
    this.#busyRetry = parts.busyRetry
    this.#identity = parts.identity
    this.#written = parts.written
    this.#recorder = new UndoRecorder(parts.writer)
    if (parts.files === undefined) return
    this.files = parts.files({
      location: this.location,
      busyRetry: this.#busyRetry,
      mustBeThere: () => this.#identity?.mustBeThere(),
      alone: (work) => this.#alone(work),
      write: (work, connection) => this.#write(work, { connection }),
    })
  }

  get statements(): number {
    const shared = this.#reader === this.#writer
    return this.#writer.statements + (shared ? 0 : this.#reader.statements)
  }

  within(scope: string): Store {
    return viewOf(this, scope)
  }

  async read<T>(work: (tx: StoreReader) => Promise<T>, scope?: string): Promise<T> {
    this.#assertOpen()
    return this.#reads.run(async () => {
      this.#identity?.mustBeThere()
      await whileBusy(this.#busyRetry, () => beginRead(this.#reader))
      return transact(this.#reader, scope, (life) => work(new ReadTransaction(life)))
    })
  }

  async write<T>(
    work: (tx: StoreWriter) => Promise<T>,
    options: WriteOptions = {},
    scope?: string,
  ): Promise<T> {
    const done = await this.#write((_, life) => work(new WriteTransaction(life)), { ...options, scope })
    if (this.#written !== undefined) await this.#tellWritten()
    return done
  }

  async #write<T>(
    work: (connection: Connection, life: TransactionLife) => Promise<T>,
    options: WriteOptions & {
      readonly scope?: string | undefined
      readonly connection?: Connection | undefined
    },
  ): Promise<T> {
    const { scope } = options
    return this.#alone(async (writer) => {
      const connection = options.connection ?? writer
      this.#setDurable(options.durable ?? true)
      const retry = options.waits === false ? { ...this.#busyRetry, milliseconds: 0 } : this.#busyRetry
      const begin = () => connection.control('BEGIN IMMEDIATE')
      const workOn = (life: TransactionLife) => {
        this.#identity?.mustBeIn(connection)
        return work(connection, life)
      }
      if (options.undoable !== true) {
        await whileBusy(retry, begin)
        return transact(connection, scope, workOn)
      }
      const recorder = this.#recorder
      await whileBusy(retry, () => recorder.begin())
      try {
        await whileBusy(retry, begin)
        return await transact(connection, scope, workOn, () => keepImage(connection, recorder))
      } finally {
        recorder.end()
      }
    })
  }

  /** What was written is kept, whatever becomes of this. */
  async #tellWritten(): Promise<void> {
    const written = this.#written
    this.#written = undefined
    try {
      await this.#alone(async () => {
        this.#setDurable(false)
        written?.()
      })
    } catch (error) {
      if (!ElfmemError.is(error)) throw error
    }
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

/** Runs one task at a time, in the order of the calls; a failing task does not disturb the next. */
class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task)
    this.#last = Promise.allSettled([result])
    return result
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
