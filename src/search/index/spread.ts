import { eachPosting, type PostingList } from './postings.ts'
import { type ChainColumns, GATE_ONE } from './session-chains.ts'

/** Weights are counted in such steps, and words in `ONE`: whole numbers, so that sums are exact in any order. */
export const WEIGHT_ONE = 1024
export const ONE = WEIGHT_ONE * GATE_ONE

/** What neighbours lend each other, in steps of 1/`WEIGHT_ONE`. */
export interface LendingWeights {
  /** To the blocks 1, 2, 3 after. */
  readonly back: readonly [number, number, number]
  /** To the blocks 1, 2 before. */
  readonly ahead: readonly [number, number]
  /** To the block just after, by one that asks. */
  readonly answers: number
}

/** Scratch of one question: how often a slot has the word at hand, in `ONE`, and which slots have it at all. */
export interface Frequencies {
  /** All zero between words. */
  readonly of: Int32Array
  /** The slots that are not zero, as many as `Frequencies.count`. */
  readonly slots: Int32Array
  count: number
}

/**
 * Counts a word where it stands and in the neighbours there: those after look back at it, those before look ahead. The
 * hottest loop of keyword search, so it is written out over plain arrays.
 */
export function spread(
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
export function countOwn(list: PostingList, frequencies: Frequencies): void {
  const { of: frequency, slots: touched } = frequencies
  eachPosting(list, (slot, times) => {
    const known = frequency[slot] as number
    if (known === 0) touched[frequencies.count++] = slot
    frequency[slot] = known + times * ONE
  })
}
