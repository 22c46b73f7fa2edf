import type { Edge } from './edge.ts'
import { evictionOrder } from './relation.ts'

type Displaceable = Pick<Edge, 'from' | 'to' | 'relation' | 'origin' | 'weight'>

/** True if an edge is never displaced: an agent asserted it, or its relation means something (Python elfmem). */
export function isProtectedEdge(edge: Pick<Edge, 'relation' | 'origin'>): boolean {
  return edge.origin === 'agent' || evictionOrder(edge.relation) === undefined
}

/**
 * The edge of a block that gives way at the degree cap, or undefined when all are protected (Python elfmem):
 * `similar` before `co_occurs`, then the lowest weight, then the lowest ids. Edges of other blocks are ignored.
 * Pass `weightOf` to compare decayed weights instead of stored ones.
 */
export function displaceableEdge<E extends Displaceable>(
  blockId: string,
  edges: readonly E[],
  weightOf: (edge: E) => number = (edge) => edge.weight,
): E | undefined {
  const candidates = edges.filter(
    (edge) => (edge.from === blockId || edge.to === blockId) && !isProtectedEdge(edge),
  )
  return candidates.reduce<E | undefined>(
    (weakest, edge) => (weakest === undefined || isEvictedBefore(edge, weakest, weightOf) ? edge : weakest),
    undefined,
  )
}

/**
 * True if a new edge may take the place of a displaceable one: a protected edge always, otherwise a later class
 * (`co_occurs` over `similar`) or a greater weight in the same class, so that a worse link never pushes out a better one.
 */
export function outranks<N extends Displaceable, R extends Displaceable>(
  newcomer: N,
  resident: R,
  weightOf: (edge: N | R) => number = (edge) => edge.weight,
): boolean {
  if (isProtectedEdge(resident)) return false
  if (isProtectedEdge(newcomer)) return true
  const classes = (evictionOrder(newcomer.relation) ?? 0) - (evictionOrder(resident.relation) ?? 0)
  return classes === 0 ? weightOf(newcomer) > weightOf(resident) : classes > 0
}

function isEvictedBefore<E extends Displaceable>(a: E, b: E, weightOf: (edge: E) => number): boolean {
  const classes = (evictionOrder(a.relation) ?? 0) - (evictionOrder(b.relation) ?? 0)
  if (classes !== 0) return classes < 0
  const weights = weightOf(a) - weightOf(b)
  if (weights !== 0) return weights < 0
  return a.from === b.from ? a.to < b.to : a.from < b.from
}

/**
 * The edges that must go so that a new one fits at both of its ends, or undefined when there is no room to be made:
 * every edge in the way is protected or outranks the newcomer. Usually none; one at each full end.
 *
 * @param residents all edges at both ends
 * @param cap most edges a block may have, ≥ 1
 */
export function evictForCap<N extends Displaceable, R extends Displaceable>(
  newcomer: N,
  residents: readonly R[],
  { cap, weightOf }: { readonly cap: number; readonly weightOf: (edge: N | R) => number },
): readonly R[] | undefined {
  const gone = new Set<R>()
  for (const id of [newcomer.from, newcomer.to]) {
    const atEnd = residents.filter(({ from, to }) => from === id || to === id)
    while (atEnd.filter((edge) => !gone.has(edge)).length >= cap) {
      const left = atEnd.filter((edge) => !gone.has(edge))
      const victim = displaceableEdge(id, left, weightOf)
      if (victim === undefined || !outranks(newcomer, victim, weightOf)) return undefined
      gone.add(victim)
    }
  }
  return [...gone]
}
