import type { Columns, RowOf, Table, View } from './description.ts'
import type { StoreFiles } from './maintenance.ts'
import type { ClockReading, Queries } from './queries.ts'

/** A row of any table, by its properties. */
export type AnyRow = Readonly<Record<string, unknown>>

/** A value of a row as a database gives and takes it. */
export type Cell = string | number | null | Uint8Array

/** All values of a row, in the order of the table's columns. */
export type Cells = readonly Cell[]

/** The values of a key, in its order. */
export type Key = readonly (string | number)[]

/** Properties and the values they have to have, one of a list; undefined: none. */
export type Where = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** Some rows of a table, in an order. */
export interface Range {
  /** Known when the program is written: words, flags and absent values, by which an index may be chosen. */
  readonly where?: Where
  /** A property that has to have a value. */
  readonly has?: string
  /** Values of properties by whose index the rows are found. */
  readonly equals?: Readonly<Record<string, string | number>>
  /** A property and the least value it may have. */
  readonly from?: readonly [property: string, least: string | number]
  /** A property and the greatest value it may have. */
  readonly until?: readonly [property: string, most: string | number]
  /** Only rows behind this place: values of the properties of `order`, all of which ascend then. */
  readonly after?: Key
  /** Properties; a minus before one descends. */
  readonly order: readonly string[]
  /** All rows when left out. */
  readonly limit?: number
}

/** The rows of a table to keep. */
export interface Trimming {
  /** Properties by which rows are older or newer. */
  readonly order: readonly string[]
  /** So many of the newest stay: of each value of `per`, if that is given. */
  readonly keep: number
  /** A property, and the values of it that are looked at. */
  readonly per?: readonly [property: string, values: readonly string[]]
  /** At most so many are removed. */
  readonly most?: number
  /** The key of a row that stays. */
  readonly but?: Key
}

/** The counts of the memory as a whole, whatever the scope: from the log, the blocks and `STATE_META`. */
export interface State {
  readonly clock: ClockReading
  /** The newest number of a change. */
  readonly sequence: number
  /** See `Changes`. */
  readonly generation: number
  /** The number of the set of vectors in use: 0 or 1. */
  readonly vectorSet: number
  readonly hasShadow: boolean
  /** True if any block belongs to a scope. */
  readonly hasScopes: boolean
}

/**
 * The rows of a database within one transaction: all of them, or those with a scope or about a block that has it. Each call is a
 * bounded number of statements. Keys that no row has are left out. Texts are in the order of their UTF-8 bytes.
 */
export interface ReadRows {
  /** Undefined: the whole store. */
  readonly scope: string | undefined
  /** The same transaction over the whole store. */
  readonly whole: ReadRows
  /** The queries with statements of their own. */
  readonly queries: Queries
  /** Rows with these keys, or with these values of the unique properties, in the order of the keys; each once. */
  get<R>(view: View<R>, keys: readonly Key[], by?: 'key' | 'unique'): Promise<R[]>
  /**
   * Rows that name one of the blocks; `both`: whose two blocks are among them. Each once, in the order of their keys, or of
   * their unique properties in a view that lacks the key.
   */
  touching<R>(
    view: View<R>,
    blockIds: readonly string[],
    options?: { readonly both?: boolean; readonly where?: Where },
  ): Promise<R[]>
  scan<R>(view: View<R>, range: Range): Promise<R[]>
  count(table: Table, where?: Where): Promise<number>
  /** One statement. */
  state(): Promise<State>
}

/** The rows of a database within one transaction that may change them. */
export interface Rows extends ReadRows {
  readonly whole: Rows
  /**
   * Inserts rows in their order and returns them as they are stored. Rows that lack their key, all or none, get the next number,
   * from 1; those of a counted table (`nextIn`) always do, and their place in their series. Undefined in the place of a row of a
   * counted table whose unique properties are taken, in any scope.
   */
  insert<C extends Columns>(
    table: Table<C>,
    rows: readonly Partial<RowOf<Table<C>>>[],
  ): Promise<(RowOf<Table<C>> | undefined)[]>
  /**
   * Inserts rows or changes those of the same key; of two with one key the last counts. Returns the rows that were not there or
   * differ. The index of a block that becomes active gets the block's `sequence`.
   *
   * @param before the rows with these keys as they are; read when left out
   */
  put<C extends Columns>(
    table: Table<C>,
    rows: readonly RowOf<Table<C>>[],
    before?: readonly RowOf<Table<C>>[],
  ): Promise<RowOf<Table<C>>[]>
  /** Removes the rows with these keys, and what does not outlive them; returns them alone, in the order of the keys. */
  remove<C extends Columns>(table: Table<C>, keys: readonly Key[]): Promise<RowOf<Table<C>>[]>
  /** Removes the oldest rows beyond those to keep; returns how many. */
  trim(table: Table, trimming: Trimming): Promise<number>
}

/**
 * Called for each row of a table with an undo that a transaction inserts, changes or removes: its values before and after, in the
 * order of the columns. Not called for rows that go with another, or for numbers of changes alone.
 */
export type RowChanged = (table: Table, was: Cells | undefined, is: Cells | undefined) => void

/** Hints for one read; each may be left out. */
export interface ReadOptions {
  /** True: goes on with what the same call read just before, so that the file need not be looked for once more. */
  readonly again?: boolean
  /** True: a few quick statements, for which a write that comes meanwhile may wait. */
  readonly brief?: boolean
  /** True: long work, which keeps neither readers nor writers of this process waiting. */
  readonly aside?: boolean
}

/** The promises of one write; each may be left out. */
export interface WriteOptions {
  /** False: a power failure may undo the write until the next durable one commits. True unless said. */
  readonly durable?: boolean
  /** False: a lock of another process is not waited for (`STORE_BUSY`). True unless said. */
  readonly waits?: boolean
  /** True: what the write changes is kept with what it logs, for `revert`. False unless said. */
  readonly undoable?: boolean
  /** Called inside the transaction if something is kept of an undoable write, with the number that `revert` takes. */
  readonly onKept?: (operationId: number) => void
}

/** Where the rows of a memory lie: one SQLite file today, PostgreSQL one day. What `Store` promises holds for it. */
export interface Database {
  readonly location: string
  /** False: the memory ends when the database is closed. */
  readonly isLasting: boolean
  readonly statements: number
  readonly files?: StoreFiles
  /** See `Store`. */
  version(): Promise<number>
  /** Opens an empty database that ends when it is closed; `isLarge` if memory may not hold all of it. */
  scratch(options?: { readonly isLarge?: boolean }): Promise<Database>
  /** One consistent state, which never is the inside of an open write. */
  read<T>(
    work: (rows: Rows) => Promise<T>,
    options?: ReadOptions & { readonly scope?: string | undefined },
  ): Promise<T>
  /** One transaction at a time across all processes, and the state it finds; nothing is left of it when `work` throws. */
  write<T>(
    work: (rows: Rows, state: State) => Promise<T>,
    options: Omit<WriteOptions, 'undoable' | 'onKept'> & {
      readonly scope?: string | undefined
      readonly changed?: RowChanged
    },
  ): Promise<T>
  close(): Promise<void>
}
