import { confidenceOf } from '../../domain/belief/belief.ts'
import type { BlockFacts } from '../../domain/block/block.ts'
import { isNewer } from '../../domain/block/newer.ts'
import { isOwn } from '../../domain/block/source-class.ts'
import type { BlockPair, Edge } from '../../domain/graph/edge.ts'
import { CONTRADICTS } from '../../domain/graph/expansion.ts'
import type { Candidate, Dropped } from './rank.ts'
import { type Version, versionsAmong } from './versions.ts'

/** The candidates of the answer with what stands under each, newest first, and those left out with the reason. */
export interface Choice {
  readonly chosen: readonly Candidate[]
  readonly versions: ReadonlyMap<string, readonly Version[]>
  readonly dropped: readonly Dropped[]
}

/**
 * The blocks of an answer: the guaranteed ones first, outside every rule, then the best others up to `topK`. Of blocks
 * that are flagged as versions of each other and that the question does not tell apart the newest is an entry, in the
 * best place of them all, and the others stand under it. Of two blocks that contradict each other the one believed more
 * is shown; what that frees is filled from the rest.
 */
export function choose(
  ranked: readonly Candidate[],
  {
    guaranteed,
    pairs,
    isTold,
    topK,
  }: {
    guaranteed: readonly Candidate[]
    readonly pairs: readonly BlockPair[]
    /** True if the question names what one of the two has and the other has not; asked of near-duplicates. */
    isTold: (one: string, other: string) => boolean
    topK: number
  },
): Choice {
  const always = new Set(guaranteed.map(({ facts }) => facts.id))
  const others = ranked.filter(({ facts }) => !always.has(facts.id))
  const known = new Map([...ranked, ...guaranteed].map(({ facts }) => [facts.id, facts]))
  const outvoted = outvotedByContradictions(pairs, (id) => known.get(id))
  const grouped = versionsAmong(
    others.filter(({ facts }) => !outvoted.has(facts.id)),
    pairs.filter(({ a, b, kind }) => kind === 'supersession' || !isTold(a, b)),
  )
  const eligible = inPlaceOf(others, new Map([...outvoted, ...grouped.headOf])).filter(
    ({ facts: { id } }) => !grouped.headOf.has(id) && !outvoted.has(id),
  )
  const [chosen, rest] = [eligible.slice(0, topK), eligible.slice(topK)]
  const versionsOf = ({ facts }: Candidate) => grouped.versions.get(facts.id) ?? []
  const beyond = new Set(rest.flatMap((each) => [each.facts.id, ...versionsOf(each).map(({ id }) => id)]))
  const left = (reason: Dropped['reason'], ids: { has(id: string): boolean }) =>
    others
      .filter(({ facts }) => ids.has(facts.id))
      .map(({ facts, score }): Dropped => ({ id: facts.id, reason, score }))
  return {
    chosen: [...guaranteed, ...chosen],
    versions: new Map(chosen.map((each) => [each.facts.id, versionsOf(each)])),
    dropped: [...left('contradicted', outvoted), ...left('top_k', beyond)],
  }
}

/** Moves a block to the place of the first block it replaces, so that a small answer does not lose both. */
function inPlaceOf(
  candidates: readonly Candidate[],
  outvoted: ReadonlyMap<string, string>,
): readonly Candidate[] {
  if (outvoted.size === 0) return candidates
  const places = new Map(candidates.map(({ facts }, place) => [facts.id, place]))
  for (const [weaker, stronger] of outvoted) {
    const [taken, own] = [places.get(weaker), places.get(stronger)]
    if (taken !== undefined && own !== undefined) places.set(stronger, Math.min(taken, own))
  }
  const placeOf = ({ facts }: Candidate) => places.get(facts.id) ?? 0
  return [...candidates].sort((a, b) => placeOf(a) - placeOf(b))
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
  const outvoted = new Map<string, string>()
  for (const { weaker, stronger } of disputes.sort((a, b) => compareTrust(b.stronger, a.stronger)))
    if (!outvoted.has(stronger.id) && !outvoted.has(weaker.id)) outvoted.set(weaker.id, stronger.id)
  return outvoted
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
    (isNewer(one, other) ? 1 : -1)
  )
}
