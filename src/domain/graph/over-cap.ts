import type { Edge } from './edge.ts'

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
