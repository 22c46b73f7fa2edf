import { lexicalShare, wordsWeight } from '../../domain/score/score.ts'
import type { PackedIndex, PackedSection } from '../../ports/index-cache.ts'
import { Column, packColumn, unpackColumn } from './column.ts'
import { EdgeNotes, NOTE_WEIGHT } from './edge-notes.ts'
import {
  countOwn,
  frequenciesOf,
  type LendingOptions,
  type LendingWeights,
  lentTo,
  ONE,
  spread,
  weightsOf,
} from './lending/lending.ts'
import { Postings } from './postings.ts'
import type { SessionChains } from './session-chains.ts'

/** The constants of the ranking by words; see `config/recall-settings.ts` for reasons. */
export interface LexicalOptions extends LendingOptions {
  /** BM25's saturation and length normalisation. */
  readonly bm25K1: number
  readonly bm25B: number
  /** Share of the reachable score that already counts as full. */
  readonly lexicalNorm: number
  /** Exponent of a share that rests on one word of three or more; above 1 a chance word says less. */
  readonly loneWordExponent: number
  /** How much words say at all, see `wordsWeight`. */
  readonly fullWords: number
  readonly wordsSizeLoss: number
}

/** Of so many words in a question, one alone may be chance. */
const MANY_WORDS = 3

/** Result of the words of a question. Valid until the next question. */
export interface Shares {
  /** BM25 of each slot. */
  readonly raw: Float32Array
  /** The BM25 that counts as full: the share of a slot is never above raw / full. */
  readonly full: number
  /** The lexical share of a slot, 0..1. */
  of(slot: number): number
  /** Share of the question's words, unseen ones too, that a slot has in full, each by its idf, 0..1. */
  coverage(slot: number): number
}

/**
 * BM25 over every block and its neighbours in the session, from one ordinary index: the words of a block count in
 * its neighbours with decaying weight, gated by how related they are. Postings are spread when a question comes,
 * which keeps the index a quarter of the size of materialised windows.
 *
 * Source of the formula: BM25 (Robertson), idf = ln(1 + (N − df + ½)/(df + ½)), df over spread texts.
 */
export class LexicalIndex {
  readonly #options: LexicalOptions
  readonly #weights: LendingWeights | undefined
  readonly #chains: SessionChains
  readonly #texts = new Postings()
  readonly #dates = new Postings()
  readonly notes = new EdgeNotes()
  /** Length of each block's text with that of its neighbours' words, in `ONE`. */
  readonly #lengths = new Column(Float64Array)
  #totalLength = 0
  #size = 0
  /** Scratch of one question. */
  #frequencies = frequenciesOf(0)
  #raw = new Float32Array(0)
  #hits = new Uint8Array(0)
  #covered = new Float32Array(0)
  #norms = new Float64Array(0)
  #areNormsNew = false

  constructor(chains: SessionChains, options: LexicalOptions) {
    this.#chains = chains
    this.#options = options
    this.#weights = weightsOf(options)
  }

  /** Sets the words of a slot that has none. */
  add(slot: number, terms: readonly string[], dateTerms: readonly string[]): void {
    this.#size++
    this.#texts.set(slot, terms)
    this.#dates.set(slot, dateTerms)
  }

  /** Takes the words of a slot that has some away. */
  remove(slot: number): void {
    this.#size--
    this.#texts.remove(slot)
    this.#dates.remove(slot)
    this.notes.remove(slot)
    this.#setLength(slot, 0)
  }

  /** Recomputes the lengths of slots whose text or surroundings changed. */
  settle(slots: readonly number[]): void {
    for (const slot of slots) {
      const own = this.#texts.lengthOf(slot) + this.#dates.lengthOf(slot)
      this.#setLength(slot, own * ONE + this.#lentTo(slot))
    }
  }

