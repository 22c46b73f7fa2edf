import type { EdgeNote } from '../store/tables.ts'
import { type ChainColumns, GATE_ONE, RANKING, type SessionChains } from './chains.ts'
import {
  Column,
  type PackedIndex,
  type PackedSection,
  packNumbers,
  StringTable,
  unpackNumbers,
} from './columns.ts'

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
 * How much the words of a question say, 0..1: (1 − wordsSizeLoss · ln N) · min(1, (n + 1) / (fullWords + 1)). One broad word is
 * no full match, where its subject has other names as well, and among many blocks some share a word by chance.
 */
export function wordsWeight(
  words: number,
  blocks: number,
  { fullWords, wordsSizeLoss }: { readonly fullWords: number; readonly wordsSizeLoss: number },
): number {
  const ofSize = Math.max(0, 1 - wordsSizeLoss * Math.log(Math.max(1, blocks)))
  return ofSize * Math.min(1, (words + 1) / (fullWords + 1))
}

/** How much of the reachable already counts as full, and how much less a small share says. */
interface LexicalShareOptions {
  /** Share of the reachable that counts as full, 0..1. */
  readonly norm: number
  /** ≥ 1; above 1 a share says less than it is, for words that may be chance. */
  readonly exponent: number
}

/**
 * How much of what a question could reach its words found in a block, 0..1: min(1, bm25 / (norm·reachable))^exponent,
 * where reachable = (k1 + 1)·Σ idf over all terms of the question, unseen ones too (docs/retrieval.md; the exponent is
 * ours). 0 when nothing is reachable.
 */
