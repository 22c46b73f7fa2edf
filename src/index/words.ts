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

/** Fewest words of a question in which a single shared word may be chance. */
const MANY_WORDS = 3

/** Shares rate slots by the words of one question. They are valid until the next question. */
export interface Shares {
  /** BM25 of each slot. */
  readonly raw: Float32Array
  /** The BM25 that counts as full: the share of a slot is at most raw / full. */
  readonly full: number
  /** Returns the lexical share of a slot, 0..1. */
  of(slot: number): number
  /** Returns the part of the question's words that a slot has in full, weighted by idf, with words that no slot has, 0..1. */
  coverage(slot: number): number
}

/**
 * Returns how much the words of a question say, 0..1: (1 − wordsSizeLoss · ln N) · min(1, (n + 1) / (fullWords + 1)). One broad word is
 * no full match, because its subject has other names as well, and among many blocks some share a word by chance.
 */
function wordsWeight(
  words: number,
  blocks: number,
  { fullWords, wordsSizeLoss }: { readonly fullWords: number; readonly wordsSizeLoss: number },
): number {
  const ofSize = Math.max(0, 1 - wordsSizeLoss * Math.log(Math.max(1, blocks)))
  return ofSize * Math.min(1, (words + 1) / (fullWords + 1))
}

/** Options of a lexical share: the part of the reachable that counts as full, and the loss of a small share. */
interface LexicalShareOptions {
  /** Part of the reachable BM25 that counts as full, 0..1. */
  readonly norm: number
  /** ≥ 1; above 1 a small share counts less than it is, for words that may be chance. */
  readonly exponent: number
}

/**
 * Returns the share of the reachable BM25 that a block has, 0..1: min(1, bm25 / (norm·reachable))^exponent, where reachable =
 * (k1 + 1)·Σ idf over all terms of the question, also those that no block has (docs/retrieval.md; the exponent is ours). 0 if nothing
 * is reachable.
 */
function lexicalShare(bm25: number, reachable: number, { norm, exponent }: LexicalShareOptions): number {
  return reachable > 0 ? Math.min(1, Math.max(0, bm25) / (norm * reachable)) ** exponent : 0
}

/**
 * This index computes BM25 over every block and its neighbours in the session, from one ordinary index: the words of a block count in
 * its neighbours with decaying weight, gated by how related they are. Postings are spread when a question comes, which keeps the
 * index a quarter of the size of materialised windows.
 *
 * Source of the formula: BM25 (Robertson), idf = ln(1 + (N − df + ½)/(df + ½)), df over spread texts.
 */
export class LexicalIndex {
  readonly #weights = lendingWeights()
  readonly #chains: SessionChains
  readonly #texts = new Postings()
  readonly #dates = new Postings()
  readonly notes = new EdgeNotes()
  /** Length of the text in each slot with the words that its neighbours lend, in `ONE`. */
  readonly #lengths = new Column(Float64Array)
  #totalLength = 0
  #size = 0
  /** Memory for one question, which the next one uses again: its allocation costs a tenth of a question. */
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

  /** Replaces the date words of a slot that has words; the length of the slot is stale until `settle`. */
  redate(slot: number, dateTerms: readonly string[]): void {
    this.#dates.remove(slot)
    this.#dates.set(slot, dateTerms)
  }

  /** Removes the words of a slot that has some. */
  remove(slot: number): void {
    this.#size--
    this.#texts.remove(slot)
    this.#dates.remove(slot)
    this.notes.remove(slot)
    this.#setLength(slot, 0)
  }

