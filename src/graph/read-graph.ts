import { similarityThresholdsOf } from '../engine/embedding.ts'
import type { Engine } from '../engine/engine.ts'
import { corpusCentrality } from '../outcome/formulas.ts'
import { readDisconnections, readLinks, readStagedPairs } from '../store/graph.ts'
import { PENDING } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { type Ends, endsOf, GRAPH, pairsAmong } from './edge.ts'
import { keyOf } from './linker.ts'

/**
 * Reads how blocks are joined in the whole corpus: the `limit` best joined, best first, and the centrality (0..1) of a block
 * by the sum of its effective edge weights. One statement that walks an index as far as the `centralShare` of `active` blocks.
 */
export async function readCentrality(
  tx: ReadTransaction,
  { active, limit }: { readonly active: number; readonly limit: number },
) {
  const rank = Math.max(1, Math.ceil(GRAPH.centralShare * active))
  const { strongest, atRank } = await tx.queries.strongest(Math.max(1, limit), rank)
  // Where fewer blocks are joined than the share says, the best joined is the measure.
  const scale = atRank > 0 ? atRank : (strongest[0]?.strength ?? 0)
  return {
    strongest: strongest.slice(0, limit).map(({ id }) => id),
    of: (strength: number) => corpusCentrality(strength, scale),
  }
}

/** A connection an agent may want to make. */
export interface Suggestion {
  readonly source: string
  readonly target: string
  readonly reason: string
  readonly relation: string
  /** 0..1. */
  readonly confidence: number
}

/** Blocks of an answer that are looked at; pairs grow with the square. */
const LOOKED_AT = 20

/**
 * Returns connections that suggest themselves around an answer, surest first: pairs one question short of being joined by use,
 * and very similar pairs. Left out is a pair that is joined, waits to be, was disconnected lately, or is open for `resolve`.
 * Four statements.
 */
export async function suggestConnections(
  engine: Engine,
  tx: ReadTransaction,
  shown: readonly string[],
  hours: number,
): Promise<Suggestion[]> {
  const { graph, memory } = engine.settings
  const near = shown.slice(0, LOOKED_AT)
  const threshold = memory.coRetrievalThreshold
  const atLeast = Math.max(1, threshold - 1)
  const staged = await readStagedPairs(tx, { atLeast, limit: LOOKED_AT, among: near })
  const { edges, pairs } = await readLinks(tx, near)
  const apart = await readDisconnections(tx, near, hours - GRAPH.disconnectHours)
  const waiting = await tx.rows.scan(PENDING, { order: ['id'], limit: graph.pendingMax })
  const closed = new Set(
    [
      ...[...edges, ...apart].map(endsOf),
      ...pairs.map(({ a, b }): Ends => [a, b]),
      ...waiting.map(({ source, target }): Ends => [source, target]),
    ].map(keyOf),
  )
  const nearlyJoined = staged.map(
    ({ from, to, count }): Suggestion => ({
      source: from,
      target: to,
      reason: `came together in answers to ${count} of the ${threshold} questions after which use joins them`,
      relation: 'co_occurs',
      confidence: Math.min(1, count / threshold),
    }),
  )
  const best = new Map<string, Suggestion>()
  for (const suggestion of [...nearlyJoined, ...veryAlike(engine, near)]) {
    const key = keyOf([suggestion.source, suggestion.target])
    if (closed.has(key) || (best.get(key)?.confidence ?? 0) >= suggestion.confidence) continue
    best.set(key, suggestion)
  }
  return [...best.values()].sort((a, b) => b.confidence - a.confidence).slice(0, GRAPH.suggestions)
}

function veryAlike({ settings, embedder, index }: Engine, ids: readonly string[]): Suggestion[] {
  const { veryAlikeCosine } = similarityThresholdsOf(settings, embedder.model)
  return pairsAmong(ids).flatMap(([source, target]) => {
    const cosine = index.similarity(source, target)
    if (cosine === undefined || cosine < veryAlikeCosine) return []
    const reason = `are very much alike (cosine ${cosine.toFixed(2)}) and not joined`
    return [{ source, target, reason, relation: 'similar', confidence: Math.min(1, cosine) }]
  })
}
