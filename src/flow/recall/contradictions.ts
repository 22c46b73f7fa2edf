import { confidenceOf } from '../../domain/belief/belief.ts'
import type { BlockFacts } from '../../domain/block/block.ts'
import { isOwn } from '../../domain/block/source-class.ts'
import type { BlockPair, Edge } from '../../domain/graph/edge.ts'
import { CONTRADICTS } from '../../domain/graph/expansion.ts'

/** A block that objects to one in the answer. */
export interface Objection {
  readonly id: string
  /** The block it objects to. */
  readonly to: string
}

/**
 * What of each open contradiction is believed less, and for which block it gives way; of equals the words of
 * others, then the older, because what is said later usually corrects. Decided from the most believed down, so that a block stays out only for one that
 * answers itself.
 *
 * @param factsOf the blocks in question; a pair with an end that is not among them says nothing
 */
export function outvotedByContradictions(
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

/** What contradicts the blocks shown and is not among them, in their order, at most `most`. */
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
