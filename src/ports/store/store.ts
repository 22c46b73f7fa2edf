import type { StoreFiles } from './maintenance.ts'
import type { StoreReader, StoreWriter } from './transaction.ts'

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
  /** The file's path, or a name for people. */
  readonly location: string
  read<T>(work: (tx: StoreReader) => Promise<T>, options?: ReadOptions): Promise<T>
  write<T>(work: (tx: StoreWriter) => Promise<T>, options?: WriteOptions): Promise<T>
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
   * Another number after each commit, by whatever process, than before it. It is asked again and again, so it reads no row: some
   * 20 µs, and no statement. Of a view that of the whole store.
   */
  version(): Promise<number>
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

/** Hints for one read; each may be left out. */
export interface ReadOptions {
  /** True: goes on with what the same call read just before, so that the file need not be looked for once more. */
  readonly again?: boolean
  /** True: a few quick statements, for which a write that comes meanwhile may wait. */
  readonly brief?: boolean
}

/** The promises of one write; each may be left out. */
export interface WriteOptions {
  /**
   * False: the write is whole and survives the process, but a power failure may undo it until the next durable write
   * commits. For what can be done again (a promotion) or missed (having been recalled). True unless said.
   */
  readonly durable?: boolean
  /** False: a lock of another process is not waited for (`STORE_BUSY`). For what can be done at another time. True unless said. */
  readonly waits?: boolean
  /** True: what the write changes is kept with what it logs, for `revert`. False unless said. */
  readonly undoable?: boolean
  /** Called inside the transaction if something is kept of an undoable write, with the number that `revert` takes. */
  readonly onKept?: (operationId: number) => void
}
