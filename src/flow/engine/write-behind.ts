/** A write that an answer did not wait for. */
type Write = () => Promise<unknown>

/**
 * Writes that come after the answer they belong to, in the order of the answers. They begin when everybody else had a turn,
 * or as soon as somebody waits for them: the next call of the process does, and so does closing. Until then the process
 * lives on. What fails is lost, and reported.
 */
export class WriteBehind {
  readonly #failed: (error: unknown) => string
  #waiting: Write[] = []
  #running: Promise<void> = Promise.resolve()
  #turn: ReturnType<typeof setImmediate> | undefined
  #trouble: string | undefined

  /** @param failed tells whoever watches, and says what happened in words */
  constructor(failed: (error: unknown) => string) {
    this.#failed = failed
  }

  /** Why the last write failed; undefined after one that did not. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  /** Puts a write behind those that wait and returns at once; it begins in a later turn. */
  add(write: Write): void {
    this.#waiting.push(write)
    this.#turn ??= setImmediate(() => void this.done())
  }

  /** Resolves when all writes so far are over, however they ended. Nothing to do, as a rule. */
  done(): Promise<void> {
    if (this.#waiting.length > 0) {
      clearImmediate(this.#turn)
      this.#turn = undefined
      const writes = this.#waiting
      this.#waiting = []
      this.#running = this.#running.then(() => this.#all(writes))
    }
    return this.#running
  }

  async #all(writes: readonly Write[]): Promise<void> {
    for (const write of writes)
      try {
        await write()
        this.#trouble = undefined
      } catch (error) {
        this.#trouble = this.#failed(error)
      }
  }
}
