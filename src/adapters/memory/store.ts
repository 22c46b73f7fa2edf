import { ElfmemError } from '../../errors.ts'
import type { Store, StoreReader, StoreWriter } from '../../ports/store.ts'
import { MemoryReader } from './reader.ts'
import { copyState, emptyState, type State } from './state.ts'
import { MemoryWriter } from './writer.ts'

/**
 * The naive twin of a store: plain maps, obviously right, gone when the process ends. A write works on a copy that
 * takes the place of the old state when it succeeds.
 */
export function createMemoryStore(): Store {
  return new MemoryStore()
}

class MemoryStore implements Store {
  readonly location = 'memory'
  #state: State = emptyState()
  #calls = 0
  #closed = false
  #lastWrite: Promise<unknown> = Promise.resolve()

  /** One for each call on a transaction. */
  get statements(): number {
    return this.#calls
  }

  async read<T>(work: (tx: StoreReader) => Promise<T>): Promise<T> {
    this.#assertOpen()
    const handle = this.#handle(this.#state)
    try {
      return await work(new MemoryReader(handle.access))
    } finally {
      handle.end()
    }
  }

  async write<T>(work: (tx: StoreWriter) => Promise<T>): Promise<T> {
    this.#assertOpen()
    const result = this.#lastWrite.then(() => this.#transact(work))
    this.#lastWrite = Promise.allSettled([result])
    return result
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#lastWrite
  }

  async #transact<T>(work: (tx: StoreWriter) => Promise<T>): Promise<T> {
    const state = copyState(this.#state)
    const handle = this.#handle(state)
    try {
      const result = await work(new MemoryWriter(handle.access))
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
