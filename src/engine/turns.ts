import { ElfmemError } from '../errors.ts'

/** Turns let at most some works run at a time; the others wait in the order in which they came. */
export class Turns {
  #free: number
  readonly #most: number
  readonly #waiting = new Set<() => void>()

  /**
   * @param running the number of works that run at a time
   * @param waiting the number of works that wait; one more is refused
   */
  constructor(running: number, waiting = Number.POSITIVE_INFINITY) {
    this.#free = running
    this.#most = waiting
  }

  /** The number of works that wait for their turn. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Runs work when its turn comes. Rejects with `CANCELLED` if its signal is aborted before that, with `RATE_LIMITED` if too many wait. */
  async take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#turn(signal)
    try {
      return await work()
    } finally {
      this.#handOn()
    }
  }

  /** Hands a place to the work that waits longest, once what others sent meanwhile was taken in. */
  #handOn(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free += 1
      return
    }
    this.#waiting.delete(next)
    setImmediate(next)
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.#most)
      throw new ElfmemError('RATE_LIMITED', `${this.#most} calls of this token wait already.`, {
        recovery: 'Wait for the answers, then send the next call.',
        details: { retryAfterSeconds: 1 },
      })
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        // A work whose turn has come keeps its place.
        if (!this.#waiting.delete(begin)) return
        reject(new ElfmemError('CANCELLED', 'The call was left before its turn.', { recovery: 'Ask again.' }))
      }
      this.#waiting.add(begin)
      signal?.addEventListener('abort', leave, { once: true })
      if (signal?.aborted) leave()
    })
  }
}
