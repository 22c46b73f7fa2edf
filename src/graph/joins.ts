import { count, defined } from '../block/text.ts'
import { similarityThresholdsOf } from '../engine/embedding.ts'
import { type CallContext, type Engine, type Mutation, mutate } from '../engine/engine.ts'
import { corpusCentrality, outcomeEdgeWeight } from '../outcome/formulas.ts'
import { idsOfStatus } from '../store/blocks.ts'
import {
  readDisconnections,
  readLinks,
  readStagedPairs,
  removePendingConnections,
  savePairs,
  savePendingConnections,
} from '../store/graph.ts'
import { PENDING } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import {
  CONTRADICTS,
  contradictionOf,
  type Edge,
  type Ends,
  endsOf,
  GRAPH,
  keyOf,
  newEdge,
  type PendingConnection,
  pairsAmong,
} from './edge.ts'
import { assertedEdge, type Linked, Linker, type LinkerOptions } from './linker.ts'

/** Outcome edges are the edges that a report made or changed. */
export interface OutcomeEdges {
  readonly outcomeEdgesCreated: number
  readonly edgesReinforced: number
  /** Number of pairs not joined: a block is full, the report joins too many, or an agent disconnected them lately. */
  readonly edgesSkipped: number
  readonly displaced: readonly Edge[]
}

/** These counts mean that a report joined nothing. */
export const NO_OUTCOME_EDGES: OutcomeEdges = {
  ...{ outcomeEdgesCreated: 0, edgesReinforced: 0, edgesSkipped: 0 },
  displaced: [],
}

/**
 * Joins the blocks that one report says helped, whichever recalls returned them. A pair counts with the smaller of its two signals; if it
 * is joined already, its edge gains weight and keeps relation and origin. Joins at most `GRAPH.outcomePairs` pairs, in five statements
 * with those of `save`, which writes the edges.
 */
export async function joinHelped(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  helped: readonly (readonly [id: string, signal: number])[],
): Promise<{ readonly edges: OutcomeEdges; readonly save: () => Promise<unknown> }> {
  const { outcomeWeight: scale, edgeStep: delta } = GRAPH
  const signals = new Map(helped)
  const pairs = pairsAmong([...signals.keys()], GRAPH.outcomePairs)
  const total = { created: 0, reinforced: 0 }
  const linker = await Linker.open(engine, { tx, moment }, pairs.flat(), { heedDisconnections: true })
  for (const ends of pairs) {
    const signal = Math.min(...ends.map((id) => signals.get(id) ?? 0))
    const before = linker.between(...ends)
    const weight = outcomeEdgeWeight(signal, before?.weight, { scale, delta })
    if (before) {
      const reinforcementCount = before.reinforcementCount + 1
      linker.replace({ ...before, weight, reinforcementCount, lastActiveAt: moment.hours })
      total.reinforced++
      continue
    }
    if (linker.add(newEdge(ends, { relation: 'outcome', origin: 'outcome', weight }, moment)).admitted)
      total.created++
  }
  const edges = {
    outcomeEdgesCreated: total.created,
    edgesReinforced: total.reinforced,
    edgesSkipped: (signals.size * (signals.size - 1)) / 2 - total.created - total.reinforced,
    displaced: linker.displaced,
  }
  return { edges, save: () => linker.save(tx) }
}

/**
 * Joins pairs that came together often enough, if the degree cap allows it or another edge can be evicted. The others stay staged. Runs two
 * statements, three if an edge is evicted.
 *
 * @param options.heedDisconnections false for pairs that were just counted: these were not disconnected lately
 */
export async function joinStaged(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  pairs: readonly Ends[],
  options: LinkerOptions,
): Promise<Linked> {
  if (pairs.length === 0) return { added: [], displaced: [] }
  const linker = await Linker.open(engine, { tx, moment }, pairs.flat(), options)
  const { apartCosine } = similarityThresholdsOf(engine.settings, engine.embedder.model)
  // Similar blocks come together because they are similar; blocks far apart in meaning because they are needed together.
  const weightOf = (ends: Ends) =>
    (engine.index.similarity(...ends) ?? 1) < apartCosine ? GRAPH.togetherApartWeight : GRAPH.togetherWeight
  const made = { relation: 'co_occurs', origin: 'co_retrieval' } as const
  // The heaviest edges come first, so that none evicts another and is then evicted itself.
  const edges = pairs
    .map((ends) => newEdge(ends, { ...made, weight: weightOf(ends) }, moment))
    .sort((a, b) => b.weight - a.weight)
  for (const edge of edges) if (!linker.between(edge.from, edge.to)) linker.add(edge)
  return linker.save(tx)
}

/** Works through a list, a batch in each transaction; these need not be durable before the curation is. */
async function inBatches<T, R>(
  engine: Engine,
  context: CallContext,
  all: readonly T[],
  work: (mutation: Mutation, batch: readonly T[]) => Promise<R>,
): Promise<R[]> {
  const done: R[] = []
  for (let at = 0; at < all.length; at += 100) {
    const batch = all.slice(at, at + 100)
    done.push(await mutate(engine, context, (mutation) => work(mutation, batch), { durable: false }))
  }
  return done
}

