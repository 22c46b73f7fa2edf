import { AsyncLocalStorage } from 'node:async_hooks'
import { ElfmemError } from '../errors.ts'

/** A turn is the time of one task. */
export interface Turn<Reading> {
  isOver: boolean
  /** The transaction of a read. */
  reading?: Reading
}

/** Runs one task at a time, in the order of the calls; a failing task does not disturb the next. */
export class Turns<Reading> {
  readonly #location: string
  readonly #turns = new AsyncLocalStorage<Turn<Reading>>()
  #last: Promise<unknown> = Promise.resolve()
  #tasks = 0

  constructor(location: string) {
    this.#location = location
  }

  /** The turn of the task that calls this, as long as it is not over. */
  get own(): Turn<Reading> | undefined {
    const turn = this.#turns.getStore()
    return turn?.isOver === false ? turn : undefined
  }

  /** True if a task would begin at once. */
  get isFree(): boolean {
    return this.#tasks === 0
  }

  /** Rejects with `STORE_FAILED` within a task: it would wait for itself. */
  async run<T>(task: (turn: Turn<Reading>) => Promise<T>): Promise<T> {
    if (this.own !== undefined)
      throw new ElfmemError('STORE_FAILED', 'A transaction waits for the one that it is in.', {
        recovery: 'This is a fault of elfmem: report it with the call that was made.',
        details: { location: this.#location },
      })
    this.#tasks += 1
    const turn: Turn<Reading> = { isOver: false }
    const result = this.#last.then(() => this.#turns.run(turn, () => task(turn)))
    this.#last = Promise.allSettled([result]).then(() => {
      turn.isOver = true
      this.#tasks -= 1
    })
    return result
  }

  /** Runs a task at once, beside all others. */
  async beside<T>(task: (turn: Turn<Reading>) => Promise<T>): Promise<T> {
    const turn: Turn<Reading> = { isOver: false }
    try {
      return await this.#turns.run(turn, () => task(turn))
    } finally {
      turn.isOver = true
    }
  }
}

/** Returns the error of every call on a closed store. */
export function closedFailure(location: string): ElfmemError {
  return new ElfmemError('CLOSED', 'The memory is closed.', {
    recovery: 'Open it again.',
    details: { location },
  })
}
