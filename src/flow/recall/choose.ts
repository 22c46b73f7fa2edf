import { isNewer } from '../../domain/block/newer.ts'
import { isOwn } from '../../domain/block/source-class.ts'
import type { BlockPair } from '../../domain/graph/edge.ts'
import type { Candidate, Dropped } from './candidate.ts'
import { outvotedByContradictions } from './contradictions.ts'

/** What goes into the answer, and what does not and why. */
export interface Choice {
  readonly chosen: readonly Candidate[]
  readonly dropped: readonly Dropped[]
}

/**
 * The blocks of an answer: the guaranteed ones first, outside every rule, then the best others up to `topK`.
 * Of two flagged near-duplicates that are both own words or both those of others the newer is shown, of two blocks that contradict each other the one believed more; what
 * that frees is filled from the rest.
 */
export function choose(
  ranked: readonly Candidate[],
  {
    guaranteed,
    pairs,
    hidesOlder,
    topK,
  }: {
    guaranteed: readonly Candidate[]
    readonly pairs: readonly BlockPair[]
    /** Whether only the newer of near-duplicates is shown. */
    hidesOlder: boolean
    topK: number
  },
): Choice {
  const always = new Set(guaranteed.map(({ facts }) => facts.id))
  const others = ranked.filter(({ facts }) => !always.has(facts.id))
  const older = hidesOlder ? olderNearDuplicates(others, pairs) : new Set<string>()
  const known = new Map([...ranked, ...guaranteed].map(({ facts }) => [facts.id, facts]))
  const yielding = outvotedByContradictions(pairs, (id) => known.get(id))
  const eligible = inPlaceOf(others, yielding).filter(
    ({ facts: { id } }) => !older.has(id) && !yielding.has(id),
  )
  const left = (reason: Dropped['reason'], ids: { has(id: string): boolean }) =>
    others
      .filter(({ facts }) => ids.has(facts.id))
      .map(({ facts, score }): Dropped => ({ id: facts.id, reason, score }))
  return {
    chosen: [...guaranteed, ...eligible.slice(0, topK)],
    dropped: [
      ...left('contradicted', yielding),
      ...left('near_twin', older).filter(({ id }) => !yielding.has(id)),
      ...eligible.slice(topK).map(({ facts, score }): Dropped => ({ id: facts.id, reason: 'top_k', score })),
    ],
  }
}

/** Whoever others give way to stands where the first of them stood, so that a small answer does not lose both. */
function inPlaceOf(
  candidates: readonly Candidate[],
  yielding: ReadonlyMap<string, string>,
): readonly Candidate[] {
  if (yielding.size === 0) return candidates
  const places = new Map(candidates.map(({ facts }, place) => [facts.id, place]))
  for (const [weaker, stronger] of yielding) {
    const [taken, own] = [places.get(weaker), places.get(stronger)]
    if (taken !== undefined && own !== undefined) places.set(stronger, Math.min(taken, own))
  }
  const placeOf = ({ facts }: Candidate) => places.get(facts.id) ?? 0
  return [...candidates].sort((a, b) => placeOf(a) - placeOf(b))
}

function olderNearDuplicates(candidates: readonly Candidate[], pairs: readonly BlockPair[]): Set<string> {
  const byId = new Map(candidates.map((candidate) => [candidate.facts.id, candidate.facts]))
  const older = new Set<string>()
  for (const { a, b, kind } of pairs) {
    const one = byId.get(a)
    const other = byId.get(b)
    if (kind === 'contradiction' || !one || !other || older.has(a) || older.has(b)) continue
    // What others say is shown beside the own words, not in their place.
    if (kind === 'near_duplicate' && isOwn(one) !== isOwn(other)) continue
    older.add(isNewer(one, other) ? b : a)
  }
  return older
}
