import { eachPosting, type PostingList } from '../postings.ts'
import { type ChainColumns, GATE_ONE } from '../session-chains.ts'

/** How neighbours share words. */
export interface LendingOptions {
  /** Weights of neighbours' words: 3, 2, 1 before, 1, 2 after. */
  readonly lexicalWindow: readonly number[]
  /** False switches windows off. */
  readonly windows: boolean
}

/** Weights are counted in such steps, and words in `ONE`: whole numbers, so that sums are exact in any order. */
const WEIGHT_ONE = 1024
/** One occurrence of a word, in the steps that counts are kept in. */
export const ONE = WEIGHT_ONE * GATE_ONE

/** Weights of words shared with neighbours, in steps of 1/`WEIGHT_ONE`. */
export interface LendingWeights {
  /** To the blocks 1, 2, 3 after. */
  readonly back: readonly [number, number, number]
  /** To the blocks 1, 2 before. */
  readonly ahead: readonly [number, number]
}

/** Scratch of one question: how often a slot has the word at hand, in `ONE`, and which slots have it at all. */
export interface Frequencies {
  /** All zero between words. */
  readonly of: Int32Array
  /** The slots that are not zero, as many as `Frequencies.count`. */
  readonly slots: Int32Array
  /** How often the word stands at the first of them, where it is spread. */
  readonly times: Uint8Array
  count: number
}

/** Scratch for so many slots. */
export function frequenciesOf(slots: number): Frequencies {
  return { of: new Int32Array(slots), slots: new Int32Array(slots), times: new Uint8Array(slots), count: 0 }
}

/** The weights in whole steps; undefined where windows are off. */
export function weightsOf({ windows, lexicalWindow }: LendingOptions): LendingWeights | undefined {
  if (!windows) return undefined
  const steps = lexicalWindow.map((weight) => Math.round(weight * WEIGHT_ONE))
  const [before3 = 0, before2 = 0, before1 = 0, after1 = 0, after2 = 0] = steps
  return { back: [before1, before2, before3], ahead: [after1, after2] }
}

/**
 * The share of a slot from its neighbours, in `ONE`: the sum of their weights, times the share that it takes of each, times
 * the words of each.
 */
export function lentTo(
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

/**
 * Counts a word where it stands and in the neighbours there: those after look back at it, those before look ahead. The first
 * of a word, and the hottest loops of keyword search: plain arrays, and no variable that a closure would keep in the heap.
 */
export function spread(
  list: PostingList,
  chains: ChainColumns,
  weights: LendingWeights,
  frequencies: Frequencies,
): void {
  const own = stand(list, frequencies)
  lendBack(own, chains, weights, frequencies)
  lendAhead(own, chains, weights, frequencies)
}

/** Counts it where it stands, before anything else is counted of it; returns in how many slots. */
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

/** To the three after each. */
function lendBack(
  own: number,
  { after, back: shares }: ChainColumns,
  { back: [back1, back2, back3] }: LendingWeights,
  frequencies: Frequencies,
): void {
  const { of: frequency, slots, times: given } = frequencies
  const [share1, share2, share3] = shares as [Uint16Array, Uint16Array, Uint16Array]
  let count = frequencies.count
  for (let i = 0; i < own; i++) {
    const slot = slots[i] as number
    const times = given[i] as number
    const after1 = after[slot] as number
    if (after1 < 0) continue
    count = add(frequency, slots, count, after1, times * back1 * (share1[after1] as number))
    const after2 = after[after1] as number
    if (after2 < 0) continue
    count = add(frequency, slots, count, after2, times * back2 * (share2[after2] as number))
    const after3 = after[after2] as number
    if (after3 >= 0) count = add(frequency, slots, count, after3, times * back3 * (share3[after3] as number))
  }
  frequencies.count = count
}

/** To the two before each. */
function lendAhead(
  own: number,
  { before, ahead: shares }: ChainColumns,
  { ahead: [ahead1, ahead2] }: LendingWeights,
  frequencies: Frequencies,
): void {
  const { of: frequency, slots, times: given } = frequencies
  const [share1, share2] = shares as [Uint16Array, Uint16Array]
  let count = frequencies.count
  for (let i = 0; i < own; i++) {
    const slot = slots[i] as number
    const times = given[i] as number
    const before1 = before[slot] as number
    if (before1 < 0) continue
    count = add(frequency, slots, count, before1, times * ahead1 * (share1[before1] as number))
    const before2 = before[before1] as number
    if (before2 >= 0)
      count = add(frequency, slots, count, before2, times * ahead2 * (share2[before2] as number))
  }
  frequencies.count = count
}

/** Adds to one slot; returns how many are not zero then. */
function add(frequency: Int32Array, slots: Int32Array, count: number, slot: number, amount: number): number {
  if (amount === 0) return count
  const known = frequency[slot] as number
  frequency[slot] = known + amount
  if (known !== 0) return count
  slots[count] = slot
  return count + 1
}

/** Counts a word where it stands only. */
export function countOwn(list: PostingList, frequencies: Frequencies, one = ONE): void {
  const { of: frequency, slots: touched } = frequencies
  eachPosting(list, (slot, times) => {
    const known = frequency[slot] as number
    if (known === 0) touched[frequencies.count++] = slot
    frequency[slot] = known + times * one
  })
}
