import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { attempt, ElfmemError } from '../../errors.ts'
import type { RowChanged } from '../../store/database.ts'
import { columnName, type View } from '../../store/description.ts'
import { TransactionLife } from '../../store/transaction.ts'
import { isBusy, resultCode, storeFailure } from './failure.ts'

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
    {
      recovery: 'Use Node 22.18 or newer, or a version of Bun or Deno that has node:sqlite.',
    },
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

/** True if SQLite has the logarithm that triggers of ours use, which not every runtime has. */
let hasLogarithm: boolean | undefined

/** True if `?1` takes a value by its place: not in Node 22 before 22.20, nor in Node 24 before 24.7. */
let bindsNumbered: boolean | undefined

/** A row as the driver gives it. */
export type Row = Readonly<Record<string, SQLOutputValue>>

/** A parameter that is not where its place in the list would put it. */
interface NamedParameter {
  /** `?40`. */
  readonly name: string
  readonly value: SQLInputValue
}

/** A value that is bound to a statement, by its place or by its name. */
export type Parameter = SQLInputValue | NamedParameter

/** The columns of a table in their order, and those of its primary key. */
export interface Layout {
  readonly columns: readonly string[]
  readonly key: readonly string[]
}

const SELECT_LAYOUTS = `SELECT json_group_object(name, json_object(
  'columns', (SELECT json_group_array(name) FROM pragma_table_info(tables.name)),
  'key', (SELECT json_group_array(name) FROM pragma_table_info(tables.name) WHERE pk > 0)
)) AS layouts FROM sqlite_schema AS tables WHERE type = 'table'`

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

/** A row by the places of its columns. */
export type Values = readonly SQLOutputValue[]

/**
 * One connection: prepared statements are kept by their text, statements are counted, and what the driver throws
 * becomes an `ElfmemError`.
 */
export class Connection {
  readonly location: string
  /** Statements run so far, transaction control not counted. */
  statements = 0
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()
  readonly #preparedValues = new Map<string, StatementSync>()
  #layouts: ReadonlyMap<string, Layout> | undefined

