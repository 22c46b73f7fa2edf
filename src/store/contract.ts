import type { TakingSteps } from './import.ts'
import type { RecordHead, StoreFiles, StoreRecord, TakenRecords } from './maintenance.ts'
import type { ReadOptions, WriteOptions } from './rows.ts'
import type { ReadTransaction, Transaction } from './transaction.ts'

export type { WriteOptions } from './rows.ts'

/**
 * Where the memory lies: one SQLite file today, PostgreSQL one day.
 *
 * What must hold:
 * - `write` runs one transaction at a time across all processes, commits durably before it resolves, and leaves
 *   nothing behind when `work` throws. A busy store is waited for; a caller never sees a lock error before the
 *   configured wait is over (then `STORE_BUSY`).
 * - `read` sees one consistent state and never the inside of an open write. A read within the work of another is part of it;
 *   any other call that would wait for the one it is made in throws `STORE_FAILED`.
 * - Every method takes and returns whole batches, issues a bounded number of statements whatever the batch's size,
 *   and keeps the order it documents. Unknown ids are left out of answers, never an error.
 * - Embedding and model calls never happen inside `write`.
 */
export interface Store {
  /** A path or a name, for people. */
  readonly location: string
  /** False: the memory ends when the store is closed. */
  readonly isLasting: boolean
  read<T>(work: (tx: ReadTransaction) => Promise<T>, options?: ReadOptions): Promise<T>
  write<T>(work: (tx: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>
  /**
   * Returns a view: a store with the blocks of one scope and what joins two of them, and the scope's entries of the log. What it
   * inserts belongs to the scope. The clock, `sequence`, `generation`, `meta` and the totals of vectors are the whole store's, and
   * closing a view closes the store. A view of another scope's is refused (`OUT_OF_SCOPE`).
   */
  within(scope: string): Store
  /**
   * Opens a store of its own with the memory of another time, which the caller closes; what is written there is lost.
   *
   * - `asOf`: what was true then: blocks that held (`validity.ts`), also those that were superseded since, and the edges between.
   * - `knownAt`: what was known then, as far as the log keeps it (`knownSince`); before that, which blocks had come. What use moves
   *   is as now, and what was erased is not known.
   *
   * Cost: all rows are read and written once, with `knownAt` also what the log keeps of later changes.
   */
  past(moment: PastMoment): Promise<Past>
  /** Returns a number that is another one after each commit of any process; at most one statement. */
  version(): Promise<number>
  /** Export and import of everything a memory holds, as records; absent in a view. */
  readonly records?: {
    /** Hands over all records of one state, in an order that the contents alone decide. */
    read<T>(work: (head: RecordHead, records: AsyncIterable<StoreRecord>) => Promise<T>): Promise<T>
    /** Takes records in, all or none (`takeRecords`). */
    take(head: RecordHead, records: AsyncIterable<StoreRecord>, steps: TakingSteps): Promise<TakenRecords>
  }
  /** Maintenance of the file as a whole; absent in a view, and where there is no file. */
  readonly files?: StoreFiles
  /** Number of statements issued so far, without transaction control; for tests of "no N+1". */
  readonly statements: number
  close(): Promise<void>
}

/** A time that a memory is looked back to. */
export interface PastMoment {
  /** The time at which something was true; any time when left out. ISO-8601 UTC. */
  readonly asOf?: string | undefined
  /** The time at which something was known; now when left out. ISO-8601 UTC. */
  readonly knownAt?: string | undefined
}

/** A memory of another time. */
interface Past {
  readonly store: Store
  /** From when on the log keeps all that it was asked for, ISO-8601 UTC; absent when always, or when it was not asked. */
  readonly knownSince?: string
}
