import { matchesTag } from '../block/tags.ts'

/** Factors by `tag:<prefix>` (any tag that starts so) or by category, each > 0. */
export type ScoreBoosts = Readonly<Record<string, number>>

const TAG_KEY = 'tag:'

/** How many times a block counts in a frame: the greatest factor that fits it, 1 when none does (Python elfmem). */
export function scoreBoost(
  block: { readonly tags: readonly string[]; readonly category: string },
  boosts: ScoreBoosts,
): number {
  const factors = Object.entries(boosts)
    .filter(([key]) => fits(block, key))
    .map(([, factor]) => factor)
  return factors.length === 0 ? 1 : Math.max(...factors)
}

function fits(block: { readonly tags: readonly string[]; readonly category: string }, key: string): boolean {
  if (!key.startsWith(TAG_KEY)) return block.category === key
  return block.tags.some((tag) => matchesTag(`${key.slice(TAG_KEY.length)}*`, tag))
}
