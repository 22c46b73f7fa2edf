import { lexicalShare, wordsWeight } from '../../domain/score/score.ts'
import type { PackedIndex, PackedSection } from '../../ports/index-cache.ts'
import { Column, packColumn, unpackColumn } from './column.ts'
import { EdgeNotes, NOTE_WEIGHT } from './edge-notes.ts'
import { eachPosting, type PostingList, Postings } from './postings.ts'
import { type ChainColumns, GATE_ONE, type SessionChains } from './session-chains.ts'

export interface LexicalOptions {
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
  /** Weights of neighbours' words: 3, 2, 1 before, 1, 2 after. */
  readonly lexicalWindow: readonly number[]
  /** False switches windows off. */
  readonly windows: boolean
  /** Weight of the words just before when they ask. */
  readonly answersQuestion: number
}

/** Of so many words in a question, one alone may be chance. */
const MANY_WORDS = 3
/** Weights are counted in such steps, and words in `ONE`: whole numbers, so that sums are exact in any order. */
const WEIGHT_ONE = 1024
const ONE = WEIGHT_ONE * GATE_ONE

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

/** Weights of words lent to neighbours, in steps of 1/`WEIGHT_ONE`. */
interface LendingWeights {
  /** To the blocks 1, 2, 3 after. */
  readonly back: readonly [number, number, number]
  /** To the blocks 1, 2 before. */
  readonly ahead: readonly [number, number]
  /** To the block just after, by one that asks. */
  readonly answers: number
}

/** Scratch of one question: how often a slot has the word at hand, in `ONE`, and which slots have it at all. */
interface Frequencies {
  /** All zero between words. */
  readonly of: Int32Array
  /** The slots that are not zero, as many as `Frequencies.count`. */
  readonly slots: Int32Array
  count: number
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
  readonly #asks: (slot: number) => boolean
  readonly #texts = new Postings()
  readonly #dates = new Postings()
  readonly notes = new EdgeNotes()
  /** Length of each block's text with what its neighbours lend, in `ONE`. */
  readonly #lengths = new Column(Float64Array)
  #totalLength = 0
  #size = 0
  /** Scratch of one question. */
  #frequencies: Frequencies = { of: new Int32Array(0), slots: new Int32Array(0), count: 0 }
  #raw = new Float32Array(0)
  #hits = new Uint8Array(0)
  #covered = new Float32Array(0)