export function lexicalShare(
  bm25: number,
  reachable: number,
  { norm, exponent }: LexicalShareOptions,
): number {
  return reachable > 0 ? Math.min(1, Math.max(0, bm25) / (norm * reachable)) ** exponent : 0
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
  /** Memory of one question, used again by the next: to allocate it costs a tenth of a question. */
  #scratch = scratchOf(0)

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
    const { columns } = this.#chains
    for (const slot of slots) {
      const own = this.#texts.lengthOf(slot) + this.#dates.lengthOf(slot)
      const lent = lentTo(slot, columns, this.#weights, (lender) => this.#texts.lengthOf(lender))
      this.#setLength(slot, own * ONE + lent)
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
   * Loneliness of a slot, 0..1: 1 where no neighbour lends it words, 0 where they lend `RANKING.lentEnough`. Passages of its own block
   * are none.
   *
   * @param headOf returns the slot of the block that a passage is of
   */
  loneliness(slot: number, headOf: (slot: number) => number): number {
    const head = headOf(slot)
    const isOther = (lender: number) => Number(headOf(lender) !== head)
    const lent = lentTo(slot, this.#chains.columns, this.#weights, isOther)
    return 1 - Math.min(1, lent / (RANKING.lentEnough * ONE))
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
    if (slots > this.#scratch.raw.length) this.#scratch = scratchOf(slots * 2)
    const { raw, hits, covered } = this.#scratch
    for (const each of [raw, hits, covered]) each.fill(0)
    const { k1 } = BM25
    const { lexicalNorm: norm, loneWordExponent } = RANKING
    let reachable = 0
    for (const term of questionTerms) {
      this.#look(term)
      const df = this.#scratch.count
      const idf = Math.log(1 + (this.#size - df + 0.5) / (df + 0.5))
      reachable += idf * (k1 + 1)
      this.#score(idf)
    }
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
    const frequencies = this.#scratch
    const { before, after, back, ahead } = this.#chains.columns
    count(this.#texts.find(term), frequencies, ONE)
    const own = frequencies.count
    // A word stands before the slots after it, which look back at it.
    lend(own, { links: after, weights: this.#weights.back, shares: back }, frequencies)
    lend(own, { links: before, weights: this.#weights.ahead, shares: ahead }, frequencies)
    count(this.#dates.find(term), frequencies, ONE)
    count(this.notes.find(term), frequencies, NOTE_WEIGHT * ONE)
  }

  /** Scores a word where it was found. Apart from `shares`, whose closures would keep its variables in the heap. */
  #score(idf: number): void {
    const { k1, b } = BM25
    const { of: frequency, slots: touched, count, raw, hits, covered } = this.#scratch
    const [lengths, meanLength] = [this.#lengths.values, this.#meanLength()]
    for (let i = 0; i < count; i++) {
      const slot = touched[i] as number
      const tf = (frequency[slot] as number) / ONE
      frequency[slot] = 0
      const norm = k1 * (1 - b + (b * (lengths[slot] as number)) / meanLength)
      raw[slot] = (raw[slot] as number) + (idf * tf * (k1 + 1)) / (tf + norm)
      hits[slot] = (hits[slot] as number) + 1
      if (tf >= 1) covered[slot] = (covered[slot] as number) + idf
    }
    this.#scratch.count = 0
  }

  /** The sections of words, dates and lengths of the first slots; notes are no part of them. */
  pack(slots: number): PackedSection[] {
    return [
      ...this.#texts.pack('texts', slots),
      ...this.#dates.pack('dates', slots),
      this.#lengths.pack('lengths', slots),
    ]
  }

  /** @param size number of the slots that have words */
  unpack(packed: PackedIndex, size: number): void {
    this.#texts.unpack(packed, 'texts')
    this.#dates.unpack(packed, 'dates')
    this.#lengths.unpack(packed, 'lengths')
    this.#size = size
    this.#totalLength = this.#lengths.values.reduce((sum, length) => sum + length, 0)
  }

  #meanLength(): number {
    return this.#totalLength / Math.max(1, this.#size) || 1
  }

  #setLength(slot: number, length: number): void {
    this.#totalLength += length - (this.#lengths.values[slot] ?? 0)
    this.#lengths.set(slot, length)
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

/** How often a slot has the word at hand, in `ONE`, and which slots have it at all. */
interface Frequencies {
  /** All zero between words. */
  readonly of: Int32Array
  /** The slots that are not zero, as many as `Frequencies.count`. */
  readonly slots: Int32Array
  /** Number of times that the word stands in each of the first slots, which spread it to neighbours. */
  readonly times: Uint8Array
  count: number
}

/** Returns memory for a question about some number of slots. */
function scratchOf(slots: number) {
  const numbers = { of: new Int32Array(slots), slots: new Int32Array(slots), times: new Uint8Array(slots) }
  const found = {
    raw: new Float32Array(slots),
    hits: new Uint8Array(slots),
    covered: new Float32Array(slots),
  }
  return { ...numbers, ...found, count: 0 }
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

/** Counts a word in the slots that hold it. */
function count(
  { slots, counts, start, end, holds, recent }: PostingList,
  frequencies: Frequencies,
  one: number,
): void {
  const { of: frequency, slots: touched, times } = frequencies
  const add = (slot: number, repeats: number): void => {
    const known = frequency[slot] as number
    if (known === 0) {
      times[frequencies.count] = repeats
      touched[frequencies.count++] = slot
    }
    frequency[slot] = known + repeats * one
  }
  for (let at = start; at < end; at++)
    if (holds[slots[at] as number] === 1) add(slots[at] as number, counts[at] as number)
  for (const [slot, repeats] of recent ?? []) add(slot, repeats)
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

/** Weight of a word of a note, where a word of the block has 1: an edge says less of a block than the block does. */
const NOTE_WEIGHT = 0.5

/** The words that edges say of their blocks: an inverted index beside that of the texts, which they make no longer. */
class EdgeNotes {
  readonly #words = new Postings()
  readonly #noted = new Map<number, string>()

  /** Takes in notes in the place of those before. Cost: a look for each end, and the words of what changed. */
  take(
    notes: readonly EdgeNote[],
    slotOf: (id: string) => number | undefined,
    termsOf: (text: string) => readonly string[],
  ): void {
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

/** Words that came or went from which on postings are packed again, if they are a quarter of what is packed. */
const LEAST_TO_PACK = 16_384

/** The postings of one term, as they lie in memory. Valid until the next change. */
interface PostingList {
  /** Slots and counts from `start` to `end`, in slot order; only those count whose slot holds 1 in `holds`. */
  readonly slots: Int32Array
  readonly counts: Uint8Array
  readonly start: number
  readonly end: number
  readonly holds: Uint8Array
  /** More of them: slot → count. */
  readonly recent: ReadonlyMap<number, number> | undefined
}

/**
 * An inverted index of whole texts: term → slots with counts. Most postings are packed, five bytes each; what came
 * lately lies beside them until there is enough to pack again. A slot whose text went or changed is skipped where it is
 * packed.
 */
class Postings {
  /** The postings of term n lie from `starts[n]` to `starts[n + 1]`, in slot order. */
  #terms = new StringTable()
  #starts = new Int32Array(1)
  #slots = new Int32Array(0)
  #counts = new Uint8Array(0)
  /** 1 where the packed postings of a slot still hold. */
  readonly #holds = new Column(Uint8Array)
  readonly #lengths = new Column(Int32Array)
  /** Term → slot → count, and the terms by slot. */
  readonly #recent = new Map<string, Map<number, number>>()
  readonly #recentTerms = new Map<number, ReadonlySet<string>>()
  /** Words that came or went since all were packed. */
  #changed = 0

  /** Number of terms at the slot, repeats counted. */
  lengthOf(slot: number): number {
    return this.#lengths.values[slot] ?? 0
  }

  /** Number of texts with the term. Cost: its postings. */
  frequencyOf(term: string): number {
    let texts = 0
    eachPosting(this.find(term), () => texts++)
    return texts
  }

  /** True if the text at a slot holds a term. Cost: the logarithm of the term's postings. */
  has(term: string, slot: number): boolean {
    return holdsAt(this.find(term), slot)
  }

  /**
   * The slots of the texts that hold every one of some terms; undefined where there are more than `most`. Cost: the postings of
   * the rarest term, each looked up in those of the others.
   */
  holding(terms: readonly string[], most: number): readonly number[] | undefined {
    const boundOf = ({ start, end, recent }: PostingList) => end - start + (recent?.size ?? 0)
    const [rarest, ...others] = terms.map((term) => this.find(term)).sort((a, b) => boundOf(a) - boundOf(b))
    const slots: number[] = []
    if (rarest !== undefined)
      eachPosting(rarest, (slot) => {
        if (slots.length <= most && others.every((list) => holdsAt(list, slot))) slots.push(slot)
      })
    return slots.length > most ? undefined : slots
  }

  /** The postings of a term; empty where no text holds it. */
  find(term: string): PostingList {
    const number = this.#terms.find(term)
    return {
      slots: this.#slots,
      counts: this.#counts,
      start: number === undefined ? 0 : (this.#starts[number] as number),
      end: number === undefined ? 0 : (this.#starts[number + 1] as number),
      holds: this.#holds.values,
      recent: this.#recent.get(term),
    }
  }

  /** Cost: its terms, and now and then a pass over all postings; a few nanoseconds a posting on average. */
  set(slot: number, terms: readonly string[]): void {
    this.remove(slot)
    this.#lengths.set(slot, terms.length)
    this.#recentTerms.set(slot, new Set(terms))
    for (const term of terms) {
      const counts = this.#recent.get(term) ?? new Map<number, number>()
      counts.set(slot, Math.min(255, (counts.get(slot) ?? 0) + 1))
      this.#recent.set(term, counts)
    }
    this.#changed += terms.length
    if (this.#changed >= LEAST_TO_PACK && this.#changed * 4 >= this.#slots.length) this.#repack()
  }

  /** Removes the text at a slot; its places in packed lists count no longer. */
  remove(slot: number): void {
    this.#changed += this.lengthOf(slot)
    this.#holds.set(slot, 0)
    this.#lengths.set(slot, 0)
    for (const term of this.#recentTerms.get(slot) ?? []) {
      const counts = this.#recent.get(term)
      counts?.delete(slot)
      if (counts?.size === 0) this.#recent.delete(term)
    }
    this.#recentTerms.delete(slot)
  }

  /** The sections of the first slots, whose names begin with `name`; packs all lists first. */
  pack(name: string, slots: number): PackedSection[] {
    if (this.#changed > 0) this.#repack()
    return [
      ...this.#terms.pack(`${name}-terms`),
      packNumbers(`${name}-starts`, this.#starts),
      packNumbers(`${name}-slots`, this.#slots),
      packNumbers(`${name}-counts`, this.#counts),
      this.#holds.pack(`${name}-holds`, slots),
      this.#lengths.pack(`${name}-lengths`, slots),
    ]
  }

  /** Fills lists that are still empty from a packed copy. */
  unpack(packed: PackedIndex, name: string): void {
    this.#terms.unpack(packed, `${name}-terms`)
    this.#starts = unpackNumbers(packed, `${name}-starts`, Int32Array)
    this.#slots = unpackNumbers(packed, `${name}-slots`, Int32Array)
    this.#counts = unpackNumbers(packed, `${name}-counts`, Uint8Array)
    this.#holds.unpack(packed, `${name}-holds`)
    this.#lengths.unpack(packed, `${name}-lengths`)
  }

  #repack(): void {
    const all = new Set(Array.from({ length: this.#terms.end }, (_, number) => this.#terms.textOf(number)))
    let most = this.#slots.length
    for (const [term, counts] of this.#recent) {
      all.add(term)
      most += counts.size
    }
    const [terms, slots, counts] = [new StringTable(), new Int32Array(most), new Uint8Array(most)]
    const starts = [0]
    let at = 0
    for (const term of all) {
      // Of a slot and its count one number is made, by which they are sorted.
      const found: number[] = []
      eachPosting(this.find(term), (slot, count) => found.push(slot * 256 + count))
      if (found.length === 0) continue
      if (this.#recent.has(term)) found.sort((one, other) => one - other)
      for (const each of found) {
        slots[at] = Math.floor(each / 256)
        counts[at++] = each % 256
      }
      terms.set(starts.length - 1, term)
      starts.push(at)
    }
    this.#terms = terms
    this.#starts = Int32Array.from(starts)
    this.#slots = slots.slice(0, at)
    this.#counts = counts.slice(0, at)
    for (const slot of this.#recentTerms.keys()) this.#holds.set(slot, 1)
    this.#recent.clear()
    this.#recentTerms.clear()
    this.#changed = 0
  }
}

/** True if a list has a slot. Cost: the logarithm of its length. */
function holdsAt({ slots, start, end, holds, recent }: PostingList, slot: number): boolean {
  if (holds[slot] !== 1) return recent?.has(slot) === true
  let [low, high] = [start, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((slots[middle] as number) < slot) low = middle + 1
    else high = middle
  }
  return low < end && slots[low] === slot
}

/** Calls `visit` for every text with the term, once, with how often it stands there. */
function eachPosting(
  { slots, counts, start, end, holds, recent }: PostingList,
  visit: (slot: number, count: number) => void,
): void {
  for (let at = start; at < end; at++) {
    const slot = slots[at] as number
    if (holds[slot] === 1) visit(slot, counts[at] as number)
  }
  recent?.forEach((count, slot) => {
    visit(slot, count)
  })
}
