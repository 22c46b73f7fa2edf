/** Keeps the `size` values that were used last. */
export class LruCache<T> {
  readonly #size: number
  /** Oldest first. */
  readonly #values = new Map<string, T>()

  constructor(size: number) {
    this.#size = size
  }

  get(key: string): T | undefined {
    const value = this.#values.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: string, value: T): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size <= this.#size) return
    const oldest = this.#values.keys().next()
    if (!oldest.done) this.#values.delete(oldest.value)
  }
}
