import { ElfmemError } from '../../errors.ts'

/** The calls of one holder: how many run, and those that wait, the oldest first. */
interface Line {
  running: number
  readonly waiting: (() => void)[]
}

/**
 * Lets a few calls of each holder run at once; its other calls wait in their order. All holders share one thread, so that a holder who
 * sends many calls at once delays others by the few that run, not by all that it sent.
 */
export class HolderTurns {
  readonly #running: number
  readonly #waiting: number
  readonly #lines = new Map<unknown, Line>()

  /**
   * @param running the most calls of a holder that run at once
   * @param waiting the most calls of a holder that wait; one more is refused
   */
  constructor(running: number, waiting: number) {
    this.#running = running
    this.#waiting = waiting
  }

  /** The number of calls that wait. */
  get waiting(): number {
    let sum = 0
    for (const { waiting } of this.#lines.values()) sum += waiting.length
    return sum
  }

  /** Runs a call of a holder in its turn. Throws `RATE_LIMITED` if too many of its calls wait. */
  async run<T>(holder: unknown, call: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(holder) ?? { running: 0, waiting: [] }
    this.#lines.set(holder, line)
    if (line.running < this.#running) line.running += 1
    else await this.#turnIn(line)
    try {
      return await call()
    } finally {
      this.#end(holder, line)
    }
  }

  #turnIn(line: Line): Promise<void> {
    if (line.waiting.length >= this.#waiting)
      throw new ElfmemError('RATE_LIMITED', `${this.#waiting} calls of this token wait already.`, {
        recovery: 'Wait for the answers, then send the next call.',
        details: { retryAfterSeconds: 1 },
      })
    return new Promise((resolve) => line.waiting.push(resolve))
  }

  /** Hands the place of a call that ended to the next one, once what others have sent meanwhile was taken in. */
  #end(holder: unknown, line: Line): void {
    const next = line.waiting.shift()
    if (next !== undefined) {
      setImmediate(next)
      return
    }
    line.running -= 1
    if (line.running === 0) this.#lines.delete(holder)
  }
}
