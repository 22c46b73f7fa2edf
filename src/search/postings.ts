/** Where a term occurs: parallel lists of slots and counts. */
export interface PostingList {
  readonly slots: readonly number[]
  readonly counts: readonly number[]
}

const NOWHERE: PostingList = { slots: [], counts: [] }

interface MutableList {
  slots: number[]
  counts: number[]
}

/**
 * An inverted index of whole texts: term → slots with counts. Removing a text costs one search in each of its
 * terms' lists, so terms are kept a slot.
 */
export class Postings {
  readonly #lists = new Map<string, MutableList>()
  readonly #terms: (string | undefined)[] = []
  readonly #lengths: number[] = []

  /** The space-separated terms of a slot, as given. */
  termsOf(slot: number): string | undefined {
    return this.#terms[slot]
  }

  /** Number of terms at the slot, repeats counted. */
  lengthOf(slot: number): number {
    return this.#lengths[slot] ?? 0
  }

  list(term: string): PostingList {
    return this.#lists.get(term) ?? NOWHERE
  }

  set(slot: number, terms: string): void {
    if (this.#terms[slot] === terms) return
    this.remove(slot)
    const words = terms === '' ? [] : terms.split(' ')
    this.#terms[slot] = terms
    this.#lengths[slot] = words.length
    for (const word of words) this.#count(word, slot)
  }

  remove(slot: number): void {
    const terms = this.#terms[slot]
    if (terms === undefined) return
    this.#terms[slot] = undefined
    this.#lengths[slot] = 0
    for (const word of new Set(terms.split(' '))) this.#drop(word, slot)
  }

  // Texts come one at a time, so a repeated word finds its slot at the end of the list.
  #count(word: string, slot: number): void {
    const list = this.#lists.get(word)
    if (!list) {
      this.#lists.set(word, { slots: [slot], counts: [1] })
      return
    }
    const last = list.slots.length - 1
    if (list.slots[last] === slot) list.counts[last] = (list.counts[last] as number) + 1
    else {
      list.slots.push(slot)
      list.counts.push(1)
    }
  }

  #drop(word: string, slot: number): void {
    const list = this.#lists.get(word)
    const at = list ? list.slots.indexOf(slot) : -1
    if (!list || at === -1) return
    list.slots.splice(at, 1)
    list.counts.splice(at, 1)
    if (list.slots.length === 0) this.#lists.delete(word)
  }
}
