import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { attempt, ElfmemError } from '../../errors.ts'
import type { SqlConnection } from '../../sql/connection.ts'
import { TransactionLife } from '../../store/transaction.ts'
import { isBusy, resultCode, storeFailure } from './failure.ts'
import { bound, SqliteStatements } from './statements.ts'

/** The module of SQLite; undefined in a runtime without it, where an import would fail before anybody could say why. */
const sqlite = process.getBuiltinModule('node:sqlite') as typeof import('node:sqlite') | undefined

/** True if the module can copy a database beside the event loop, which not every runtime can. */
const canCopy = sqlite !== undefined && 'backup' in sqlite

/** The module of SQLite; throws CONFIG_INVALID where the runtime has none. */
function requireSqlite(): typeof import('node:sqlite') {
  if (sqlite !== undefined) return sqlite
  throw new ElfmemError(
    'CONFIG_INVALID',
    `${runtimeName()} has no node:sqlite, which elfmem keeps its memory in.`,
    { recovery: 'Use Node 22.18 or newer, or a version of Bun or Deno that has node:sqlite.' },
  )
}

function runtimeName(): string {
  const { bun, deno, node } = process.versions
  if (bun !== undefined) return `Bun ${bun}`
  return deno === undefined ? `Node ${node}` : `Deno ${deno}`
}

/** SQLITE_ERROR, which is what ROLLBACK answers outside a transaction. */
const NO_TRANSACTION = 1

/** More pages than a database can have. A copy takes one step, because a change between two steps would begin it anew. */
const ALL_PAGES = 2 ** 31 - 1

/** The length of the longest value or row that SQLite reads or writes, in bytes; the longest of elfmem has some 16 MB. */
const MOST_BYTES = 64 << 20

/** The options that protect against a crafted file. Node before 24.12 ignores `defensive`, before 24.15 `limits`. */
const DISTRUSTFUL = { allowExtension: false, defensive: true, limits: { length: MOST_BYTES } }

/** A row as the driver gives it. */
export type Row = Readonly<Record<string, SQLOutputValue>>

/** Options of opening a database. */
interface ConnectionOptions {
  readonly readOnly?: boolean
  /**
   * True: nobody writes to the file now. It is read without its log and without a lock, and nothing is made beside it. Not
   * for a file that a store of this process has open: closing it would take away the locks of that store.
   */
  readonly isFrozen?: boolean
  /** True: whole numbers come as `bigint`, however large. */
  readonly readBigInts?: boolean
}

/**
 * One connection: prepared statements are kept by their text, statements are counted, and what the driver throws
 * becomes an `ElfmemError`.
 */
export class Connection {
  readonly location: string
  /** The connection as the rows and queries of a transaction use it. */
  readonly sql: SqliteStatements
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()
  #statements = 0

