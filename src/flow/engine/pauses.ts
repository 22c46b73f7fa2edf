/** Signs looked at between two pauses: some 15 ms, for text as people write it. */
export const WORK_BETWEEN = 200_000
/** Milliseconds between two pauses, whatever the text. */
const LONGEST_MS = 20

/** Lets everybody else have their turn now and then, while one call has much to look through. */
export class Pauses {
  #work = 0
  #since = performance.now()

  /** @param work signs looked at since the call before */
  async after(work: number): Promise<void> {
    this.#work += work
    if (this.#work < WORK_BETWEEN && performance.now() - this.#since < LONGEST_MS) return
    this.#work = 0
    await nextTurn()
    this.#since = performance.now()
  }
}

/** Yields to the event loop, so that calls that came in meanwhile are answered first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
