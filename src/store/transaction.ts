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

/** A known block has the facts about a block that never change. */
export interface KnownBlock {
  readonly id: string
  readonly arrival: number
  readonly scope?: string
}

/** A look-up finds a block by its id among the blocks that a transaction may see. */
export type LookUp = (id: string) => KnownBlock | undefined

/** Functions that only read use a transaction in this form. All of its queries see one state. */
export interface ReadTransaction
  extends Pick<Transaction, 'scope' | 'queries' | 'state' | 'lookUp' | 'blocks'> {
  readonly rows: ReadRows
  /** The transaction over the whole store. */
  readonly whole: ReadTransaction
}

/** A transaction serves the rules about rows, and remembers what it has read: nobody else changes that meanwhile. */
export class Transaction implements ReadTransaction {
  readonly rows: Rows
  /** Numbers of the entries that were logged in this transaction, in their order. */
  readonly logged: number[] = []
  #state: State | undefined
  #looking: Promise<unknown> = Promise.resolve()
  readonly #known = new Map<string, KnownBlock | undefined>()

  /** @param state the state of the database, if it is known already */
  constructor(rows: Rows, state?: State) {
    this.rows = rows
    this.#state = state
  }

  get scope(): string | undefined {
    return this.rows.scope
  }

  /** The queries that a database answers in statements of its own. */
  get queries(): Queries {
    return this.rows.queries
  }

  /** Returns this transaction over the whole store, for rows that follow a block in any scope. */
  get whole(): Transaction {
    return this.scope === undefined ? this : new Transaction(this.rows.whole)
  }

  /** Returns the state of the store, which is read once in a transaction. */
  async state(): Promise<State> {
    this.#state ??= await this.rows.state()
    return this.#state
  }

  /** Notes the clock that an entry of the log set. */
  setClock(clock: ClockReading): void {
    if (this.#state !== undefined) this.#state = { ...this.#state, clock }
  }

  /** Notes the number of the newest change of blocks. */
  setSequence(sequence: number): void {
    if (this.#state !== undefined) this.#state = { ...this.#state, sequence }
  }

  /** Returns the number of the next change, and notes it. */
  async nextSequence(): Promise<number> {
    const sequence = (await this.state()).sequence + 1
    this.setSequence(sequence)
    return sequence
  }

  /** Finds blocks by their ids, in one statement for the ids that are not known yet. */
  async lookUp(ids: Iterable<string>): Promise<LookUp> {
    const fresh = [...new Set(ids)].filter((id) => !this.#known.has(id))
    for (const id of fresh) this.#known.set(id, undefined)
    const found = this.blocks(KNOWN, fresh).then((blocks) => {
      for (const block of blocks) this.#known.set(block.id, block)
    })
    // Another look-up may have asked for some of the ids a moment before.
    this.#looking = Promise.all([this.#looking, found])
    await this.#looking
    return (id) => this.#known.get(id)
  }

  /** Reads blocks by their ids, in the order of the ids; each once. */
  blocks<R>(view: View<R>, ids: Iterable<string>): Promise<R[]> {
    return this.rows.get(view, keysOf(ids), 'unique')
  }

  /** Returns the stored rows with the unique properties of the given rows, or with their keys in a table without unique properties. */
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

  /** Removes rows, of which at least the keys were read; returns the removed rows. */
  remove<C extends Columns>(
    table: Table<C>,
    read: readonly Partial<RowOf<Table<C>>>[],
  ): Promise<RowOf<Table<C>>[]> {
    return this.rows.remove(
      table,
      read.map((row) => keyIn(table, row)),
    )
  }

  /** Forgets known blocks and the state, because blocks came back or went, and their numbers with them. */
  forget(): void {
    this.#known.clear()
    this.#state = undefined
  }

  /** Notes a block that was inserted. */
  noteBlock(block: KnownBlock): void {
    this.#known.set(block.id, block)
  }
}

/** Leaves a last change, of one statement, to the end of its transaction, which waits for it and fails with it. */
export function atLast(change: Promise<unknown>): void {
  change.catch(() => undefined)
}

/** Returns the key of a row. */
export function keyIn({ key }: Table, row: object): Key {
  return valuesIn(key, row)
}

/** Returns the values of some properties of a row. */
export function valuesIn(properties: readonly string[], row: object): Key {
  const values = row as Readonly<Record<string, string | number>>
  return properties.map((property) => values[property] as string | number)
}

/** Returns the keys of rows that have a key or unique property of a single value. */
export function keysOf(values: Iterable<string | number>): [string | number][] {
  return Array.from(values, (value) => [value])
}

/** Returns the scope of a row that joins two blocks: the scope that both blocks have, if any. */
export function sharedScope(one: KnownBlock | undefined, other: KnownBlock | undefined): { scope?: string } {
  return one?.scope !== undefined && one.scope === other?.scope ? { scope: one.scope } : {}
}

/** Returns the error for an id that is taken in another scope. Ids stand for a scope or are random, so such an id was made by hand. */
export function takenId(what: string, id: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `The id ${id} is of ${what} of another scope.`, {
    recovery: 'Give it another id.',
  })
}

/**
 * This class follows one transaction on a connection. Its handle works until the transaction is over. After a failed statement no
 * other runs, because the database may have rolled back already and would commit the next statement on its own.
 */
export class TransactionLife<Connection> {
  #over = false
  #failure: unknown
  readonly #open = new Set<Promise<unknown>>()
  readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  /** The first failure of a statement, if any; a transaction with a failure must not be committed. */
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
    const running = this.#noting(work)
    this.#open.add(running)
    try {
      return await running
    } finally {
      this.#open.delete(running)
    }
  }

  /** Notes the failure of a call before it rejects, so that whoever waits for the call in `end` finds it. */
  async #noting<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(ElfmemError.is(error) && error.code === 'INVALID_INPUT')) this.#failure = error
      throw error
    }
  }

  /** Makes every later call of the handle reject with `CLOSED`; waits for the calls that were made before. */
  async end(): Promise<void> {
    this.#over = true
    if (this.#open.size > 0) await Promise.allSettled(this.#open)
  }
}

