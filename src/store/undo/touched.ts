import type { Ends } from '../../domain/graph/edge.ts'
import type { Later, TouchedEdge } from '../../ports/store/undo.ts'
import { operationChanges } from '../tables.ts'
import type { Transaction } from '../transaction.ts'
import type { Image } from './image.ts'

/** Transactions whose changes are held at once. */
const PAGE = 50

/**
 * Which of the edges later transactions changed whose changes are kept, and the last that did. One look through all that is
 * kept of them, which is done only where something is not as it was left.
 */
export async function readTouchedEdges(
  { whole: { rows } }: Transaction,
  edges: readonly Ends[],
  { after, except }: Later,
): Promise<TouchedEdge[]> {
  if (edges.length === 0) return []
  const wanted = new Set(edges.map((ends) => JSON.stringify(ends)))
  const touched = new Map<string, TouchedEdge>()
  for (let from = after; ; ) {
    const later = await rows.scan(operationChanges, { order: ['operationId'], after: [from], limit: PAGE })
    for (const { operationId: by, changes } of later) {
      const ends = except.includes(by) ? [] : edgesIn(changes as Image)
      for (const [from, to] of ends) touched.set(JSON.stringify([from, to]), { from, to, by })
    }
    if (later.length < PAGE) return [...touched].flatMap(([key, edge]) => (wanted.has(key) ? [edge] : []))
    from = (later.at(-1) as { operationId: number }).operationId
  }
}

function edgesIn({ edges }: Image): (readonly [string, string])[] {
  if (edges === undefined) return []
  const keys = [...edges.made, ...edges.changed].map(({ key }) => key)
  const all = [...keys, ...edges.gone.map(({ from_id, to_id }) => [from_id, to_id])]
  return all.map(([from, to]) => [String(from), String(to)])
}