/** Joins all staged pairs that are due and that the degree cap kept apart before; curate calls it. */
export async function promoteStaged(engine: Engine, context: CallContext): Promise<Linked> {
  const { coRetrievalThreshold } = engine.settings.memory
  const due = await engine.store.read((tx) =>
    readStagedPairs(tx, { atLeast: coRetrievalThreshold, limit: GRAPH.togetherPairs }),
  )
  // Only the index knows how far apart two blocks are.
  if (due.length > 0) await engine.store.read((tx) => engine.index.refresh(tx))
  const done = await inBatches(engine, context, due, async (mutation, batch) => {
    const active = await idsOfStatus(mutation.tx, [...new Set(batch.flatMap(endsOf))], ['active'])
    const living = batch.map(endsOf).filter((ends) => ends.every((id) => active.has(id)))
    const { added, displaced } = await joinStaged(engine, mutation, living, { heedDisconnections: true })
    if (added.length > 0)
      await mutation.log({
        operation: 'promote_pairs',
        blockIds: [...new Set(added.flatMap(endsOf))],
        summary: `${count(added.length, 'pair')} joined by use`,
        before: { displaced },
      })
    return { added, displaced }
  })
  return {
    added: done.flatMap(({ added }) => added),
    displaced: done.flatMap(({ displaced }) => displaced),
  }
}

/**
 * Joins waiting connections, oldest first, as the degree cap allows; curate calls it. Returns how many found room, how many wait, and those
 * dropped after too many tries or because the blocks are joined by now. Runs a few statements for 100 of them.
 */
export async function admitPending(engine: Engine, context: CallContext) {
  const { pendingMax } = engine.settings.graph
  const waiting = await engine.store.read((tx) => tx.rows.scan(PENDING, { order: ['id'], limit: pendingMax }))
  const done = await inBatches(engine, context, waiting, (mutation, batch) => admit(engine, mutation, batch))
  return {
    admitted: done.reduce((sum, { admitted }) => sum + admitted, 0),
    remaining: done.reduce((sum, { remaining }) => sum + remaining, 0),
    dropped: done.flatMap(({ dropped }) => dropped),
    displaced: done.flatMap(({ displaced }) => displaced),
  }
}

async function admit(engine: Engine, { tx, moment, log }: Mutation, batch: readonly PendingConnection[]) {
  const waitingEnds = ({ source, target }: PendingConnection): Ends => [source, target]
  // The connections are taken off the list first, so that two processes do not make them twice.
  const waiting = await removePendingConnections(tx, batch.map(waitingEnds))
  const linker = await Linker.open(engine, { tx, moment }, waiting.flatMap(waitingEnds), {
    heedDisconnections: false,
  })
  const back: PendingConnection[] = []
  const dropped: PendingConnection[] = []
  for (const connection of waiting) {
    const { source, relation, weight, note, validFrom, validUntil } = connection
    const attempts = connection.attempts + 1
    const isJoined = linker.between(...waitingEnds(connection)) !== undefined
    const claim = { relation, weight, ...defined({ note, validFrom, validUntil }) }
    const edge = assertedEdge(waitingEnds(connection), claim, { ...moment, source })
    if (!isJoined && linker.add(edge).admitted) continue
    if (isJoined || attempts >= GRAPH.pendingAttempts) dropped.push(connection)
    else back.push({ ...connection, attempts })
  }
  const { added, displaced } = await linker.save(tx)
  const contradictions = added.filter(({ relation }) => relation === CONTRADICTS)
  await savePairs(
    tx,
    contradictions.map((edge) => contradictionOf(edge, 'agent')),
  )
  await savePendingConnections(tx, back)
  await log({
    operation: 'connect',
    blockIds: [...new Set(added.flatMap(endsOf))],
    summary: `${count(added.length, 'waiting connection')} admitted, ${dropped.length} dropped`,
    before: { displaced, dropped },
  })
  return { admitted: added.length, remaining: back.length, dropped, displaced }
}

/**
 * Reads how blocks are joined in the whole corpus: the ids of the `limit` blocks with the strongest edges, best first, and a function `of`
 * that returns the centrality (0..1) of a sum of effective edge weights. Runs one statement that walks an index as far as the
 * `centralShare` of `active` blocks.
 */
export async function readCentrality(
  tx: ReadTransaction,
  { active, limit }: { readonly active: number; readonly limit: number },
) {
  const rank = Math.max(1, Math.ceil(GRAPH.centralShare * active))
  const { strongest, atRank } = await tx.queries.strongest(Math.max(1, limit), rank)
  // If fewer blocks are joined than the share says, the strongest one is the measure.
  const scale = atRank > 0 ? atRank : (strongest[0]?.strength ?? 0)
  return {
    strongest: strongest.slice(0, limit).map(({ id }) => id),
    of: (strength: number) => corpusCentrality(strength, scale),
  }
}

/** A suggestion is a connection that an agent may want to make. */
export interface Suggestion {
  readonly source: string
  readonly target: string
  readonly reason: string
  readonly relation: string
  /** Confidence, 0..1. */
  readonly confidence: number
}

/**
 * Returns connections that suggest themselves around an answer, surest first: pairs one question short of being joined by use, and very
 * similar pairs. It leaves out pairs that are joined, wait for room, were disconnected lately, or are open for `resolve`. Runs four
 * statements.
 */
export async function suggestConnections(
  engine: Engine,
  tx: ReadTransaction,
  shown: readonly string[],
  hours: number,
): Promise<Suggestion[]> {
  const { graph, memory } = engine.settings
  // The number of pairs grows with the square of the number of blocks.
  const near = shown.slice(0, 20)
  const threshold = memory.coRetrievalThreshold
  const atLeast = Math.max(1, threshold - 1)
  const staged = await readStagedPairs(tx, { atLeast, limit: 20, among: near })
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
