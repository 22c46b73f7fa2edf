/** Lexical share from which words alone suggest the greatest cosine: a rare word or two of the question. */
const FULL_SHARE = 0.3

/** The blocks of an index that have not become active yet, oldest first: the words of each, and who lacks a vector. */
export class WaitingBlocks {
  /** Undefined where they came from a packed copy. */
  readonly #words = new Map<string, string | undefined>()
  readonly #lacking = new Set<string>()

  get size(): number {
    return this.#words.size
  }

  /** How many have no vector. */
  get lacking(): number {
    return this.#lacking.size
  }

  /** Ids of those without a vector, newest first. */
  newestLacking(most: number): string[] {
    return [...this.#lacking].slice(-Math.max(1, most)).reverse()
  }

  /**
   * Gives blocks without a vector a cosine that their words suggest, as a share of the greatest there is: of those that
   * have one none is to come first for that alone. One pass over the cosines when any lacks one.
   *
   * @param cosines of all slots with a question, changed in place
   */
  estimate(
    cosines: Float32Array,
    shares: { of(slot: number): number },
    slotOf: (id: string) => number | undefined,
  ): void {
    if (this.#lacking.size === 0) return
    const greatest = cosines.reduce((most, each) => Math.max(most, each), 0)
    for (const id of this.#lacking) {
      const slot = slotOf(id)
      if (slot === undefined) continue
      const suggested = greatest * Math.min(1, shares.of(slot) / FULL_SHARE)
      cosines[slot] = Math.max(cosines[slot] as number, suggested)
    }
  }

  /** True if the words of a block that waits, or waited until now, are these already. */
  hasWords(id: string, words: string | undefined): boolean {
    return words !== undefined && this.#words.get(id) === words
  }

  set(id: string, { words, hasVector }: { readonly words?: string; readonly hasVector: boolean }): void {
    this.#words.set(id, words)
    if (hasVector) this.#lacking.delete(id)
    else this.#lacking.add(id)
  }

  delete(id: string): void {
    this.#words.delete(id)
    this.#lacking.delete(id)
  }

  clear(): void {
    this.#words.clear()
    this.#lacking.clear()
  }
}