  constructor(location: string, options: ConnectionOptions = {}) {
    this.location = location
    const { DatabaseSync } = requireSqlite()
    const { isFrozen = false, readOnly = isFrozen, readBigInts = false } = options
    const open = (place: string | URL) => new DatabaseSync(place, { readOnly, readBigInts, ...DISTRUSTFUL })
    const frozen = () => open(new URL('?immutable=1', pathToFileURL(location)))
    // A runtime that takes no URL may make an index of the log beside the file.
    this.#database = this.#guard(() => (isFrozen ? attempt(frozen) : undefined) ?? open(location))
    this.#guard(() => distrust(this.#database))
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
  all<T extends object = Row>(sql: string, ...parameters: Parameter[]): T[] {
    this.statements += 1
    return this.#guard(() => this.#prepare(sql).all(...bound(parameters)) as unknown as T[])
  }

  /** Reads all rows by the places of their columns, whose names must differ. For many rows: names cost more than values. */
  values(sql: string, ...parameters: Parameter[]): Values[] {
    this.statements += 1
    return this.#guard(() => arraysOf(this.#prepareValues(sql).all(...bound(parameters))))
  }

  /** Yields the rows in batches of `size`, read as they are asked for. Nobody else may run this statement meanwhile. */
  *batches(sql: string, size: number, ...parameters: Parameter[]): Generator<Values[]> {
    this.statements += 1
    let batch: Values[] = []
    try {
      for (const row of this.#prepareValues(sql).iterate(...bound(parameters)) as Iterable<object>) {
        batch.push(Array.isArray(row) ? row : Object.values(row))
        if (batch.length < size) continue
        yield batch
        batch = []
      }
    } catch (error) {
      throw storeFailure(error, this.location)
    }
    if (batch.length > 0) yield batch
  }

  /** The first row, if any. */
  get<T extends object = Row>(sql: string, ...parameters: Parameter[]): T | undefined {
    this.statements += 1
    return this.#guard(() => this.#prepare(sql).get(...bound(parameters)) as unknown as T | undefined)
  }

  /** Runs a statement without rows and returns how many rows it changed. */
  run(sql: string, ...parameters: Parameter[]): number {
    this.statements += 1
    return this.#guard(() => Number(this.#prepare(sql).run(...bound(parameters)).changes))
  }

  /** Reads all rows by the places of their columns; parameters are anonymous: `?`. */
  rows(sql: string, values: readonly SQLInputValue[]): Values[] {
    this.statements += 1
    return this.#guard(() => arraysOf(this.#prepareValues(sql).all(...values)))
  }

  /** Runs one statement for each list of values, which counts as one; returns the rows of each. */
  rowsOfEach(sql: string, lists: readonly (readonly SQLInputValue[])[]): Values[][] {
    this.statements += 1
    return this.#guard(() => {
      const statement = this.#prepareValues(sql)
      return lists.map((values) => arraysOf(statement.all(...values)))
    })
  }

  /** Runs a statement without rows for each list of parameters; returns the numbers of the inserted rows. */
  runEach(sql: string, lists: readonly (readonly SQLInputValue[])[]): number[] {
    this.statements += 1
    return this.#guard(() => {
      const statement = this.#prepareValues(sql)
      return lists.map((values) => Number(statement.run(...values).lastInsertRowid))
    })
  }

  /** Runs a statement with anonymous parameters and without rows; returns how many rows it changed. */
  change(sql: string, values: readonly SQLInputValue[]): number {
    this.statements += 1
    return this.#guard(() => Number(this.#prepareValues(sql).run(...values).changes))
  }

  /** Counts the statements of a batch, which another database would take as one, as one. */
  asOne<T>(work: () => T): T {
    const before = this.statements
    const result = work()
    this.statements = before + 1
    return result
  }

  /** Transaction control and settings; cached like any statement, not counted. */
  control(sql: string): Row | undefined {
    return this.#guard(() => this.#prepare(sql).get())
  }

  /** Runs a script of several statements, such as a schema. */
  script(sql: string): void {
    this.#guard(() => this.#database.exec(sql))
  }

  /** Returns the columns and key of a table, as the file has it; read once and not counted. */
  layout(table: string): Layout {
    this.#layouts ??= new Map(
      Object.entries(JSON.parse(String(this.control(SELECT_LAYOUTS)?.layouts)) as Record<string, Layout>),
    )
    return this.#layouts.get(table) ?? { columns: [], key: [] }
  }

  /** Rows with names one after the other, so that nobody holds them all; nothing else may run on this connection. */
  *each<T extends object = Row>(sql: string, ...parameters: Parameter[]): Generator<T> {
    this.statements += 1
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
    this.#preparedValues.clear()
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

  /** Prepares a statement whose rows are lists of values; some runtimes have only rows with names. */
  #prepareValues(sql: string): StatementSync {
    const known = this.#preparedValues.get(sql)
    if (known !== undefined) return known
    let statement = this.#database.prepare(sql)
    if ('setReturnArrays' in statement) statement.setReturnArrays(true)
    // Columns of one name would be one; around them SQLite gives each a name of its own.
    else if (/^\s*SELECT\b/.test(sql)) statement = this.#database.prepare(`SELECT * FROM (${sql})`)
    this.#preparedValues.set(sql, statement)
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

/**
 * Forbids functions in the schema of the file that are not SQLite's own, and cells beyond their page. If SQLite has no
 * logarithm, our triggers need a function of this process; then only the comparison of the schema keeps others out.
 */
function distrust(database: DatabaseSync): void {
  database.exec('PRAGMA cell_size_check = ON')
  hasLogarithm ??= canRun(() => database.prepare('SELECT ln(1)'))
  bindsNumbered ??= canRun(() => database.prepare('SELECT ?1').get(1))
  if (hasLogarithm) database.exec('PRAGMA trusted_schema = OFF')
  else database.function('ln', { deterministic: true }, (value) => Math.log(Number(value)))
}

function canRun(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

function arraysOf(rows: readonly object[]): Values[] {
  return rows.length === 0 || Array.isArray(rows[0]) ? (rows as Values[]) : rows.map(Object.values)
}

/** Returns the values for numbered parameters. Names work in every Node, and cost more to make. */
function bound(parameters: readonly Parameter[]): SQLInputValue[] {
  if (bindsNumbered && !parameters.some(isNamed)) return parameters as SQLInputValue[]
  const byName = parameters.map((each, index) =>
    isNamed(each) ? [each.name, each.value] : [`?${index + 1}`, each],
  )
  // Its types take an object in the first place alone.
  return [Object.fromEntries(byName)] as unknown as SQLInputValue[]
}

function isNamed(parameter: Parameter): parameter is NamedParameter {
  return typeof parameter === 'object' && parameter !== null && 'name' in parameter
}

/** A statement in two forms: over the whole store, and over what belongs to one scope. */
export interface Statement {
  readonly whole: string
  readonly scoped: string
}

/** The parts that differ between the two forms of a statement. */
export interface Form {
  /** `AND` the rows of the table are the scope's, which they are found by; nothing over the whole store. */
  readonly own: (table: string) => string
  /** `AND` the row of the table, which is found by another key, is the scope's; nothing over the whole store. */
  readonly isOwn: (table: string) => string
  /** `AND` the block of this id is the scope's. */
  readonly ofOwn: (blockId: string) => string
  /** The table of strengths: of all edges, or of those inside one scope. */
  readonly strengths: 'block_strengths' | 'scope_strengths'
  /** The sign before a column whose index must not be used, because it would look for a scope among the rows of all. */
  readonly unindexed: '' | '+'
}

/** A number above those of all other parameters, because one number is one parameter everywhere. */
const SCOPE = '?40'

const WHOLE: Form = {
  own: () => '',
  isOwn: () => '',
  ofOwn: () => '',
  strengths: 'block_strengths',
  unindexed: '',
}

/** Scope indexes leave out rows without a scope, so the condition also says that there is one. */
const SCOPED: Form = {
  own: (table) => ` AND ${table}.scope = ${SCOPE} AND ${table}.scope <> ''`,
  isOwn: (table) => ` AND +${table}.scope = ${SCOPE}`,
  ofOwn: (blockId) =>
    ` AND EXISTS (SELECT 1 FROM blocks AS owned WHERE owned.id = ${blockId} AND owned.scope = ${SCOPE})`,
  strengths: 'scope_strengths',
  unindexed: '+',
}

/** Returns a statement in both forms. */
export function statement(text: (form: Form) => string): Statement {
  return { whole: text(WHOLE), scoped: text(SCOPED) }
}

/** The columns of a view, each with the name of its table. */
export function columnsOf({ table, properties }: View, alias: string): string {
  return properties.map((each) => `${alias}.${columnName(table, each)}`).join(', ')
}

/** Returns each value once, at its first place, as one bound parameter for `json_each`. */
export function jsonList(values: readonly string[]): string {
  return JSON.stringify([...new Set(values)])
}

/**
 * A connection as one transaction uses it: bound to a scope, it chooses that form of every statement, so that a part of
 * the store can only be reached by a statement that says whose rows it means. Plain texts are about the store itself.
 */
export class ScopedConnection {
  /** Undefined: the whole store. */
  readonly scope: string | undefined
  /** Called for rows that a statement changes, where that is kept for an undo. */
  readonly changed: RowChanged | undefined
  readonly #connection: Connection

  constructor(connection: Connection, scope?: string, changed?: RowChanged) {
    this.#connection = connection
    this.scope = scope
    this.changed = changed
  }

  /** The connection over the whole store, for rows that a block takes along wherever it is joined. */
  get whole(): ScopedConnection {
    return this.scope === undefined ? this : new ScopedConnection(this.#connection, undefined, this.changed)
  }

  /** Reads all rows, by the names of their columns. */
  all<T extends object = Row>(asked: Statement | string, ...parameters: Parameter[]): T[] {
    return this.#connection.all<T>(...this.#bound(asked, parameters))
  }

  /** Reads all rows, by the places of their columns. */
  values(asked: Statement | string, ...parameters: Parameter[]): Values[] {
    return this.#connection.values(...this.#bound(asked, parameters))
  }

  /** Yields all rows, `size` at a time, the last ones fewer. */
  batches(asked: Statement | string, size: number): Generator<Values[]> {
    const [sql, ...parameters] = this.#bound(asked, [])
    return this.#connection.batches(sql, size, ...parameters)
  }

  /** The first row; undefined if there is none. */
  get<T extends object = Row>(asked: Statement | string, ...parameters: Parameter[]): T | undefined {
    return this.#connection.get<T>(...this.#bound(asked, parameters))
  }

  /** Runs a statement without rows and returns how many rows it changed. */
  run(asked: Statement | string, ...parameters: Parameter[]): number {
    return this.#connection.run(...this.#bound(asked, parameters))
  }

  /** Counts the statements of a batch as one. */
  asOne<T>(work: () => T): T {
    return this.#connection.asOne(work)
  }

  /** A script of several statements about the store itself. */
  script(sql: string): void {
    this.#connection.script(sql)
  }

  #bound(asked: Statement | string, parameters: Parameter[]): [sql: string, ...Parameter[]] {
    if (typeof asked === 'string') return [asked, ...parameters]
    if (this.scope === undefined) return [asked.whole, ...parameters]
    return [asked.scoped, ...parameters, { name: SCOPE, value: this.scope }]
  }
}

/** The life of a transaction on a connection of SQLite. */
export type Life = TransactionLife<Connection>

/** Does work in the transaction that was begun, and ends it: by a commit, or by going back to how it was before. */
export async function transact<T>(connection: Connection, work: (life: Life) => Promise<T>): Promise<T> {
  const life = new TransactionLife(connection)
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
  /** Runs in one durable transaction. */
  readonly write: <T>(work: (life: Life) => Promise<T>) => Promise<T>
}