  /**
   * How much one of many words says of a slot, 0..1: 1 / (1 − b + b · L / mean L), as BM25 has it, and 1 for a text that is
   * short.
   */
  wordShare(slot: number): number {
    const { bm25B: b } = this.#options
    const relative = (this.#lengths.values[slot] as number) / this.#meanLength()
    return Math.min(1, 1 / (1 - b + b * relative))
  }

  /** Number of terms in the text of a slot, repeats counted. */
  termsOf(slot: number): number {
    return this.#texts.lengthOf(slot)
  }

  /** Which slots hold a term in words of their own. */
  get own(): Pick<Postings, 'frequencyOf' | 'has' | 'holding'> {
    return this.#texts
  }

  /**
   * The lexical share of every slot below `slots`: BM25 over what the question could reach, times what words say in a
   * store of this size. Valid until the next call. Cost: the question terms' postings, times six.
   */
  shares(questionTerms: readonly string[], slots: number): Shares {
    this.#clear(slots)
    const { bm25K1: k1, lexicalNorm: norm, loneWordExponent } = this.#options
    let reachable = 0
    for (const term of questionTerms) {
      this.#look(term)
      const df = this.#frequencies.count
      const idf = Math.log(1 + (this.#size - df + 0.5) / (df + 0.5))
      reachable += idf * (k1 + 1)
      this.#count(idf, slots)
    }
    const [raw, hits, covered] = [this.#raw, this.#hits, this.#covered]
    const weight = wordsWeight(questionTerms.length, this.#size, this.#options)
    const exponentOf = (slot: number) =>
      hits[slot] === 1 && questionTerms.length >= MANY_WORDS ? loneWordExponent : 1
    return {
      raw,
      full: weight > 0 ? (norm * reachable) / weight : 0,
      of: (slot) =>
        weight * lexicalShare(raw[slot] as number, reachable, { norm, exponent: exponentOf(slot) }),
      coverage: (slot) => (reachable > 0 ? ((covered[slot] as number) * (k1 + 1)) / reachable : 0),
    }
  }

  /** Counts a word wherever it or a neighbour's copy of it stands. */
  #look(term: string): void {
    const texts = this.#texts.find(term)
    if (this.#weights) spread(texts, this.#chains.columns, this.#weights, this.#frequencies)
    else countOwn(texts, this.#frequencies)
    countOwn(this.#dates.find(term), this.#frequencies)
    countOwn(this.notes.find(term), this.#frequencies, NOTE_WEIGHT * ONE)
  }

  /** Counts a word where it was found. Apart from `shares`, whose closures would keep its variables in the heap. */
  #count(idf: number, slots: number): void {
    const norms = this.#normsOf(slots)
    const factor = this.#options.bm25K1 + 1
    const { of: frequency, slots: touched, count } = this.#frequencies
    const [raw, hits, covered] = [this.#raw, this.#hits, this.#covered]
    for (let i = 0; i < count; i++) {
      const slot = touched[i] as number
      const tf = (frequency[slot] as number) / ONE
      frequency[slot] = 0
      raw[slot] = (raw[slot] as number) + (idf * tf * factor) / (tf + (norms[slot] as number))
      hits[slot] = (hits[slot] as number) + 1
      if (tf >= 1) covered[slot] = (covered[slot] as number) + idf
    }
    this.#frequencies.count = 0
  }

  /** The sections of words, dates and lengths of the first slots; notes are no part of them. */
  pack(slots: number): PackedSection[] {
    return [
      ...this.#texts.pack('texts', slots),
      ...this.#dates.pack('dates', slots),
      packColumn('lengths', this.#lengths, slots),
    ]
  }

  /** @param size number of the slots that have words */
  unpack(packed: PackedIndex, slots: number, size: number): void {
    this.#texts.unpack(packed, 'texts', slots)
    this.#dates.unpack(packed, 'dates', slots)
    unpackColumn(packed, 'lengths', this.#lengths, slots)
    this.#size = size
    this.#areNormsNew = false
    this.#totalLength = this.#lengths.values.reduce((sum, length) => sum + length, 0)
  }

  /** Room for one question about so many slots, all zero. */
  #clear(slots: number): void {
    if (slots > this.#raw.length) {
      const capacity = slots * 2
      this.#raw = new Float32Array(capacity)
      this.#hits = new Uint8Array(capacity)
      this.#covered = new Float32Array(capacity)
      this.#frequencies = frequenciesOf(capacity)
    } else {
      this.#raw.fill(0, 0, slots)
      this.#hits.fill(0, 0, slots)
      this.#covered.fill(0, 0, slots)
    }
  }

  /** Words of the neighbours of a slot, in `ONE`. */
  #lentTo(slot: number): number {
    if (this.#weights === undefined) return 0
    return lentTo(slot, this.#chains.columns, this.#weights, (lender) => this.#texts.lengthOf(lender))
  }

  /** The divisor of BM25 besides the frequency, of each slot; made again if a length changed, since the mean did. */
  #normsOf(slots: number): Float64Array {
    if (!this.#areNormsNew || slots > this.#norms.length) {
      if (slots > this.#norms.length) this.#norms = new Float64Array(slots * 2)
      const { bm25K1: k1, bm25B: b } = this.#options
      const [norms, lengths, meanLength] = [this.#norms, this.#lengths.values, this.#meanLength()]
      for (let slot = 0; slot < slots; slot++)
        norms[slot] = k1 * (1 - b + (b * (lengths[slot] as number)) / meanLength)
      this.#areNormsNew = true
    }
    return this.#norms
  }

  #meanLength(): number {
    return this.#totalLength / Math.max(1, this.#size) || 1
  }

  #setLength(slot: number, length: number): void {
    this.#totalLength += length - (this.#lengths.values[slot] ?? 0)
    this.#lengths.set(slot, length)
    this.#areNormsNew = false
  }
}
