import { strength } from '../../domain/score/fusion.ts'
import type { Shares } from '../index/lexical-index.ts'
import { Top } from './top.ts'

/** What ranking looks at, a slot each. */
export interface RankInput {
  /** Slots lie below it. */
  readonly slots: number
  /** Cosines after the session's window. */
  readonly cosines: Float32Array
  readonly shares: Shares
  /** Exponent of the power mean of the two. */
  readonly power: number
  /** What the question adds to or takes from a slot's strength besides. */
  readonly bonusOf: (slot: number) => number
  /** No slot gets a greater bonus. */
  readonly mostBonus: number
  /** Asked only about slots that would be chosen. */
  readonly allowed: (slot: number) => boolean
  /** Of equal ranks, whether the first slot comes before the second. */
  readonly precedes: (slot: number, other: number) => boolean
}

/** A chosen slot with the absolute strength of its match and what it is ordered by. */
export interface Ranked {
  readonly slot: number
  readonly strength: number
  readonly rank: number
}

/** Rounding may lift a mean over the greater of its two sides by less than this. */
const ROUNDING = 1e-6

/**
 * The best slots by strength and bonus, best first. One pass; the mean of cosine and words is computed only where its
 * greater side could reach the best, since a mean never exceeds it.
 */
export function rankBlocks(count: number, input: RankInput): Ranked[] {
  const { slots, cosines, shares, power, bonusOf, mostBonus, allowed, precedes } = input
  if (count === 0) return []
  const top = new Top(count, precedes)
  const strengths = new Map<number, number>()
  const { raw, full } = shares
  const worth = full > 0 ? 1 / full : 0
  // A power mean is linear in one side when the other is 0, which it is for most blocks.
  const similarityAlone = strength(1, 0, power)
  for (let slot = 0; slot < slots; slot++) {
    const words = (raw[slot] as number) * worth
    const cosine = Math.max(0, cosines[slot] as number)
    const most = words === 0 ? cosine * similarityAlone : Math.max(cosine, words)
    if (most + mostBonus + ROUNDING < top.least) continue
    const own = words === 0 ? most : strength(cosine, shares.of(slot), power)
    const rank = Math.fround(own + bonusOf(slot))
    if (rank < top.least || !top.wants(slot, rank) || !allowed(slot)) continue
    strengths.set(slot, own)
    top.take(slot, rank)
  }
  return top.slots.map((slot, i) => ({
    slot,
    strength: strengths.get(slot) as number,
    rank: top.values[i] as number,
  }))
}
