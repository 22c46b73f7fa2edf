import type { Settings } from '../config/settings.ts'
import type { Edge } from '../domain/edge.ts'
import { EDGE_DECAY, edgeWeightNow, isWeakEdge } from '../domain/edge-decay.ts'
import type { EdgeWithDecay } from '../ports/store.ts'
import type { CallContext, Engine } from './engine.ts'
import { type Mutation, mutate } from './mutate.ts'

/** Edges read at a time. */
const PAGE = 2_000

/** Edges removed in one transaction: what others wait for is a few milliseconds. */
const BATCH = 500

export interface FadedEdges {
  /** Too weak at any age and never used. */
  readonly pruned: number
  /** Faded for want of use. */
  readonly decayed: number
}

/**
 * Removes edges that say nothing any more; what an agent asserted stays. Edges are read without a lock and removed in
 * small transactions, each only if nobody used it meanwhile. One statement for 2,000 edges and two for 500 removed.
 */
export async function fadeEdges(engine: Engine, context: CallContext, hours: number): Promise<FadedEdges> {
  const { memory, graph } = engine.settings
  const total = { pruned: 0, decayed: 0 }
  for (let after: readonly [string, string] = ['', '']; ; ) {
    const page = await engine.store.read((tx) => tx.edgePage(after, PAGE))
    const weak = page.filter(({ edge }) => isWeakEdge(edge, memory.edgePruneThreshold))
    const isWeak = new Set(weak)
    const faded = graph.edgeDecay
      ? page.filter((entry) => !isWeak.has(entry) && isFaded(entry, memory, hours))
      : []
    total.pruned += await removeAll(engine, context, weak, 'weak')
    total.decayed += await removeAll(engine, context, faded, 'faded')
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
  if (edge.origin === 'agent' || edge.lastActiveAt === undefined) return false
  const options = { ...EDGE_DECAY, establishedAt: memory.establishedReinforcements }
  return edgeWeightNow(edge, [fromLambda, toLambda], hours, options) < memory.edgePruneThreshold
}

async function removeAll(
  engine: Engine,
  context: CallContext,
  entries: readonly EdgeWithDecay[],
  kind: 'weak' | 'faded',
): Promise<number> {
  let removed = 0
  for (let at = 0; at < entries.length; at += BATCH) {
    const edges = entries.slice(at, at + BATCH).map(({ edge }) => edge)
    removed += await mutate(engine, context, (mutation) => removeUnused(mutation, edges, kind))
  }
  return removed
}

/** Logged with the edges, so that they can be brought back. */
async function removeUnused({ tx, log }: Mutation, edges: readonly Edge[], kind: string): Promise<number> {
  const removed = await tx.removeUnusedEdges(edges)
  await log({
    operation: 'prune',
    blockIds: [],
    summary: `${removed.length} ${kind} edges removed`,
    before: { edges: removed },
  })
  return removed.length
}