/**
 * A store is the memory in a database (`Database` describes reads and writes), or the part that one scope sees. Every method takes and
 * returns whole batches, issues a bounded number of statements for any size of a batch, and keeps the order it documents. Unknown
 * ids are left out of answers, never an error. Embedding and model calls never happen inside `write`.
 */
export interface Store
  extends Pick<Database, 'location' | 'isLasting' | 'statements' | 'files' | 'version' | 'close'> {
  read<T>(work: (tx: ReadTransaction) => Promise<T>, options?: ReadOptions): Promise<T>
  write<T>(work: (tx: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>
  /**
   * Returns a view: a store with the blocks of one scope, the rows that join two of them, and the scope's entries of the log. New rows
   * belong to the scope. The clock, `sequence`, `generation`, `meta` and the totals of vectors are the whole store's, and closing a view
   * closes the store. A view refuses another scope than its own (`OUT_OF_SCOPE`).
   */
  within(scope: string): Store
  /**
   * Opens a store of its own with the memory as it was or would be, which the caller closes; writes to it are lost. `knownSince` is the time
   * from which the log keeps all that `knownAt` needs, ISO-8601 UTC; absent if that is always, or without `knownAt`. Cost: all rows are
   * read and written once, with `knownAt` also the kept later changes.
   */
  past(moment: PastMoment): Promise<{ readonly store: Store; readonly knownSince?: string }>
  /** Export and import of everything a memory holds, as records; absent in a view. */
  readonly records?: {
    /** Passes all records of one state to `work`, in an order that the contents alone decide. */
    read<T>(work: (head: RecordHead, records: AsyncIterable<StoreRecord>) => Promise<T>): Promise<T>
    /** Takes in all records or none (`takeRecords`). */
    take(head: RecordHead, records: AsyncIterable<StoreRecord>, steps: TakingSteps): Promise<TakenRecords>
  }
}

/** A past moment says how a memory is looked at: at times, ISO-8601 UTC, or as if some blocks had never been said. */
export interface PastMoment {
  /** The time of truth: blocks that held then (`validity.ts`), even if superseded since, and the edges between; any time if absent. */
  readonly asOf?: string | undefined
  /**
   * The time of knowledge: blocks as the log keeps them for that time, and further back only which blocks had come. Counts of use are
   * those of now, and erased words are not known. Now if absent.
   */
  readonly knownAt?: string | undefined
  /** Ids of blocks that count as never said: the blocks that they replaced stand as they stood before. */
  readonly instead?: readonly string[] | undefined
}

/** A store record is one row of an export: the name of its table and its columns, JSON as data and bytes as base64. */
export interface StoreRecord {
  readonly kind: string
  readonly row: Readonly<Record<string, unknown>>
  /** The line where the record was read, for messages about errors in it. */
  readonly line?: number
}

/** Numbers of records by kind, in the order of the kinds in the export. */
type RecordCounts = Readonly<Record<string, number>>

/** A record head is the head of an export: facts about the exported memory. */
export interface RecordHead {
  /** Active hours of the memory. */
  readonly hours: number
  readonly embedding?: { readonly model: string; readonly dimensions: number }
  readonly counts: RecordCounts
}

/** Taken records are the result of taking records in. */
export interface TakenRecords {
  /** True if the memory was empty and is now equal to the exported one; else only missing records were added. */
  readonly whole: boolean
  readonly taken: RecordCounts
  readonly left: RecordCounts
  /** True if new blocks wait in the inbox, because they come as new ones or their vectors are of another model. */
  readonly asInbox: boolean
  /** Ids of blocks that were here before and are now a text of new items. */
  readonly textsOfItems: readonly string[]
}

/** Taking steps are options and callbacks of taking records in. */
export interface TakingSteps {
  /** True: only blocks are taken, and they wait in the inbox as new ones, whatever their status was. */
  readonly asNew: boolean
  /** Runs last in the temporary memory in which the records wait; if it throws, nothing is taken. */
  readonly staged: (tx: Transaction) => Promise<void>
  /** Runs last in the transaction that takes the records. */
  readonly done: (tx: Transaction, taken: TakenRecords) => Promise<void>
}
