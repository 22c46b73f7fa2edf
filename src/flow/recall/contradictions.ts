import { confidenceOf } from '../../domain/belief.ts'
import type { BlockPair, Edge } from '../../domain/edge.ts'
import { CONTRADICTS } from '../../domain/expansion.ts'
import type { BlockFacts } from '../../search/match.ts'

/** A block that objects to one in the answer. */
export interface Objection {
  readonly id: string
  /** The block it objects to. */
  readonly to: string
}

/**
 * What of each open contradiction is believed less; of equals the older, because what is said later usually corrects.
 *
 * @param factsOf the blocks in question; a pair with an end that is not among them says nothing
 */
export function weakerOfContradictions(
  pairs: readonly BlockPair[],
  factsOf: (id: string) => BlockFacts | undefined,
): Set<string> {
  const weaker = new Set<string>()
  for (const { a, b, kind } of pairs) {
    const one = factsOf(a)
    const other = factsOf(b)
    if (kind !== 'contradiction' || !one || !other || weaker.has(a) || weaker.has(b)) continue
    weaker.add(isWeaker(one, other) ? a : b)
  }
  return weaker
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

function isWeaker(one: BlockFacts, other: BlockFacts): boolean {
  const difference = confidenceOf(one) - confidenceOf(other)
  if (difference !== 0) return difference < 0
  const order = one.occurredAt.localeCompare(other.occurredAt) || one.createdAt.localeCompare(other.createdAt)
  return order < 0 || (order === 0 && one.id < other.id)
}