  constructor(chains: SessionChains, asks: (slot: number) => boolean, options: LexicalOptions) {
    this.#chains = chains
    this.#asks = asks
    this.#options = options
    this.#weights = options.windows ? weightsOf(options) : undefined
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

  /** Which blocks hold a term in words of their own. */
  get own(): Pick<Postings, 'frequencyOf' | 'onlySlotOf' | 'has'> {
    return this.#texts
  }

  /**
   * The lexical share of every slot below `slots`: BM25 over what the question could reach, times what words say in a
   * store of this size. Valid until the next call. Cost: the question terms' postings, times six.
   */
  shares(questionTerms: readonly string[], slots: number): Shares {
    this.#clear(slots)
    const { bm25K1: k1, bm25B: b, lexicalNorm: norm, loneWordExponent } = this.#options
    const meanLength = this.#totalLength / Math.max(1, this.#size) || 1
    const { of: frequency, slots: touched } = this.#frequencies
    const [raw, hits, covered, lengths] = [this.#raw, this.#hits, this.#covered, this.#lengths.values]
    let reachable = 0
    for (const term of questionTerms) {
      this.#look(term)
      const df = this.#frequencies.count
      const idf = Math.log(1 + (this.#size - df + 0.5) / (df + 0.5))
      reachable += idf * (k1 + 1)
      for (let i = 0; i < df; i++) {
        const slot = touched[i] as number
        const tf = (frequency[slot] as number) / ONE
        const length = k1 * (1 - b + (b * (lengths[slot] as number)) / meanLength)
        raw[slot] = (raw[slot] as number) + (idf * tf * (k1 + 1)) / (tf + length)
        hits[slot] = (hits[slot] as number) + 1
        if (tf >= 1) covered[slot] = (covered[slot] as number) + idf
        frequency[slot] = 0
      }
      this.#frequencies.count = 0
    }
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
    if (this.#weights)
      spread(texts, this.#chains.columns, { ...this.#weights, asks: this.#asks }, this.#frequencies)
    else countOwn(texts, this.#frequencies)
    countOwn(this.#dates.find(term), this.#frequencies)
    countOwn(this.notes.find(term), this.#frequencies, NOTE_WEIGHT * ONE)
  }

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
    this.#totalLength = this.#lengths.values.reduce((sum, length) => sum + length, 0)
  }

  /** Room for one question about so many slots, all zero. */
  #clear(slots: number): void {
    if (slots > this.#raw.length) {
      const capacity = slots * 2
      this.#raw = new Float32Array(capacity)
      this.#hits = new Uint8Array(capacity)
      this.#covered = new Float32Array(capacity)
      this.#frequencies = { of: new Int32Array(capacity), slots: new Int32Array(capacity), count: 0 }
    } else {
      this.#raw.fill(0, 0, slots)
      this.#hits.fill(0, 0, slots)
      this.#covered.fill(0, 0, slots)
    }
  }

  /** Words that the neighbours of a slot lend it, in `ONE`. */
  #lentTo(slot: number): number {
    if (this.#weights === undefined) return 0
    const { back, ahead, answers } = this.#weights
    const { before, after, gates } = this.#chains.columns
    let lent = 0
    let lender = before[slot] as number
    for (let k = 0; k < back.length && lender >= 0; k++) {
      const weight = k === 0 && this.#asks(lender) ? answers : (back[k] as number)
      lent += weight * ((gates[k] as Uint16Array)[slot] as number) * this.#texts.lengthOf(lender)
      lender = before[lender] as number
    }
    lender = after[slot] as number
    for (let k = 0; k < ahead.length && lender >= 0; k++) {
      const gate = (gates[k] as Uint16Array)[lender] as number
      lent += (ahead[k] as number) * gate * this.#texts.lengthOf(lender)
      lender = after[lender] as number
    }
    return lent
  }

  #setLength(slot: number, length: number): void {
    this.#totalLength += length - (this.#lengths.values[slot] ?? 0)
    this.#lengths.set(slot, length)
  }
}

function weightsOf({ lexicalWindow, answersQuestion }: LexicalOptions): LendingWeights {
  const steps = [...lexicalWindow, answersQuestion].map((weight) => Math.round(weight * WEIGHT_ONE))
  const [before3 = 0, before2 = 0, before1 = 0, after1 = 0, after2 = 0, answers = 0] = steps
  return { back: [before1, before2, before3], ahead: [after1, after2], answers }
}

/**
 * Counts a word where it stands and in the neighbours there: those after look back at it, those before look ahead. The
 * hottest loop of keyword search, so it is written out over plain arrays.
 */
function spread(
  { slots, counts, start, end, holds, recent }: PostingList,
  { before, after, gates }: ChainColumns,
  { back, ahead, answers, asks }: LendingWeights & { readonly asks: (slot: number) => boolean },
  frequencies: Frequencies,
): void {
  const { of: frequency, slots: touched } = frequencies
  const [gate1, gate2, gate3] = gates as [Uint16Array, Uint16Array, Uint16Array]
  const [back1, back2, back3] = back
  const [ahead1, ahead2] = ahead
  let found = frequencies.count
  const count = (slot: number, amount: number): void => {
    if (amount === 0) return
    const known = frequency[slot] as number
    if (known === 0) touched[found++] = slot
    frequency[slot] = known + amount
  }
  const lendAhead = (slot: number, times: number): void => {
    const before1 = before[slot] as number
    if (before1 < 0) return
    count(before1, times * ahead1 * (gate1[slot] as number))
    const before2 = before[before1] as number
    if (before2 >= 0) count(before2, times * ahead2 * (gate2[slot] as number))
  }
  const lendBack = (slot: number, times: number): void => {
    const after1 = after[slot] as number
    if (after1 < 0) return
    count(after1, times * (asks(slot) ? answers : back1) * (gate1[after1] as number))
    const after2 = after[after1] as number
    if (after2 < 0) return
    count(after2, times * back2 * (gate2[after2] as number))
    const after3 = after[after2] as number
    if (after3 >= 0) count(after3, times * back3 * (gate3[after3] as number))
  }
  const lend = (slot: number, times: number): void => {
    count(slot, times * ONE)
    lendBack(slot, times)
    lendAhead(slot, times)
  }
  for (let at = start; at < end; at++) {
    const slot = slots[at] as number
    if (holds[slot] === 1) lend(slot, counts[at] as number)
  }
  recent?.forEach((times, slot) => {
    lend(slot, times)
  })
  frequencies.count = found
}

/** Counts a word where it stands only. */
function countOwn(list: PostingList, frequencies: Frequencies, one = ONE): void {
  const { of: frequency, slots: touched } = frequencies
  eachPosting(list, (slot, times) => {
    const known = frequency[slot] as number
    if (known === 0) touched[frequencies.count++] = slot
    frequency[slot] = known + times * one
  })
}
