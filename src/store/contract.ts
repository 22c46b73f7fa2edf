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
   * The same store as far as one scope goes: a view that behaves like a store with only that scope's blocks, whatever
   * is passed to it. What it inserts belongs to the scope; ids of other blocks are unknown to it; edges, pairs and all
   * that joins two blocks exist for it when both are the scope's; of the log it has the entries of its scope. Only the
   * clock, `sequence`, `generation`, `meta` and the totals of the sets of vectors are the whole store's. Closing a view closes the store. Of a view another scope's view
   * cannot be made (`OUT_OF_SCOPE`).
   */
  within(scope: string): Store
  /**
   * A store of its own with the memory of another time, for whoever asks to close; what is written there is lost.
   *
   * - `asOf`: what was true then: blocks that held (`validity.ts`), those that were superseded since among them as if they were
   *   not, with their words and vectors, and the edges that held between them.
   * - `knownAt`: what was known then: which blocks stood, their words, status and validity, beliefs from reports, and the edges
   *   that agents, outcomes and dreams made, as far as the log keeps how they were (`knownSince`); beyond that as far as
   *   the rows' own dates tell. What use alone moves is as now. What was erased is not known.
   *
   * Cost: all rows are read and written once, with `knownAt` also what the log keeps of later changes.
   */
  past(moment: PastMoment): Promise<Past>
  /**
   * Returns another number after each commit, by any process, than before it; of a view that of the whole store. It is asked again
   * and again, so it is cheap: at most one statement.
   */
  version(): Promise<number>
  /** Everything a memory holds, as records; absent in a view. */
  readonly records?: StoreRecords
  /** Maintenance of the file as a whole; absent in a view, and where there is no file. */
  readonly files?: StoreFiles
  /** Number of statements issued so far, without transaction control; for tests of "no N+1". */
  readonly statements: number
  close(): Promise<void>
}

/** Export and import of a whole memory. */
export interface StoreRecords {
  /** Hands over everything the memory holds, of one state and in an order that the contents alone decide. */
  read<T>(work: (head: RecordHead, records: AsyncIterable<StoreRecord>) => Promise<T>): Promise<T>
  /** Takes records in, all or none (`takeRecords`). */
  take(head: RecordHead, records: AsyncIterable<StoreRecord>, steps: TakingSteps): Promise<TakenRecords>
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
