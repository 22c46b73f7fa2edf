import type { Edge } from '../../src/domain/graph/edge.ts'
import { type Change, touches } from './change.ts'
import { keyOf, keyOfEdge } from './picture.ts'
import type { DisplacedEdge } from './report.ts'

/** What a buried block took with it. */
interface Buried {
  readonly edges: readonly Edge[]
  /** Blocks that became active in the same act, whose edges nobody saw. */
  readonly unseen: ReadonlySet<string>
}

/** What is remembered of earlier steps, because a graph does not show it. */
export interface Past {
  /** Active hours at which a pair was disconnected, until an agent joins it again. */
  readonly apart: Map<string, number>
  /** By archived block. */
  readonly buried: Map<string, Buried>
  /** What had given way to an edge when it was made, by its pair. */
  readonly gaveWay: Map<string, readonly DisplacedEdge[]>
}

export function emptyPast(): Past {
  return { apart: new Map(), buried: new Map(), gaveWay: new Map() }
}

/** Notes what a step did, after it was judged. */
export function noteStep(past: Past, change: Change): void {
  const { report, before, after, archived, activated } = change
  for (const key of change.claimed) past.apart.delete(key)
  const { disconnected } = report
  if (disconnected?.action === 'removed') {
    const key = keyOf(disconnected.sourceId, disconnected.targetId)
    past.apart.set(key, after.hours)
    past.gaveWay.delete(key)
  }
  for (const id of archived) {
    const edges = before.edges.map(({ edge }) => edge).filter((edge) => touches(new Set([id]), edge))
    past.buried.set(id, { edges, unseen: activated })
  }
  for (const id of activated) noteRestored(past, id)
  noteDisplaced(past, change)
}

/** What joined a block to one that is still archived comes back with that one. */
function noteRestored({ buried }: Past, id: string): void {
  for (const edge of buried.get(id)?.edges ?? []) {
    const other = edge.from === id ? edge.to : edge.from
    const waiting = buried.get(other)
    if (waiting) buried.set(other, { ...waiting, edges: [...waiting.edges, edge] })
  }
  buried.delete(id)
}

/** Only connections say what gave way to them; for edges made otherwise it may be whatever shares an end. */
function noteDisplaced(past: Past, { act, report, made, remade, claimed, edgesBefore }: Change): void {
  for (const { action, sourceId, targetId, evictedEdges } of report.claims)
    if (action === 'created') past.gaveWay.set(keyOf(sourceId, targetId), evictedEdges)
  // What comes back is the edge it was, with what had given way to it then.
  if (act.do === 'disconnect' || act.do === 'restore') return
  // An edge may have been made in the same act in which it gave way.
  const passing = report.displaced.map(({ fromId, toId }) => ({ from: fromId, to: toId }))
  const fresh = passing.filter((edge) => !edgesBefore.has(keyOfEdge(edge)))
  for (const edge of [...made, ...remade, ...fresh].filter((each) => !claimed.has(keyOfEdge(each)))) {
    const ends = new Set([edge.from, edge.to])
    const near = report.displaced.filter(({ fromId, toId }) => touches(ends, { from: fromId, to: toId }))
    past.gaveWay.set(keyOfEdge(edge), near)
  }
}
