import { type Edge, GRAPH } from '../../domain/graph/edge.ts'
import { edgeWeightNow, isWeakEdge } from '../../domain/score/formulas.ts'
import { count } from '../../domain/text/text.ts'
import { type CallContext, type Engine, nextTurn } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'

/** Edges read at a time. */
const PAGE = 2_000

/** Edges removed in one transaction: what others wait for is a few milliseconds. */
const BATCH = 250

/** The numbers of edges that a curation removed, by the reason. */
export interface FadedEdges {
  /** Too weak at any age and never used. */
  readonly pruned: number
  /** Faded for want of use. */
  readonly decayed: number
}

/**
 * Removes edges that say nothing any more; what an agent asserted stays. Edges are read without a lock and removed in
 * small transactions, each only if nobody used it meanwhile. One statement for 2,000 edges and two for 250 removed,
 * which need not be durable before the curation is.
 *
 * @param at.lambdas decay of the active blocks, by id
 */
export async function fadeEdges(
  engine: Engine,
  context: CallContext,
  { hours, lambdas }: { readonly hours: number; readonly lambdas: ReadonlyMap<string, number> },
): Promise<FadedEdges> {
  const { graph } = engine.settings
  const weak = new Sweep(engine, context, 'weak')
  const faded = new Sweep(engine, context, 'faded')
  const sweepOf = (edge: Edge): Sweep | undefined => {
    if (isWeakEdge(edge, GRAPH.pruneBelow)) return weak
    const [from, to] = [lambdas.get(edge.from), lambdas.get(edge.to)]
    // Whoever came after the blocks were read is new.
    if (!graph.edgeDecay || from === undefined || to === undefined) return undefined
    return isFaded(edge, [from, to], hours) ? faded : undefined
  }
  for (let after: readonly [string, string] = ['', '']; ; ) {
    const page = await engine.store.read((tx) => tx.edgePage(after, PAGE))
    for (const edge of page) sweepOf(edge)?.add(edge)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) break
    for (const sweep of [weak, faded]) await sweep.remove(BATCH)
    after = [last.from, last.to]
    await nextTurn()
  }
  for (const sweep of [weak, faded]) await sweep.remove(1)
  return { pruned: weak.removed, decayed: faded.removed }
}

/** By the rates as they are stored, so that a penalised block's edges fade with it (W27). */
function isFaded(edge: Edge, lambdas: readonly [number, number], hours: number): boolean {
  if (edge.origin === 'agent' || edge.lastActiveAt === undefined) return false
  return edgeWeightNow(edge, lambdas, hours) < GRAPH.pruneBelow
}

/** Edges to be removed, gathered until a transaction is worth its commit. */
class Sweep {
  removed = 0
  readonly #engine: Engine
  readonly #context: CallContext
  readonly #kind: string
  readonly #waiting: Edge[] = []

  constructor(engine: Engine, context: CallContext, kind: string) {
    this.#engine = engine
    this.#context = context
    this.#kind = kind
  }

  add(edge: Edge): void {
    this.#waiting.push(edge)
  }

  /** Removes what waits, a batch in each transaction, as long as there are `atLeast` in it. */
  async remove(atLeast: number): Promise<void> {
    while (this.#waiting.length >= atLeast) {
      const edges = this.#waiting.splice(0, BATCH)
      const work = (mutation: Mutation) => removeUnused(mutation, edges, this.#kind)
      this.removed += await mutate(this.#engine, this.#context, work, { durable: false })
      await nextTurn()
    }
  }
}

/** Logged with the edges, so that they can be brought back. */
async function removeUnused({ tx, log }: Mutation, edges: readonly Edge[], kind: string): Promise<number> {
  const removed = await tx.removeUnusedEdges(edges)
  await log({
    operation: 'prune',
    blockIds: [],
    summary: `${count(removed.length, `${kind} edge`)} removed`,
    before: { edges: removed },
  })
  return removed.length
}
