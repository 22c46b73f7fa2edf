import type { Edge } from './edge.ts'
import { evictionOrder } from './relation.ts'

type Displaceable = Pick<Edge, 'from' | 'to' | 'relation' | 'origin' | 'weight'>

/** True if the edge is never evicted: of an agent, or neither `similar` nor `co_occurs` (Python elfmem). */
export function isProtectedEdge(edge: Pick<Edge, 'relation' | 'origin'>): boolean {
  return edge.origin === 'agent' || evictionOrder(edge.relation) === undefined
}

/**
 * Returns the edge of a block to evict at the degree cap, undefined if all are protected (Python elfmem):
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
 * True if a new edge may evict an unprotected one: a protected edge always may, others if of a later class
 * (`co_occurs` over `similar`) or heavier in the same class, so that a worse link never evicts a better one.
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
 * Returns the edges to evict so that a new one fits at both of its ends; undefined if every edge in the way
 * is protected or outranks the new one. Usually none; one at each full end.
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

type Made = Pick<Edge, 'from' | 'to' | 'weight' | 'createdAt'>

/**
 * Returns the edges to evict so that no block has too many, undefined if these do not suffice: the newest
 * first, because older ones were within the cap; of those made at once the weakest. An edge between two such
 * blocks counts for both.
 *
 * @param full blocks with so many edges too many
 * @param edges those that may go
 */
export function edgesOverCap<E extends Made>(
  full: readonly { readonly id: string; readonly many: number }[],
  edges: readonly E[],
): readonly E[] | undefined {
  const newest = [...edges].sort(
    (one, other) => compare(other.createdAt, one.createdAt) || one.weight - other.weight,
  )
  const gone = new Set<E>()
  for (const { id, many } of full) {
    const around = newest.filter(({ from, to }) => from === id || to === id)
    const alreadyGone = around.filter((edge) => gone.has(edge)).length
    const going = around.filter((edge) => !gone.has(edge)).slice(0, Math.max(0, many - alreadyGone))
    if (going.length + alreadyGone < many) return undefined
    for (const edge of going) gone.add(edge)
  }
  return [...gone]
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