  constructor(location: string, options: ConnectionOptions = {}) {
    this.location = location
    const { DatabaseSync } = requireSqlite()
    const { isFrozen = false, readOnly = isFrozen, readBigInts = false } = options
    const open = (place: string | URL) => new DatabaseSync(place, { readOnly, readBigInts, ...DISTRUSTFUL })
    const frozen = () => open(new URL('?immutable=1', pathToFileURL(location)))
    // A runtime that takes no URL may make an index of the log beside the file.
    this.#database = this.#guard(() => (isFrozen ? attempt(frozen) : undefined) ?? open(location))
    this.#guard(() => distrust(this.#database))
    this.sql = new SqliteStatements(this.#database, location)
  }

  /** Statements run so far, transaction control not counted. */
  get statements(): number {
    return this.#statements + this.sql.statements
  }

  /** The bytes of the database, for `fill`; undefined where the driver cannot give them (Node before 24.10). */
  image(): Uint8Array | undefined {
    const database: { serialize?: () => Uint8Array } = this.#database
    return this.#guard(() => database.serialize?.())
  }

  /** Makes an empty database in memory one that `image` gave. */
  fill(image: Uint8Array): void {
    const database: { deserialize?: (image: Uint8Array) => void } = this.#database
    this.#guard(() => database.deserialize?.(image))
  }

  /** Reads all rows, which the statement's text promises to be of type `T`. Parameters are positional: `?1`, `?2` … */
  all<T extends object = Row>(sql: string, ...parameters: SQLInputValue[]): T[] {
    this.#statements += 1
    return this.#guard(() => this.#prepare(sql).all(...bound(parameters)) as unknown as T[])
  }

  /** The first row, if any. */
  get<T extends object = Row>(sql: string, ...parameters: SQLInputValue[]): T | undefined {
    this.#statements += 1
    return this.#guard(() => this.#prepare(sql).get(...bound(parameters)) as unknown as T | undefined)
  }

  /** Runs a statement without rows and returns how many rows it changed. */
  run(sql: string, ...parameters: SQLInputValue[]): number {
    this.#statements += 1
    return this.#guard(() => Number(this.#prepare(sql).run(...bound(parameters)).changes))
  }

  /** Transaction control and settings; cached like any statement, not counted. */
  control(sql: string): Row | undefined {
    return this.#guard(() => this.#prepare(sql).get())
  }

  /** Runs a script of several statements, such as a schema. */
  script(sql: string): void {
    this.#guard(() => this.#database.exec(sql))
  }

  /** Rows with names one after the other, so that nobody holds them all; nothing else may run on this connection. */
  *each<T extends object = Row>(sql: string, ...parameters: SQLInputValue[]): Generator<T> {
    this.#statements += 1
    const rows = this.#guard(() => this.#prepare(sql).iterate(...bound(parameters))) as Iterator<T>
    for (;;) {
      const next = this.#guard(() => rows.next())
      if (next.done) return
      yield next.value
    }
  }

  /**
   * Copies the whole database into a file, in one step and beside the event loop; another connection to that file sees
   * all of it or nothing. Fails with an error of SQLite, whose code is 0 when somebody holds the file's lock.
   */
  async copyTo(path: string): Promise<void> {
    try {
      await requireSqlite().backup(this.#database, path, { rate: ALL_PAGES })
    } catch (error) {
      throw storeFailure(error, path)
    }
  }

  /** True if `copyTo` works in this runtime. */
  static readonly canCopy = canCopy

  /** Ends a transaction that failed; SQLite may have ended it already. */
  rollback(): void {
    try {
      this.control('ROLLBACK')
    } catch (error) {
      if (resultCode(error) !== NO_TRANSACTION) throw error
    }
  }

  /** Closes the connection with all its statements. */
  close(): void {
    this.#prepared.clear()
    this.sql.clear()
    this.#guard(() => this.#database.close())
  }

  /** Closes the connection, for `using`. */
  [Symbol.dispose](): void {
    this.close()
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    this.#prepared.set(sql, statement)
    return statement
  }

  #guard<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw storeFailure(error, this.location)
    }
  }
}

/** Forbids functions in the schema of the file that are not SQLite's own, and cells beyond their page. */
function distrust(database: DatabaseSync): void {
  database.exec('PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF')
}

/** The life of a transaction on a connection of SQLite. */
export type Life = TransactionLife<SqlConnection>

/** Does work in the transaction that was begun, and ends it: by a commit, or by going back to how it was before. */
export async function transact<T>(connection: Connection, work: (life: Life) => Promise<T>): Promise<T> {
  const life = new TransactionLife<SqlConnection>(connection.sql)
  try {
    const result = await work(life)
    await life.end()
    if (life.failure !== undefined) throw life.failure
    connection.control('COMMIT')
    return result
  } catch (error) {
    await life.end()
    connection.rollback()
    throw error
  }
}

/** Time to wait for a lock that somebody else holds. */
export interface BusyRetry {
  readonly milliseconds: number
  /** Milliseconds; only differences count. */
  readonly now: () => number
}

const LONGEST_PAUSE_MS = 20

/**
 * Attempts again while somebody else holds the lock, until the time is over; then the last error is thrown.
 * Pauses leave the event loop free, because the holder may live in this very process, and vary so that
 * waiters do not attempt in step.
 */
export function whileBusy<T>(busyRetry: BusyRetry, attempt: () => T): Promise<T> {
  return retrying(busyRetry, isBusy, attempt)
}

/** Attempts again, as `whileBusy` does, while `mayPass` is true of the error; attempts may take their time. */
export async function retrying<T>(
  busyRetry: BusyRetry,
  mayPass: (error: unknown) => boolean,
  attempt: () => T | Promise<T>,
): Promise<T> {
  const deadline = busyRetry.now() + busyRetry.milliseconds
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!mayPass(error) || busyRetry.now() >= deadline) throw error
    }
    await sleep(1 + Math.random() * Math.min(tries, LONGEST_PAUSE_MS))
  }
}

/** Access of the maintenance of a memory to the open store. */
export interface FileAccess {
  readonly location: string
  readonly busyRetry: BusyRetry
  /** Throws `STORE_MOVED` if the path does not lead to the open file any more. */
  readonly mustBeThere: () => void
  /** Runs when no write of this store is open. */
  readonly alone: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>
}
