import { mustBeSameScope } from '../../src/domain/block/scope.ts'
import type { ReadOptions, Store, WriteOptions } from '../../src/ports/store/store.ts'
import type { StoreReader, StoreWriter } from '../../src/ports/store/transaction.ts'

/** A store whose transactions may be bound to a scope, which is all that a view of one needs. */
export interface ScopableStore {
  readonly location: string
  readonly statements: number
  /** @param scope what the transaction sees; the whole store when left out */
  read<T>(work: (tx: StoreReader) => Promise<T>, options?: ReadOptions, scope?: string): Promise<T>
  write<T>(work: (tx: StoreWriter) => Promise<T>, options?: WriteOptions, scope?: string): Promise<T>
  close(): Promise<void>
}

/** One scope of a store: its transactions see nothing else, and no other view can be had from it. */
export function viewOf(whole: ScopableStore, scope: string): Store {
  const view: Store = {
    location: whole.location,
    get statements() {
      return whole.statements
    },
    within: (asked) => {
      mustBeSameScope(scope, asked)
      return view
    },
    read: (work) => whole.read(work, undefined, scope),
    write: (work, options) => whole.write(work, options, scope),
    close: () => whole.close(),
  }
  return view
}
