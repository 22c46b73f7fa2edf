import type { BlockPair } from '../../domain/edge.ts'
import type { Candidate, Dropped } from './candidate.ts'

/** What goes into the answer, and what does not and why. */
export interface Choice {
  readonly chosen: readonly Candidate[]
  readonly dropped: readonly Dropped[]
}

/**
 * The blocks of an answer: the guaranteed ones first, outside every rule, then the best others up to `topK`.
 * Of two flagged near twins the newer is shown; what it frees is filled from the rest.
 */
export function choose(
  ranked: readonly Candidate[],
  {
    guaranteed,
    pairs,
    topK,
  }: {
    guaranteed: readonly Candidate[]
    /** Of whose twins only the newer is shown; empty shows both. */
    pairs: readonly BlockPair[]
    topK: number
  },
): Choice {
  const always = new Set(guaranteed.map(({ facts }) => facts.id))
  const others = ranked.filter(({ facts }) => !always.has(facts.id))
  const older = olderTwins(others, pairs)
  const eligible = others.filter(({ facts }) => !older.has(facts.id))
  return {
    chosen: [...guaranteed, ...eligible.slice(0, topK)],
    dropped: [
      ...others
        .filter(({ facts }) => older.has(facts.id))
        .map(({ facts, score }): Dropped => ({ id: facts.id, reason: 'near_twin', score })),
      ...eligible.slice(topK).map(({ facts, score }): Dropped => ({ id: facts.id, reason: 'top_k', score })),
    ],
  }
}

function olderTwins(candidates: readonly Candidate[], pairs: readonly BlockPair[]): Set<string> {
  const byId = new Map(candidates.map((candidate) => [candidate.facts.id, candidate.facts]))
  const older = new Set<string>()
  for (const { a, b, kind } of pairs) {
    const one = byId.get(a)
    const other = byId.get(b)
    if (kind !== 'near_duplicate' || !one || !other || older.has(a) || older.has(b)) continue
    const order =
      one.occurredAt.localeCompare(other.occurredAt) || one.createdAt.localeCompare(other.createdAt)
    older.add(order < 0 ? a : b)
  }
  return older
}
