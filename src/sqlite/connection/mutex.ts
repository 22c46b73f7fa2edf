/** Runs one task at a time, in the order of the calls; a failing task does not disturb the next. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task)
    this.#last = Promise.allSettled([result])
    return result
  }
}
