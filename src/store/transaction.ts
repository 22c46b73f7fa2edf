import { ElfmemError } from '../errors.ts'
import type {
  ClockReading,
  Database,
  Key,
  Queries,
  ReadOptions,
  ReadRows,
  Rows,
  State,
  WriteOptions,
} from './database.ts'
import { type Columns, type RowOf, type Table, type View, viewOf } from './description.ts'
import { blocks } from './tables.ts'

const KNOWN = viewOf(blocks, ['id', 'arrival', 'scope'])

/** The facts about a block that never change. */
export interface KnownBlock {
  readonly id: string
  readonly arrival: number
  readonly scope?: string
}

/** Finds a block by its id among those that a transaction may see. */
export type LookUp = (id: string) => KnownBlock | undefined

/** One transaction as functions that only read use it. All of its queries see one state. */
export interface ReadTransaction
  extends Pick<Transaction, 'scope' | 'queries' | 'state' | 'lookUp' | 'blocks'> {
  readonly rows: ReadRows
  /** The transaction over the whole store. */
  readonly whole: ReadTransaction
}

/** One transaction as the rules about rows use it, with what it need not ask twice: nobody else changes it meanwhile. */
export class Transaction implements ReadTransaction {
  readonly rows: Rows
  /** Numbers of the entries that were logged, in their order. */
  readonly logged: number[] = []
  #state: State | undefined
  readonly #known = new Map<string, KnownBlock | undefined>()

  /** @param state the state of the database, where it is known already */
  constructor(rows: Rows, state?: State) {
    this.rows = rows
    this.#state = state
  }

  get scope(): string | undefined {
    return this.rows.scope
  }

  /** The questions that a database answers in statements of its own. */
  get queries(): Queries {
    return this.rows.queries
  }

  /** The same over the whole store, for what a block takes along wherever it is joined. */
  get whole(): Transaction {
    return this.scope === undefined ? this : new Transaction(this.rows.whole)
  }

  /** The state of the store, read once a transaction. */
  async state(): Promise<State> {
    this.#state ??= await this.rows.state()
    return this.#state
  }

