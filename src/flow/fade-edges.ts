import type { Settings } from '../config/settings.ts'
import { decayedEdgeWeight, EDGE_DECAY, edgeLambda, isWeakEdge } from '../domain/edge-decay.ts'
import type { EdgeWithDecay, StoreWriter } from '../ports/store.ts'

const PAGE = 1_000

export interface FadedEdges {
  /** Too weak at any age and never used. */
  readonly pruned: number
  /** Faded for want of use. */
  readonly decayed: number
}

/** Removes edges that say nothing any more; what an agent asserted stays. Three statements per 1,000 edges. */
export async function fadeEdges(
  tx: StoreWriter,
  memory: Settings['memory'],
  hours: number,
): Promise<FadedEdges> {
  const total = { pruned: 0, decayed: 0 }
  for (let after: readonly [string, string] = ['', '']; ; ) {
    const page = await tx.edgePage(after, PAGE)
    const weak = page.filter(({ edge }) => isWeakEdge(edge, memory.edgePruneThreshold))
    const faded = page.filter((entry) => !weak.includes(entry) && isFaded(entry, memory, hours))
    const gone = [...weak, ...faded].map(({ edge }) => [edge.from, edge.to] as const)
    if (gone.length > 0) await tx.removeEdges(gone)
    total.pruned += weak.length
    total.decayed += faded.length
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return total
    after = [last.edge.from, last.edge.to]
  }
}

/** By the rates as they are stored, so that a penalised block's edges fade with it (W27). */
function isFaded(
  { edge, fromLambda, toLambda }: EdgeWithDecay,
  memory: Settings['memory'],
  hours: number,
): boolean {
  const options = { ...EDGE_DECAY, establishedAt: memory.establishedReinforcements }
  const lambda = edgeLambda(fromLambda, toLambda, edge.reinforcementCount, options)
  return decayedEdgeWeight(edge, { lambda, hours: hours - edge.lastActiveAt }, memory.edgePruneThreshold)
    .pruned
}
