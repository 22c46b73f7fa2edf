import { similarityThresholdsOf } from '../../config/match-calibration.ts'
import { type Ends, GRAPH, pairsAmong } from '../../domain/graph/edge.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'
import { keyOf } from './linker.ts'
import { frameOf } from './recall-reason.ts'

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

/** Operations of the session that are looked through for what was used together. */
const LOOKED_BACK = 100

/** How sure use through different frames makes: less than a similarity or a pair that is nearly joined. */
const FRAMES_CONFIDENCE = 0.6

/**
 * Connections that suggest themselves around an answer, surest first: pairs one question short of being joined by use,
 * very similar pairs, and pairs used together though different frames brought them. Never what is joined,
 * waits to be, was disconnected lately, or is an open pair for `resolve`. Five statements.
 */
export async function suggestConnections(
  engine: Engine,
  tx: StoreReader,
  shown: readonly string[],
  hours: number,
): Promise<Suggestion[]> {
  const { graph, memory } = engine.settings
  const near = shown.slice(0, LOOKED_AT)
  const session = engine.session.current
  const log = session === undefined ? [] : await tx.operations({ limit: LOOKED_BACK })
  const used = usedAcrossFrames(engine, log, new Set(near))
  const ids = [...new Set([...near, ...used.flat()])]
  const { edges, pairs } = await tx.links(ids)
  const apart = await tx.disconnections(ids, hours - GRAPH.disconnectHours)
  const waiting = await tx.pendingConnections(graph.pendingMax)
  const closed = new Set(
    [
      ...edges.map(({ from, to }): Ends => [from, to]),
      ...pairs.map(({ a, b }): Ends => [a, b]),
      ...apart.map(({ from, to }): Ends => [from, to]),
      ...waiting.map(({ source, target }): Ends => [source, target]),
    ].map(keyOf),
  )
  const due = memory.coRetrievalThreshold - 1
  const staged = await tx.stagedPairs({ atLeast: Math.max(1, due), limit: LOOKED_AT, among: near })
  const best = new Map<string, Suggestion>()
  for (const suggestion of [
    ...staged.map(({ from, to, count }) => nearlyJoined([from, to], count, memory.coRetrievalThreshold)),
    ...veryAlike(engine, near),
    ...used.map(throughFrames),
  ]) {
    const key = keyOf([suggestion.source, suggestion.target])
    if (closed.has(key) || (best.get(key)?.confidence ?? 0) >= suggestion.confidence) continue
    best.set(key, suggestion)
  }
  return [...best.values()].sort((a, b) => b.confidence - a.confidence).slice(0, GRAPH.suggestions)
}

function nearlyJoined([source, target]: Ends, count: number, threshold: number): Suggestion {
  return {
    source,
    target,
    reason: `came together in answers to ${count} of the ${threshold} questions after which use joins them`,
    relation: 'co_occurs',
    confidence: Math.min(1, count / threshold),
  }
}

function veryAlike(engine: Engine, ids: readonly string[]): Suggestion[] {
  const { veryAlikeCosine } = similarityThresholdsOf(engine.settings, engine.embedder.model)
  return pairsAmong(ids).flatMap(([source, target]) => {
    const cosine = engine.index.similarity(source, target)
    if (cosine === undefined || cosine < veryAlikeCosine) return []
    const reason = `are very much alike (cosine ${cosine.toFixed(2)}) and not joined`
    return [{ source, target, reason, relation: 'similar', confidence: Math.min(1, cosine) }]
  })
}

function throughFrames([source, target]: Ends): Suggestion {
  return {
    source,
    target,
    reason: 'were both used in this session, though different frames brought them',
    relation: 'co_occurs',
    confidence: FRAMES_CONFIDENCE,
  }
}

/** Pairs of used blocks no frame has shown both of, with an end in the answer. */
function usedAcrossFrames(
  { session, index }: Engine,
  log: readonly OperationRecord[],
  near: ReadonlySet<string>,
): Ends[] {
  const own = log.filter((record) => record.session === session.current?.id)
  const frames = new Map<string, Set<string>>()
  for (const { operation, blockIds, reason = '' } of own)
    if (operation === 'recall')
      for (const id of blockIds) frames.set(id, (frames.get(id) ?? new Set()).add(frameOf({ reason })))
  const start = session.current?.startHours ?? 0
  const isUsed = ({ operation, blockIds }: OperationRecord): readonly string[] => {
    if (operation === 'record_use') return blockIds
    if (operation !== 'outcome' && operation !== 'settle') return []
    return blockIds.filter((id) => (index.get(id)?.lastUsefulAt ?? -1) >= start && hasHelped(index.get(id)))
  }
  const used = [...new Set(own.flatMap(isUsed))]
    .filter((id) => frames.has(id) && index.get(id) !== undefined)
    .slice(0, LOOKED_AT)
  return pairsAmong(used).filter(([one, other]) => {
    const shared = [...(frames.get(one) ?? [])].some((frame) => frames.get(other)?.has(frame))
    return !shared && (near.has(one) || near.has(other))
  })
}

function hasHelped(facts: { readonly successes: number } | undefined): boolean {
  return facts !== undefined && facts.successes > 0
}