  /** Computes the lengths of slots whose text or neighbours changed. */
  settle(slots: readonly number[]): void {
    const { columns } = this.#chains
    for (const slot of slots) {
      const own = this.#texts.lengthOf(slot) + this.#dates.lengthOf(slot)
      const lent = lentTo(slot, columns, this.#weights, (lender) => this.#texts.lengthOf(lender))
      this.#setLength(slot, own * ONE + lent)
    }
  }

  /**
   * Returns the weight of one word of a slot, 0..1: 1 / (1 − b + b · L / mean L), as BM25 has it, and at most 1, which short texts
   * reach.
   */
  wordShare(slot: number): number {
    const { b } = BM25
    const relative = (this.#lengths.values[slot] as number) / this.#meanLength()
    return Math.min(1, 1 / (1 - b + b * relative))
  }

  /**
   * Returns the loneliness of a slot, 0..1: 1 if no neighbour lends it words, 0 if neighbours lend `RANKING.lentEnough`. Other passages
   * of its block do not count.
   *
   * @param headOf returns the slot of the block to which a passage belongs
   */
  loneliness(slot: number, headOf: (slot: number) => number): number {
    const head = headOf(slot)
    const isOther = (lender: number) => Number(headOf(lender) !== head)
    const lent = lentTo(slot, this.#chains.columns, this.#weights, isOther)
    return 1 - Math.min(1, lent / (RANKING.lentEnough * ONE))
  }

  /** Returns the number of terms in the text of a slot, with repeats. */
  termsOf(slot: number): number {
    return this.#texts.lengthOf(slot)
  }

  /** Postings of the slots' own words, without those of neighbours. */
  get own(): Pick<Postings, 'frequencyOf' | 'has' | 'holding'> {
    return this.#texts
  }

  /**
   * Returns the lexical share of every slot below `slots`: BM25 over what the question could reach, times the weight of words in a
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

  /** Counts a word in all slots whose texts, dates or notes have it, and in their neighbours. */
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

  /** Adds the score of a word to the slots that have it. Separate from `shares`, whose closures would keep its variables in the heap. */
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

  /** Returns the sections of words, dates and lengths of the first slots; notes are not packed. */
  pack(slots: number): PackedSection[] {
    return [
      ...this.#texts.pack('texts', slots),
      ...this.#dates.pack('dates', slots),
      this.#lengths.pack('lengths', slots),
    ]
  }

  /** @param size number of slots that have words */
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

/** Steps of a weight of 1. Weights and counts are whole numbers, so that sums are exact in any order. */
const WEIGHT_ONE = 1024
/** One occurrence of a word, in the steps of counts. */
const ONE = WEIGHT_ONE * GATE_ONE

/** Weights of words that neighbours lend, in steps of 1/`WEIGHT_ONE`. */
interface LendingWeights {
  /** Weights of words lent to the slots 1, 2 and 3 after. */
  readonly back: readonly number[]
  /** Weights of words lent to the slots 1 and 2 before. */
  readonly ahead: readonly number[]
}

/** Counts of the current word in each slot, in `ONE`, and the slots that have it. */
interface Frequencies {
  /** Count of the word by slot; all zero between words. */
  readonly of: Int32Array
  /** Slots whose count is not zero; `count` is their number. */
  readonly slots: Int32Array
  /** Occurrences of the word in each of the first `slots`, which lend it to neighbours. */
  readonly times: Uint8Array
  count: number
}

function scratchOf(slots: number) {
  const numbers = { of: new Int32Array(slots), slots: new Int32Array(slots), times: new Uint8Array(slots) }
  const found = {
    raw: new Float32Array(slots),
    hits: new Uint8Array(slots),
    covered: new Float32Array(slots),
  }
  return { ...numbers, ...found, count: 0 }
}

/** Returns the weights of `RANKING.lexicalWindow` in whole steps. */
function lendingWeights(): LendingWeights {
  const steps = RANKING.lexicalWindow.map((weight) => Math.round(weight * WEIGHT_ONE))
  const [before3 = 0, before2 = 0, before1 = 0, after1 = 0, after2 = 0] = steps
  return { back: [before1, before2, before3], ahead: [after1, after2] }
}

/**
 * Returns the amount that the neighbours of a slot lend to it, in `ONE`: the sum of each neighbour's weight, times the share that the
 * slot takes of it, times the amount of that neighbour.
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

/** Counts a word in the slots whose texts have it. */
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

/** Neighbours on one side, the weights of the words they lend, and the shares that slots take of them, nearest first. */
interface Side {
  readonly links: Int32Array
  readonly weights: readonly number[]
  readonly shares: readonly Uint16Array[]
}

/**
 * Counts a word in the neighbours on one side of each of the first `own` slots, which have it. This is the hottest loop of keyword
 * search: it uses plain arrays, and no variable that a closure would keep in the heap.
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

/** Weight of a word in a note if a word in a block has 1: an edge says less about a block than the block itself does. */
const NOTE_WEIGHT = 0.5

/** An inverted index of the notes of edges about blocks, separate from that of the texts, whose lengths it does not change. */
class EdgeNotes {
  readonly #words = new Postings()
  readonly #noted = new Map<number, string>()

  /** Replaces all notes. Cost: a look for each end, and the words of changed notes. */
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
      // Each line is read in its own language, and each word counts once, since notes have no length to weigh repeats against.
      this.#words.set(slot, [...new Set(text.split('\n').flatMap(termsOf))])
    }
  }

  remove(slot: number): void {
    if (this.#noted.delete(slot)) this.#words.remove(slot)
  }

  says(slot: number, terms: readonly string[]): boolean {
    return this.#noted.has(slot) && terms.some((term) => this.#words.has(term, slot))
  }

  /** Returns the postings of a term in notes; empty if no note has it. */
  find(term: string): PostingList {
    return this.#words.find(term)
  }
}

/** Fewest changed words after which postings are packed again, if they are also a quarter of the packed ones. */
const LEAST_TO_PACK = 16_384

/** The postings of one term in memory. They are valid until the next change. */
interface PostingList {
  /** Slots and counts from `start` to `end`, in slot order; only slots with 1 in `holds` count. */
  readonly slots: Int32Array
  readonly counts: Uint8Array
  readonly start: number
  readonly end: number
  readonly holds: Uint8Array
  /** Further postings: slot → count. */
  readonly recent: ReadonlyMap<number, number> | undefined
}

/**
 * An inverted index of whole texts: term → slots with counts. Most postings are packed, five bytes each; recent ones stay beside
 * them until there are enough to pack again. A packed slot whose text was removed or changed is skipped.
 */
class Postings {
  /** The texts of terms by number; the postings of term n lie from `starts[n]` to `starts[n + 1]`, in slot order. */
  #terms = new StringTable()
  #starts = new Int32Array(1)
  #slots = new Int32Array(0)
  #counts = new Uint8Array(0)
  /** 1 if the packed postings of a slot still hold. */
  readonly #holds = new Column(Uint8Array)
  readonly #lengths = new Column(Int32Array)
  /** Recent postings: term → slot → count; `recentTerms` has the terms by slot. */
  readonly #recent = new Map<string, Map<number, number>>()
  readonly #recentTerms = new Map<number, ReadonlySet<string>>()
  /** Number of words that were added or removed since the last packing. */
  #changed = 0

  lengthOf(slot: number): number {
    return this.#lengths.values[slot] ?? 0
  }

  /** Returns the number of texts with a term. Cost: its postings. */
  frequencyOf(term: string): number {
    let texts = 0
    eachPosting(this.find(term), () => texts++)
    return texts
  }

  has(term: string, slot: number): boolean {
    return holdsAt(this.find(term), slot)
  }

  /**
   * Returns the slots of the texts that have all of some terms; undefined if there are more than `most`. Cost: the postings of the
   * rarest term, each looked up in those of the others.
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

  /** Returns the postings of a term; empty if no text has it. */
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

  /** Replaces the text at a slot. Cost: its terms, and sometimes a pass over all postings; a few nanoseconds a posting on average. */
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

  /** Removes the text at a slot; its packed postings do not count any more. */
  remove(slot: number): void {
    const recent = this.#recentTerms.get(slot)
    // A text that was never packed leaves nothing to pack.
    this.#changed += recent === undefined ? this.lengthOf(slot) : -this.lengthOf(slot)
    this.#holds.set(slot, 0)
    this.#lengths.set(slot, 0)
    for (const term of recent ?? []) {
      const counts = this.#recent.get(term)
      counts?.delete(slot)
      if (counts?.size === 0) this.#recent.delete(term)
    }
    this.#recentTerms.delete(slot)
  }

  /** Packs all postings and returns the sections of the first slots, whose names begin with `name`. */
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
      // One number stands for a slot and its count, so that sorting is simple.
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

/** Returns true if postings have a slot. Cost: the logarithm of their number. */
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

/** Calls `visit` once for every text with a term, with the number of occurrences in it. */
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
