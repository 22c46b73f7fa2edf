import type { EdgeNote } from '../store/tables.ts'
import { type ChainColumns, GATE_ONE, type SessionChains } from './chains.ts'
import type { PackedIndex, PackedSection } from './columns.ts'
import { Column, packColumn, unpackColumn } from './columns.ts'
import { eachPosting, type PostingList, Postings } from './postings.ts'
import { lexicalShare, loneliness, RANKING, wordsWeight } from './strength.ts'

/** Saturation and length normalisation of BM25: passages are short, so repeats and length say little. */
export const BM25 = { k1: 0.9, b: 0.4 } as const

/** A single shared word may be chance in a question of at least this many words. */
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
  readonly #weights = lendingWeights()
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

  constructor(chains: SessionChains) {
    this.#chains = chains
  }

  /** Sets the words of a slot that has none. */
  add(slot: number, terms: readonly string[], dateTerms: readonly string[]): void {
    this.#size++
    this.#texts.set(slot, terms)
    this.#dates.set(slot, dateTerms)
  }

  /** Replaces the words of the dates of a slot that has words; its length is stale until `settle`. */
  redate(slot: number, dateTerms: readonly string[]): void {
    this.#dates.remove(slot)
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
   * Weight of one word of a slot, 0..1: 1 / (1 − b + b · L / mean L), as BM25 has it, and at most 1, which short texts
   * reach.
   */
  wordShare(slot: number): number {
    const { b } = BM25
    const relative = (this.#lengths.values[slot] as number) / this.#meanLength()
    return Math.min(1, 1 / (1 - b + b * relative))
  }

  /**
   * Loneliness of a slot, 0..1: 1 where no neighbour lends it words, 0 where they lend `enough`. Passages of its own block are none.
   *
   * @param headOf returns the slot of the block that a passage is of
   */
  loneliness(slot: number, enough: number, headOf: (slot: number) => number): number {
    const head = headOf(slot)
    const isOther = (lender: number) => Number(headOf(lender) !== head)
    return loneliness(lentTo(slot, this.#chains.columns, this.#weights, isOther), enough * ONE)
  }

  /** Number of terms in the text of a slot, repeats counted. */
  termsOf(slot: number): number {
    return this.#texts.lengthOf(slot)
  }

  /** Postings of the slots' own words, without those of neighbours. */
  get own(): Pick<Postings, 'frequencyOf' | 'has' | 'holding'> {
    return this.#texts
  }

  /**
   * The lexical share of every slot below `slots`: BM25 over what the question could reach, times what words say in a
   * store of this size. Valid until the next call. Cost: the question terms' postings, times six.
   */
  shares(questionTerms: readonly string[], slots: number): Shares {
    this.#clear(slots)
    const { k1 } = BM25
    const { lexicalNorm: norm, loneWordExponent } = RANKING
    let reachable = 0
    for (const term of questionTerms) {
      this.#look(term)
      const df = this.#frequencies.count
      const idf = Math.log(1 + (this.#size - df + 0.5) / (df + 0.5))
      reachable += idf * (k1 + 1)
      this.#count(idf, slots)
    }
    const [raw, hits, covered] = [this.#raw, this.#hits, this.#covered]
    const weight = wordsWeight(questionTerms.length, this.#size, RANKING)
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
    const { before, after, back, ahead } = this.#chains.columns
    const own = stand(this.#texts.find(term), this.#frequencies)
    // A word stands before the slots after it, which look back at it.
    lend(own, { links: after, weights: this.#weights.back, shares: back }, this.#frequencies)
    lend(own, { links: before, weights: this.#weights.ahead, shares: ahead }, this.#frequencies)
    countOwn(this.#dates.find(term), this.#frequencies)
    countOwn(this.notes.find(term), this.#frequencies, NOTE_WEIGHT * ONE)
  }

  /** Counts a word where it was found. Apart from `shares`, whose closures would keep its variables in the heap. */
  #count(idf: number, slots: number): void {
    const norms = this.#normsOf(slots)
    const factor = BM25.k1 + 1
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
    return lentTo(slot, this.#chains.columns, this.#weights, (lender) => this.#texts.lengthOf(lender))
  }

  /** The divisor of BM25 besides the frequency, of each slot; made again if a length changed, since the mean did. */
  #normsOf(slots: number): Float64Array {
    if (!this.#areNormsNew || slots > this.#norms.length) {
      if (slots > this.#norms.length) this.#norms = new Float64Array(slots * 2)
      const { k1, b } = BM25
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

/** Steps of a weight of 1; words are counted in `ONE`. Both are whole numbers, so that sums are exact in any order. */
const WEIGHT_ONE = 1024
/** One occurrence of a word, in the steps that counts are kept in. */
const ONE = WEIGHT_ONE * GATE_ONE

/** Weights of words shared with neighbours, in steps of 1/`WEIGHT_ONE`. */
interface LendingWeights {
  /** Weights for the blocks 1, 2, 3 after. */
  readonly back: readonly number[]
  /** Weights for the blocks 1, 2 before. */
  readonly ahead: readonly number[]
}

/** Scratch of one question: how often a slot has the word at hand, in `ONE`, and which slots have it at all. */
interface Frequencies {
  /** All zero between words. */
  readonly of: Int32Array
  /** The slots that are not zero, as many as `Frequencies.count`. */
  readonly slots: Int32Array
  /** Number of times that the word stands in each of the first slots, which spread it to neighbours. */
  readonly times: Uint8Array
  count: number
}

/** Returns scratch for a number of slots. */
function frequenciesOf(slots: number): Frequencies {
  return { of: new Int32Array(slots), slots: new Int32Array(slots), times: new Uint8Array(slots), count: 0 }
}

/** Returns the weights in whole steps. */
function lendingWeights(): LendingWeights {
  const steps = RANKING.lexicalWindow.map((weight) => Math.round(weight * WEIGHT_ONE))
  const [before3 = 0, before2 = 0, before1 = 0, after1 = 0, after2 = 0] = steps
  return { back: [before1, before2, before3], ahead: [after1, after2] }
}

/**
 * The share of a slot from its neighbours, in `ONE`: the sum of their weights, times the share that it takes of each, times
 * the words of each.
 */
function lentTo(
  slot: number,
  { before, after, back: backShares, ahead: aheadShares }: ChainColumns,
  { back, ahead }: LendingWeights,
  lends: (lender: number) => number,
): number {
  const sum = (links: Int32Array, weights: readonly number[], shares: readonly Uint16Array[]): number => {
    let lent = 0
    let lender = links[slot] as number
    for (let k = 0; k < weights.length && lender >= 0; k++) {
      lent += (weights[k] as number) * ((shares[k] as Uint16Array)[slot] as number) * lends(lender)
      lender = links[lender] as number
    }
    return lent
  }
  return sum(before, back, backShares) + sum(after, ahead, aheadShares)
}

/** Counts a word in the slots that hold it, before neighbours are counted; returns the number of these slots. */
function stand({ slots, counts, start, end, holds, recent }: PostingList, frequencies: Frequencies): number {
  const { of: frequency, slots: touched, times } = frequencies
  let own = 0
  for (let at = start; at < end; at++) {
    const slot = slots[at] as number
    if (holds[slot] !== 1) continue
    const repeats = counts[at] as number
    frequency[slot] = repeats * ONE
    times[own] = repeats
    touched[own++] = slot
  }
  for (const [slot, repeats] of recent ?? []) {
    frequency[slot] = repeats * ONE
    times[own] = repeats
    touched[own++] = slot
  }
  frequencies.count = own
  return own
}

/** Neighbours on one side, the weights of words that they lend, and the shares taken of them, nearest first. */
interface Side {
  readonly links: Int32Array
  readonly weights: readonly number[]
  readonly shares: readonly Uint16Array[]
}

/**
 * Counts a word in the neighbours on one side of each of the first `own` slots, which hold it. The hottest loop of keyword search:
 * plain arrays, and no variable that a closure would keep in the heap.
 */
function lend(own: number, { links, weights, shares }: Side, frequencies: Frequencies): void {
  const { of: frequency, slots, times } = frequencies
  let count = frequencies.count
  for (let i = 0; i < own; i++) {
    let at = slots[i] as number
    for (let k = 0; k < weights.length; k++) {
      at = links[at] as number
      if (at < 0) break
      const amount =
        (times[i] as number) * (weights[k] as number) * ((shares[k] as Uint16Array)[at] as number)
      if (amount === 0) continue
      const known = frequency[at] as number
      frequency[at] = known + amount
      if (known === 0) slots[count++] = at
    }
  }
  frequencies.count = count
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

/** Weight of a word of a note, where a word of the block has 1: an edge says less of a block than the block does. */
const NOTE_WEIGHT = 0.5

/** Functions by which notes become words of slots. */
interface Reading {
  readonly slotOf: (id: string) => number | undefined
  readonly termsOf: (text: string) => readonly string[]
}

/** The words that edges say of their blocks: an inverted index beside that of the texts, which they make no longer. */
class EdgeNotes {
  readonly #words = new Postings()
  readonly #noted = new Map<number, string>()

  /** Takes in notes in the place of those before. Cost: a look for each end, and the words of what changed. */
  take(notes: readonly EdgeNote[], { slotOf, termsOf }: Reading): void {
    const bySlot = new Map<number, string>()
    for (const { from, to, note = '' } of notes)
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
      // Each line is read in its own language, and each word counts once, since notes have no length that repeats are weighed against.
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
