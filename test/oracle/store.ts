import { ElfmemError } from '../../src/errors.ts'
import type { ReadOptions, Store, WriteOptions } from '../../src/ports/store/store.ts'
import type { StoreReader, StoreWriter } from '../../src/ports/store/transaction.ts'
import { MemoryReader } from './reader.ts'
import { ScopedReader, ScopedWriter } from './scoped.ts'
import { copyState, emptyState, type State } from './state.ts'
import { keepChanges } from './undo.ts'
import { type ScopableStore, viewOf } from './view.ts'
import { MemoryWriter } from './writer.ts'

/**
 * The naive twin of a store: plain maps, obviously right, gone when the process ends. A write works on a copy that
 * takes the place of the old state when it succeeds.
 *
 * @param location what the store is called
 */
export function createMemoryStore(location = 'memory'): Store {
  return new MemoryStore(location)
}

class MemoryStore implements Store, ScopableStore {
  readonly location: string
  #state: State = emptyState()
  #calls = 0
  #closed = false
  #lastWrite: Promise<unknown> = Promise.resolve()

  constructor(location: string) {
    this.location = location
  }

  /** One for each call on a transaction. */
  get statements(): number {
    return this.#calls
  }

  within(scope: string): Store {
    return viewOf(this, scope)
  }

  async read<T>(work: (tx: StoreReader) => Promise<T>, _options?: ReadOptions, scope?: string): Promise<T> {
    this.#assertOpen()
    const handle = this.#handle(this.#state)
    try {
      const { access } = handle
      return await work(scope === undefined ? new MemoryReader(access) : new ScopedReader(access, scope))
    } finally {
      handle.end()
    }
  }

  async write<T>(work: (tx: StoreWriter) => Promise<T>, options?: WriteOptions, scope?: string): Promise<T> {
    this.#assertOpen()
    const undoable = options?.undoable === true
    const result = this.#lastWrite.then(() => this.#transact(work, { scope, undoable }))
    this.#lastWrite = Promise.allSettled([result])
    return result
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#lastWrite
  }

  async #transact<T>(
    work: (tx: StoreWriter) => Promise<T>,
    { scope, undoable }: { readonly scope: string | undefined; readonly undoable: boolean },
  ): Promise<T> {
    const state = copyState(this.#state)
    const handle = this.#handle(state)
    try {
      const { access } = handle
      const result = await work(
        scope === undefined ? new MemoryWriter(access) : new ScopedWriter(access, scope),
      )
      if (undoable) keepChanges(this.#state, state)
      this.#state = state
      return result
    } finally {
      handle.end()
    }
  }

  #handle(state: State): { access: () => State; end: () => void } {
    let over = false
    const access = (): State => {
      if (over) {
        throw new ElfmemError('CLOSED', 'The transaction is over.', {
          recovery: 'Await every call inside the function given to read or write.',
        })
      }
      this.#calls += 1
      return state
    }
    const end = (): void => {
      over = true
    }
    return { access, end }
  }

  #assertOpen(): void {
    if (this.#closed) {
      throw new ElfmemError('CLOSED', 'The memory is closed.', { recovery: 'Open it again.' })
    }
  }
}