  /** Notes the clock that an entry of the log set. */
  setClock(clock: ClockReading): void {
    if (this.#state !== undefined) this.#state = { ...this.#state, clock }
  }

  /** Notes that this many rows of blocks came or changed, all under one number. */
  setSequence(sequence: number): void {
    if (this.#state !== undefined) this.#state = { ...this.#state, sequence }
  }

  /** The number of a change that is written now. */
  async nextSequence(): Promise<number> {
    const sequence = (await this.state()).sequence + 1
    this.setSequence(sequence)
    return sequence
  }

  /** Finds the blocks with these ids, in one statement for those that are not known yet. */
  async lookUp(ids: Iterable<string>): Promise<LookUp> {
    const fresh = [...new Set(ids)].filter((id) => !this.#known.has(id))
    for (const id of fresh) this.#known.set(id, undefined)
    for (const block of await this.blocks(KNOWN, fresh)) this.#known.set(block.id, block)
    return (id) => this.#known.get(id)
  }

  /** Reads the blocks with these ids, in their order; each once. */
  blocks<R>(view: View<R>, ids: Iterable<string>): Promise<R[]> {
    return this.rows.get(view, keysOf(ids), 'unique')
  }

  /** Returns the stored rows with the unique properties of the given rows, or with their keys where a table has no others. */
  stored<C extends Columns>(table: Table<C>, like: readonly object[]): Promise<RowOf<Table<C>>[]> {
    const keys = like.map((row) => valuesIn(table.unique ?? table.key, row))
    return this.rows.get(table, keys, 'unique')
  }

  /** Inserts rows, or overwrites those of the stored rows `before` with the same unique properties, which keep their number. */
  async save<C extends Columns>(
    table: Table<C>,
    rows: readonly Partial<RowOf<Table<C>>>[],
    before: readonly RowOf<Table<C>>[],
  ): Promise<void> {
    const nameOf = (row: object) => valuesIn(table.unique ?? table.key, row).join('\n')
    const numbers = new Map(before.map((row) => [nameOf(row), valuesIn(table.key, row)[0]]))
    const { fresh = [], changed = [] } = Object.groupBy(rows, (row) =>
      numbers.has(nameOf(row)) ? 'changed' : 'fresh',
    )
    await this.rows.insert(table, fresh)
    const numbered = changed.map((row) => ({ ...row, [table.key[0] as string]: numbers.get(nameOf(row)) }))
    await this.rows.put(table, numbered as RowOf<Table<C>>[], before)
  }

  /** Removes rows that were read, their keys at least; returns them. */
  remove<C extends Columns>(
    table: Table<C>,
    read: readonly Partial<RowOf<Table<C>>>[],
  ): Promise<RowOf<Table<C>>[]> {
    return this.rows.remove(
      table,
      read.map((row) => keyIn(table, row)),
    )
  }

  /** Forgets what was known: blocks came back or went, and their numbers with them. */
  forget(): void {
    this.#known.clear()
    this.#state = undefined
  }

  /** Notes a block that was inserted. */
  noteBlock(block: KnownBlock): void {
    this.#known.set(block.id, block)
  }
}

/** The key of a row. */
export function keyIn({ key }: Table, row: object): Key {
  return valuesIn(key, row)
}

/** The values of some properties of a row. */
export function valuesIn(properties: readonly string[], row: object): Key {
  const values = row as Readonly<Record<string, string | number>>
  return properties.map((property) => values[property] as string | number)
}

/** Returns the keys of rows that have a key or unique property of a single value. */
export function keysOf(values: Iterable<string | number>): [string | number][] {
  return Array.from(values, (value) => [value])
}

/** The scope of what joins two blocks: the one that both have. */
export function sharedScope(one: KnownBlock | undefined, other: KnownBlock | undefined): { scope?: string } {
  return one?.scope !== undefined && one.scope === other?.scope ? { scope: one.scope } : {}
}

/** Returns the error of an id that is taken in another scope. Ids stand for a scope or are random: such one was made by hand. */
export function takenId(what: string, id: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `The id ${id} is of ${what} of another scope.`, {
    recovery: 'Give it another id.',
  })
}

/**
 * The life of one transaction on a connection: its handle works until the transaction is over, and after a failed statement no
 * other runs, because the database may have gone back already and would commit the next one on its own.
 */
export class TransactionLife<Connection> {
  #over = false
  #failure: unknown
  readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  /** The first failure of a statement, if any: the transaction must not be committed. */
  get failure(): unknown {
    return this.#failure
  }

  /** Runs one call of a transaction's handle; failures reject. */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#over) {
      throw new ElfmemError('CLOSED', 'The transaction is over.', {
        recovery: 'Await every call inside the function given to read or write.',
      })
    }
    if (this.#failure !== undefined) throw this.#failure
    try {
      const result = work()
      return result instanceof Promise ? await result : result
    } catch (error) {
      if (!(ElfmemError.is(error) && error.code === 'INVALID_INPUT')) this.#failure = error
      throw error
    }
  }

  /** Makes every later call of the handle reject with `CLOSED`. */
  end(): void {
    this.#over = true
  }
}

/**
 * The memory in a database (`Database` says what holds of reads and writes), or what one scope of it sees. Every method takes and
 * returns whole batches, issues a bounded number of statements whatever the batch's size, and keeps the order it documents. Unknown
 * ids are left out of answers, never an error. Embedding and model calls never happen inside `write`.
 */
export interface Store
  extends Pick<Database, 'location' | 'isLasting' | 'statements' | 'files' | 'version' | 'close'> {
  read<T>(work: (tx: ReadTransaction) => Promise<T>, options?: ReadOptions): Promise<T>
  write<T>(work: (tx: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>
  /**
   * Returns a view: a store with the blocks of one scope and what joins two of them, and the scope's entries of the log. What it
   * inserts belongs to the scope. The clock, `sequence`, `generation`, `meta` and the totals of vectors are the whole store's, and
   * closing a view closes the store. A view of another scope's is refused (`OUT_OF_SCOPE`).
   */
  within(scope: string): Store
  /**
   * Opens a store of its own with the memory of another time, which the caller closes; what is written there is lost. `knownSince`
   * is the time from which on the log keeps all that it was asked for, ISO-8601 UTC; absent when always, or when it was not asked.
   * Cost: all rows are read and written once, with `knownAt` also what the log keeps of later changes.
   */
  past(moment: PastMoment): Promise<{ readonly store: Store; readonly knownSince?: string }>
  /** Export and import of everything a memory holds, as records; absent in a view. */
  readonly records?: {
    /** Hands over all records of one state, in an order that the contents alone decide. */
    read<T>(work: (head: RecordHead, records: AsyncIterable<StoreRecord>) => Promise<T>): Promise<T>
    /** Takes records in, all or none (`takeRecords`). */
    take(head: RecordHead, records: AsyncIterable<StoreRecord>, steps: TakingSteps): Promise<TakenRecords>
  }
}

/** A time that a memory is looked back to, ISO-8601 UTC. */
export interface PastMoment {
  /** What was true then: blocks that held (`validity.ts`), those superseded since among them, and the edges between; any time if absent. */
  readonly asOf?: string | undefined
  /**
   * What was known then, as far as the log keeps it; before that, which blocks had come. What use moves is as now, and what was
   * erased is not known. Now if absent.
   */
  readonly knownAt?: string | undefined
}

/** One row of an export: the name of its table and its columns, JSON as data and bytes as base64. */
export interface StoreRecord {
  readonly kind: string
  readonly row: Readonly<Record<string, unknown>>
  /** Where it was read, for who has to correct it. */
  readonly line?: number
}

/** Numbers of records by kind, in the order in which they come. */
type RecordCounts = Readonly<Record<string, number>>

/** Head of an export: facts about the memory it is from. */
export interface RecordHead {
  /** Active hours of the memory. */
  readonly hours: number
  readonly embedding?: { readonly model: string; readonly dimensions: number }
  readonly counts: RecordCounts
}

/** Result of taking records in. */
export interface TakenRecords {
  /** True if the memory was empty and is now what was exported; else only what it lacked was added. */
  readonly whole: boolean
  readonly taken: RecordCounts
  readonly left: RecordCounts
  /** True if new blocks wait in the inbox: they come as new ones, or their vectors are of another model. */
  readonly asInbox: boolean
  /** Ids of blocks that were here and are a text of items that came. */
  readonly textsOfItems: readonly string[]
}

/** Options and steps of taking records in. */
export interface TakingSteps {
  /** True: only blocks are taken, and they wait in the inbox as new ones, whatever their state was. */
  readonly asNew: boolean
  /** Ends the memory in which the records wait; if it throws, nothing is taken. */
  readonly staged: (tx: Transaction) => Promise<void>
  /** Ends the transaction. */
  readonly done: (tx: Transaction, taken: TakenRecords) => Promise<void>
}
