import type { EdgeNote } from '../../ports/store/transaction.ts'
import { type PostingList, Postings } from './postings.ts'

/** How much a word of a note counts to one of the block itself: an edge says less of a block than the block does. */
export const NOTE_WEIGHT = 0.5

/** How notes become words of slots. */
interface Reading {
  readonly slotOf: (id: string) => number | undefined
  readonly termsOf: (text: string) => readonly string[]
}

/** The words that edges say of their blocks: an inverted index beside that of the texts, which they make no longer. */
export class EdgeNotes {
  readonly #words = new Postings()
  readonly #noted = new Map<number, string>()

  /** Takes in notes in the place of those before. Cost: a look for each end, and the words of what changed. */
  take(notes: readonly EdgeNote[], { slotOf, termsOf }: Reading): void {
    const bySlot = new Map<number, string>()
    for (const { from, to, note } of notes)
      for (const id of [from, to]) {
        const slot = slotOf(id)
        if (slot === undefined) continue
        const before = bySlot.get(slot)
        bySlot.set(slot, before === undefined ? note : `${before}\n${note}`)
      }
    for (const slot of this.#noted.keys()) if (!bySlot.has(slot)) this.remove(slot)
    for (const [slot, text] of bySlot) {
      if (this.#noted.get(slot) === text) continue
      this.#noted.set(slot, text)
      // Each line is read in its own language. However often notes say a word, it stands once: they have no length that would set many against it.
      this.#words.set(slot, [...new Set(text.split('\n').flatMap(termsOf))])
    }
  }

  /** Forgets what is said of a slot. */
  remove(slot: number): void {
    if (this.#noted.delete(slot)) this.#words.remove(slot)
  }

  /** True if what is said of a slot has one of the terms. Cost: their postings. */
  says(slot: number, terms: readonly string[]): boolean {
    return this.#noted.has(slot) && terms.some((term) => this.#words.has(term, slot))
  }

  /** The slots that notes say a term of; empty if there are none. */
  find(term: string): PostingList {
    return this.#words.find(term)
  }
}
