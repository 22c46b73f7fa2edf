import { confidenceOf } from '../../domain/belief/belief.ts'
import type { BlockFacts } from '../../domain/block/block.ts'
import { isNewer } from '../../domain/block/newer.ts'
import { isOwn } from '../../domain/block/source-class.ts'
import type { BlockPair, Edge } from '../../domain/graph/edge.ts'
import { CONTRADICTS } from '../../domain/graph/expansion.ts'
import type { Candidate, Dropped } from './rank.ts'

/** The candidates of the answer, and those left out with the reason. */
export interface Choice {
  readonly chosen: readonly Candidate[]
  readonly dropped: readonly Dropped[]
}

/**
 * The blocks of an answer: the guaranteed ones first, outside every rule, then the best others up to `topK`.
 * Of two flagged near-duplicates that are both own words or both those of others the newer is shown, of two
 * blocks that contradict each other the one believed more; what that frees is filled from the rest.
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
    /** True if only the newer of near-duplicates is shown. */
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

/** Moves a block to the place of the first block it replaces, so that a small answer does not lose both. */
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

/** A block that objects to one in the answer. */
interface Objection {
  readonly id: string
  /** The block it objects to. */
  readonly to: string
}

/**
 * Returns the less believed block of each open contradiction, with the block that replaces it; of equals the
 * words of others, then the older, because what is said later usually corrects. Decided from the most
 * believed down, so that a block stays out only for one that answers itself.
 *
 * @param factsOf the blocks in question; a pair with an end that is not among them says nothing
 */
function outvotedByContradictions(
  pairs: readonly BlockPair[],
  factsOf: (id: string) => BlockFacts | undefined,
): ReadonlyMap<string, string> {
  const disputes = pairs.flatMap(({ a, b, kind }) => {
    const [one, other] = [factsOf(a), factsOf(b)]
    if (kind !== 'contradiction' || !one || !other) return []
    return [
      compareTrust(one, other) < 0 ? { weaker: one, stronger: other } : { weaker: other, stronger: one },
    ]
  })
  const yielding = new Map<string, string>()
  for (const { weaker, stronger } of disputes.sort((a, b) => compareTrust(b.stronger, a.stronger)))
    if (!yielding.has(stronger.id) && !yielding.has(weaker.id)) yielding.set(weaker.id, stronger.id)
  return yielding
}

/** Returns blocks that contradict those shown and are not among them, in their order, at most `most`. */
export function objectionsTo(
  shown: readonly string[],
  {
    edges,
    pairs,
    most,
  }: { readonly edges: readonly Edge[]; readonly pairs: readonly BlockPair[]; readonly most: number },
): Objection[] {
  const opposed = [
    ...edges.filter(({ relation }) => relation === CONTRADICTS).map(({ from, to }) => [from, to] as const),
    ...pairs.filter(({ kind }) => kind === 'contradiction').map(({ a, b }) => [a, b] as const),
  ]
  const visible = new Set(shown)
  const found = shown.flatMap((to) =>
    opposed.flatMap(([one, other]) => {
      if (one !== to && other !== to) return []
      const id = one === to ? other : one
      return visible.has(id) ? [] : [{ id, to }]
    }),
  )
  const first = new Map(found.toReversed().map((objection) => [objection.id, objection]))
  return found.filter((objection) => first.get(objection.id) === objection).slice(0, most)
}

/** Below 0 when the first is believed less, or as much and is older. */
function compareTrust(one: BlockFacts, other: BlockFacts): number {
  return (
    confidenceOf(one) - confidenceOf(other) ||
    Number(isOwn(one)) - Number(isOwn(other)) ||
    one.occurredAt.localeCompare(other.occurredAt) ||
    one.createdAt.localeCompare(other.createdAt) ||
    (one.id < other.id ? -1 : 1)
  )
}
