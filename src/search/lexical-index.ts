import { lexicalShare } from '../domain/fusion.ts'
import { Postings } from './postings.ts'
import { REACH_AHEAD, REACH_BACK, type SessionChains } from './session-chains.ts'

export interface LexicalOptions {
  /** BM25's saturation and length normalisation. */
  readonly k1: number
  readonly b: number
  /** Share of the reachable score that already counts as full. */
  readonly norm: number
  /** Exponent of a share that rests on one word of three or more; above 1 a chance word says less. */
  readonly loneWordExponent: number
  /** Weights of neighbours' words: 3, 2, 1 before, 1, 2 after; empty switches windows off. */
  readonly window: readonly number[]
  /** Weight of the words just before when they ask. */
  readonly answersQuestion: number
}

/** Of so many words in a question, one alone may be chance. */
const MANY_WORDS = 3

/**
 * BM25 over every block and its neighbours in the session, from one ordinary index: the words of a block count in
 * its neighbours with decaying weight, gated by how related they are. Postings are spread when a question comes,
 * which keeps the index a quarter of the size of materialised windows.
 *
 * Source of the formula: BM25 (Robertson), idf = ln(1 + (N − df + ½)/(df + ½)), df over spread texts.
 */
export class LexicalIndex {
  readonly #options: LexicalOptions
  /** Weights by distance, nearest first. */
  readonly #back: readonly number[]
  readonly #ahead: readonly number[]
  readonly #chains: SessionChains
  readonly #asks: (slot: number) => boolean
  readonly #texts = new Postings()
  readonly #dates = new Postings()
  /** Length of each block's text with what its neighbours lend. */
  #lengths: Float32Array<ArrayBuffer> = new Float32Array(256)
  #totalLength = 0
  #size = 0
  /** Scratch of one question: a term's frequency a slot, all zero between terms. */
  #frequency: Float32Array<ArrayBuffer> = new Float32Array(256)
  readonly #touched: number[] = []

  constructor(chains: SessionChains, asks: (slot: number) => boolean, options: LexicalOptions) {
    this.#chains = chains
    this.#asks = asks
    this.#options = options
    this.#back = options.window.slice(0, REACH_BACK).reverse()
    this.#ahead = options.window.slice(REACH_BACK, REACH_BACK + REACH_AHEAD)
  }

  set(slot: number, terms: string, dateTerms: readonly string[]): void {
    if (this.#texts.termsOf(slot) === undefined) this.#size++
    this.#texts.set(slot, terms)
    this.#dates.set(slot, dateTerms.join(' '))
    if (slot >= this.#lengths.length) this.#grow(slot * 2)
  }

  remove(slot: number): void {
    if (this.#texts.termsOf(slot) === undefined) return
    this.#size--
    this.#texts.remove(slot)
    this.#dates.remove(slot)
    this.#setLength(slot, 0)
  }

  /** Recomputes the lengths of slots whose text or surroundings changed. */
  settle(slots: readonly number[]): void {
    for (const slot of slots) {
      let length = this.#texts.lengthOf(slot) + this.#dates.lengthOf(slot)
      this.#eachLender(slot, (lender, weight) => {
        length += weight * this.#texts.lengthOf(lender)
      })
      this.#setLength(slot, length)
    }
  }

  /** Number of blocks with the term in their own text. */
  frequencyOf(term: string): number {
    return this.#texts.list(term).slots.length
  }

  /**
   * The lexical share of every slot, 0..1: BM25 over what the question could reach, so that it means the same for
   * every question and store. Cost: the question terms' postings, times six.
   */
  shares(questionTerms: readonly string[], slots: number): Float32Array<ArrayBuffer> {
    const scores = new Float32Array(slots)
    const { k1, b, norm, loneWordExponent } = this.#options
    const meanLength = this.#totalLength / Math.max(1, this.#size) || 1
    // How many of the question's words a block has, its own or lent.
    const hits = new Uint8Array(slots)
    let reachable = 0
    for (const term of questionTerms) {
      this.#spread(term)
      const df = this.#touched.length
      const idf = Math.log(1 + (this.#size - df + 0.5) / (df + 0.5))
      reachable += idf * (k1 + 1)
      for (const slot of this.#touched) {
        const tf = this.#frequency[slot] as number
        const length = k1 * (1 - b + (b * (this.#lengths[slot] as number)) / meanLength)
        if (slot < slots) {
          scores[slot] = (scores[slot] as number) + (idf * tf * (k1 + 1)) / (tf + length)
          hits[slot] = (hits[slot] as number) + 1
        }
        this.#frequency[slot] = 0
      }
      this.#touched.length = 0
    }
    const loneExponent = questionTerms.length >= MANY_WORDS ? loneWordExponent : 1
    for (let slot = 0; slot < slots; slot++) {
      if (scores[slot] === 0) continue
      const exponent = hits[slot] === 1 ? loneExponent : 1
      scores[slot] = lexicalShare(scores[slot] as number, reachable, { norm, exponent })
    }
    return scores
  }

  #spread(term: string): void {
    const { slots, counts } = this.#texts.list(term)
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] as number
      this.#count(slot, counts[i] as number)
      this.#lend(slot, counts[i] as number)
    }
    const dates = this.#dates.list(term)
    for (let i = 0; i < dates.slots.length; i++)
      this.#count(dates.slots[i] as number, dates.counts[i] as number)
  }

  /** Counts a word in the neighbours of its slot: those after it look back at it, those before it look ahead. */
  #lend(slot: number, count: number): void {
    const { before, after, gates } = this.#chains.columns
    for (let k = 1; k <= this.#back.length; k++) {
      const later = (after[k - 1] as Int32Array)[slot] as number
      if (later < 0) break
      this.#count(
        later,
        count * this.#weightBack(k, slot) * ((gates[k - 1] as Float32Array)[later] as number),
      )
    }
    for (let k = 1; k <= this.#ahead.length; k++) {
      const earlier = (before[k - 1] as Int32Array)[slot] as number
      if (earlier < 0) break
      const weight = this.#ahead[k - 1] as number
      this.#count(earlier, count * weight * ((gates[k - 1] as Float32Array)[slot] as number))
    }
  }

  #weightBack(k: number, lender: number): number {
    return k === 1 && this.#asks(lender) ? this.#options.answersQuestion : (this.#back[k - 1] as number)
  }

  #count(slot: number, amount: number): void {
    if (amount === 0) return
    const before = this.#frequency[slot] as number
    if (before === 0) this.#touched.push(slot)
    this.#frequency[slot] = before + amount
  }

  /** Who lends the slot words, and with what weight. */
  #eachLender(slot: number, visit: (lender: number, weight: number) => void): void {
    for (let k = 1; k <= this.#back.length; k++) {
      const lender = this.#chains.before(k, slot)
      if (lender < 0) break
      visit(lender, this.#weightBack(k, lender) * this.#chains.gate(k, slot))
    }
    for (let k = 1; k <= this.#ahead.length; k++) {
      const lender = this.#chains.after(k, slot)
      if (lender < 0) break
      visit(lender, (this.#ahead[k - 1] as number) * this.#chains.gate(k, lender))
    }
  }

  #setLength(slot: number, length: number): void {
    this.#totalLength += length - (this.#lengths[slot] as number)
    this.#lengths[slot] = length
  }

  #grow(capacity: number): void {
    const lengths = new Float32Array(capacity)
    lengths.set(this.#lengths)
    this.#lengths = lengths
    this.#frequency = new Float32Array(capacity)
  }
}
