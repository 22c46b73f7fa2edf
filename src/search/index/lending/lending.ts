import { eachPosting, type PostingList } from '../postings.ts'
import { type ChainColumns, GATE_ONE } from '../session-chains.ts'

/** How neighbours share words. */
export interface LendingOptions {
  /** Weights of neighbours' words: 3, 2, 1 before, 1, 2 after. */
  readonly lexicalWindow: readonly number[]
  /** False switches windows off. */
  readonly windows: boolean
  /** Weight of the words just before when they ask. */
  readonly answersQuestion: number
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
  /** To the block just after, by one that asks. */
  readonly answers: number
}

/** The weights, and which slots ask. */
interface Lending extends LendingWeights {
  readonly asks: (slot: number) => boolean
}

/** Scratch of one question: how often a slot has the word at hand, in `ONE`, and which slots have it at all. */
export interface Frequencies {
  /** All zero between words. */
  readonly of: Int32Array
  /** The slots that are not zero, as many as `Frequencies.count`. */
  readonly slots: Int32Array
  count: number
}

/** The weights in whole steps; undefined where windows are off. */
export function weightsOf({
  windows,
  lexicalWindow,
  answersQuestion,
}: LendingOptions): LendingWeights | undefined {
  if (!windows) return undefined
  const steps = [...lexicalWindow, answersQuestion].map((weight) => Math.round(weight * WEIGHT_ONE))
  const [before3 = 0, before2 = 0, before1 = 0, after1 = 0, after2 = 0, answers = 0] = steps
  return { back: [before1, before2, before3], ahead: [after1, after2], answers }
}

/**
 * The share of a slot from its neighbours, in `ONE`: the sum of their weights, times how related they are, times the
 * words of each.
 */
export function lentTo(
  slot: number,
  { before, after, gates }: ChainColumns,
  { back, ahead, answers, asks }: Lending,
  lends: (lender: number) => number,
): number {
  let lent = 0
  let lender = before[slot] as number
  for (let k = 0; k < back.length && lender >= 0; k++) {
    const weight = k === 0 && asks(lender) ? answers : (back[k] as number)
    lent += weight * ((gates[k] as Uint16Array)[slot] as number) * lends(lender)
    lender = before[lender] as number
  }
  lender = after[slot] as number
  for (let k = 0; k < ahead.length && lender >= 0; k++) {
    const gate = (gates[k] as Uint16Array)[lender] as number
    lent += (ahead[k] as number) * gate * lends(lender)
    lender = after[lender] as number
  }
  return lent
}

/**
 * Counts a word where it stands and in the neighbours there: those after look back at it, those before look ahead. The
 * hottest loop of keyword search, so it is written out over plain arrays.
 */
export function spread(
  { slots, counts, start, end, holds, recent }: PostingList,
  { before, after, gates }: ChainColumns,
  { back, ahead, answers, asks }: Lending,
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
export function countOwn(list: PostingList, frequencies: Frequencies, one = ONE): void {
  const { of: frequency, slots: touched } = frequencies
  eachPosting(list, (slot, times) => {
    const known = frequency[slot] as number
    if (known === 0) touched[frequencies.count++] = slot
    frequency[slot] = known + times * one
  })
}
