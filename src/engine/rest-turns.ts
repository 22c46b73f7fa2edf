/** Rest turns let at most some work of many memories run at a time, in the order in which it came. */
export class RestTurns {
  #free: number
  readonly #waiting = new Set<(isMine: boolean) => void>()

  /** @param most the number of works that run at a time */
  constructor(most: number) {
    this.#free = most
  }

  /** The number of works that wait for their turn. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Runs work when its turn comes; work whose signal is aborted before that never runs. */
  async take(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    if (this.#free > 0) this.#free -= 1
    else if (!(await this.#turn(signal))) return
    try {
      await work()
    } finally {
      const [next] = this.#waiting
      if (next === undefined) this.#free += 1
      else next(true)
    }
  }

  #turn(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const end = (isMine: boolean) => {
        this.#waiting.delete(end)
        signal.removeEventListener('abort', leave)
        resolve(isMine)
      }
      const leave = () => end(false)
      this.#waiting.add(end)
      signal.addEventListener('abort', leave, { once: true })
    })
  }
}
