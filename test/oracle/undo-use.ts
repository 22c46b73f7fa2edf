import { isDeepStrictEqual } from 'node:util'
import type { Ends } from '../../src/domain/graph/edge.ts'
import type { Later, TouchedEdge } from '../../src/ports/store/undo.ts'
import { conflict } from './set-back.ts'
import { keyOf, type State } from './state.ts'

/** Which of the edges later writes changed, and the last that did. */
export function touchedEdges(
  { kept }: State,
  edges: readonly Ends[],
  { after, except }: Later,
): TouchedEdge[] {
  const later = [...kept].filter(([last]) => last > after && !except.includes(last))
  return edges.flatMap(([from, to]) => {
    const key = keyOf(from, to)
    const by = later.filter(
      ([, write]) => !isDeepStrictEqual(write.before.edges.get(key), write.after.edges.get(key)),
    )
    return by.length === 0 ? [] : [{ from, to, by: Math.max(...by.map(([last]) => last)) }]
  })
}

/** True if use alone made an edge what it is, or took it away. Throws `CONFLICT` when a later write did. */
export function isOfUse(state: State, key: string, named: readonly string[], later: Later): boolean {
  const edge = state.edges.get(key)
  if (edge !== undefined && edge.origin !== 'co_retrieval') return false
  const [touched] = touchedEdges(state, [named as unknown as Ends], later)
  if (touched !== undefined) throw conflict(named, touched.by)
  return true
}
