import { type Block, CONSTITUTIONAL_TAG, isConstitutional } from '../block/block.ts'
import { count } from '../block/text.ts'
import {
  AUTO,
  type CallContext,
  CURATE,
  type Engine,
  type Mutation,
  mutate,
  nextTurn,
  ownKey,
} from '../engine/engine.ts'
import { type Edge, type Ends, GRAPH } from '../graph/edge.ts'
import { admitPending, promoteStaged, readCentrality } from '../graph/joins.ts'
import { keepWeeks } from '../graph/weeks.ts'
import { archive } from '../intake/supersede.ts'
import {
  betaOf,
  bridgeThreshold,
  compositeScore,
  confidenceOf,
  edgeWeightNow,
  type FadeRule,
  fadeRule,
  isFaint,
  isWeakEdge,
  mayFade,
  recency,
  reinforcementNorm,
  renormalisedWeights,
} from '../outcome/formulas.ts'
import { readBlocks, readPage, reinforceBlocks } from '../store/blocks.ts'
import type { Counts } from '../store/database.ts'
import { viewOf } from '../store/description.ts'
import { removeEdges, removeStaleStaging, trimDisconnections } from '../store/graph.ts'
import { readMeta, saveMeta, trimChanges, trimLog, trimSessions } from '../store/log.ts'
import { blocks, EDGE } from '../store/tables.ts'
import type { ReadTransaction, Store, Transaction } from '../store/transaction.ts'

const LAST_CURATE_KEY = 'last_curate_at'

/** The result of a curation has the changes that it made, and the counts after it. */
export interface CurateResult {
  /** Numbers of removed edges: too weak at any age and never used, or faded without use. */
  readonly edges: { readonly pruned: number; readonly decayed: number }
  /** Ids of faded blocks; `restore` brings each back. */
  readonly archived: readonly string[]
  readonly pending: Awaited<ReturnType<typeof admitPending>>
  /** Number of pairs that came together often enough by use and that the degree cap now allowed to join. */
  readonly promoted: number
  readonly displaced: readonly Edge[]
  readonly kept: { readonly constitutional: number; readonly others: number }
  readonly counts: Counts
  readonly stagingDropped: number
  readonly logTrimmed: number
  readonly sessionsTrimmed: number
}

/**
 * Archives faded blocks, prunes and decays edges, admits waiting connections, promotes staged pairs, reinforces the identity and trims
 * lists, in this order. It asks no model. It writes many small transactions, each whole, and other calls have their turn between them; the
 * transaction with its own log entry makes all durable. After a kill the next call goes on.
 */
export async function curate(engine: Engine, call: CallContext): Promise<CurateResult> {
  const context: CallContext = { ...call, run: engine.ids.random() }
  const { store } = engine
  const { hours } = engine.session.moment(await store.read((tx) => tx.state().then((state) => state.clock)))
  const { archived, lambdas } = await fadeBlocks(engine, context, hours)
  await nextTurn()
  const edges = await fadeEdges(engine, context, { hours, lambdas })
  await nextTurn()
  const pending = await admitPending(engine, context)
  await nextTurn()
  const { added: promoted, displaced } = await promoteStaged(engine, context)
  await nextTurn()
  const kept = await keepIdentity(engine, context, { hours, active: lambdas.size })
  await nextTurn()
  const { dropped: stagingDropped, at } = await mutate(engine, context, async ({ tx, moment, log }) => {
    const dropped = await removeStaleStaging(tx)
    await trimDisconnections(tx, moment.hours - GRAPH.disconnectHours)
    await saveMeta(tx, ownKey(engine, LAST_CURATE_KEY), String(moment.hours))
    await log({
      operation: 'curate',
      blockIds: archived,
      summary: `${count(edges.pruned + edges.decayed, 'edge')} removed, ${count(archived.length, 'block')} archived, ${count(pending.admitted + promoted.length, 'edge')} made`,
    })
    return { dropped, at: moment.at }
  })
  await nextTurn()
  const counts = await store.read((tx) => tx.queries.counts())
  await keepWeeks(engine, counts, at)
  const { keepOperations, keepSessions, keepUndoBytes } = engine.settings.memory
  const logTrimmed = await trim(store, (tx) => trimLog(tx, keepOperations, TRIMMED_AT_ONCE))
  const sessionsTrimmed = await trim(store, (tx) => trimSessions(tx, keepSessions, TRIMMED_AT_ONCE))
  await store.write((tx) => trimChanges(tx, keepUndoBytes), { durable: false })
  return {
    ...{ edges, archived, pending, kept, stagingDropped, logTrimmed, sessionsTrimmed },
    promoted: promoted.length,
    displaced: [...pending.displaced, ...displaced],
    counts,
  }
}

/** Entries or sessions that one transaction of some 70 ms removes. */
const TRIMMED_AT_ONCE = 5_000

/** Removes rows in transactions with turns for others between them, until one finds fewer than it may remove; returns how many. */
async function trim(store: Store, work: (tx: Transaction) => Promise<number>): Promise<number> {
  let total = 0
  for (let removed = TRIMMED_AT_ONCE; removed === TRIMMED_AT_ONCE; total += removed) {
    removed = await store.write(work, { durable: false })
    await nextTurn()
  }
  return total
}

/**
 * Curates if the last curation is longer ago than the interval; a dream calls it. In a memory never curated the interval counts from its
 * first hour.
 */
export async function curateIfDue(
  engine: Engine,
  context: CallContext,
  hours: number,
): Promise<CurateResult | undefined> {
  // A curation of the whole store also curates its scopes.
  const keys = new Set([ownKey(engine, LAST_CURATE_KEY), LAST_CURATE_KEY])
  const times = await engine.store.read((tx) => Promise.all([...keys].map((key) => readMeta(tx, key))))
  const last = Math.max(...times.map((time) => Number(time ?? 0)))
  if (hours - last < engine.settings.memory.curateIntervalHours) return undefined
  return curate(engine, { ...context, actor: context.actor === AUTO ? AUTO : CURATE })
}

const BLOCK_PAGE = 1_000

/**
 * Archives, reversibly, the active blocks that faded below the limit; bridges of the graph and permanent blocks stay. Blocks are read
 * without a lock and archived in small transactions, each only if it is still faint. Runs one statement for 1,000 blocks and a few for 32
 * that leave, which need not be durable before the curation is. Returns the ids of the archived blocks, and the decay of the remaining
 * active ones by id.
 */
async function fadeBlocks(engine: Engine, context: CallContext, hours: number) {
  const rule = fadeRule(engine.settings)
  const faint: Vitality[] = []
  const degrees: number[] = []
  const lambdas = new Map<string, number>()
  for (let after = 0, page: Vitality[] | undefined; page === undefined || page.length === BLOCK_PAGE; ) {
    const from = after
    page = await engine.store.read((tx) => readVitality(tx, from))
    for (const block of page) {
      if (isFaint(block, rule, hours)) faint.push(block)
      degrees.push(block.degree)
      lambdas.set(block.id, block.decayLambda)
      after = block.arrival
    }
    await nextTurn()
  }
  const threshold = bridgeThreshold(degrees)
  // The threshold is 0 while there are no edges; no block is a bridge then.
  const wellJoined = faint.flatMap(({ id, degree }) => (threshold > 0 && degree >= threshold ? [id] : []))
  const joined = await joinedByDeeds(engine, wellJoined)
  const bridges = new Set(wellJoined.filter((id) => joined.has(id)))
  const leaving = faint.filter(({ id }) => !bridges.has(id)).map(({ id }) => id)
  const archived: string[] = []
  for (let at = 0; at < leaving.length; at += 32) {
    const ids = leaving.slice(at, at + 32)
    const work = (mutation: Mutation) => archiveFaint(rule, mutation, ids)
    archived.push(...(await mutate(engine, context, work, { durable: false })))
    await nextTurn()
  }
  for (const id of archived) lambdas.delete(id)
  return { archived, lambdas }
}

const VITALITY = viewOf(blocks, ['arrival', 'id', 'decayLambda', 'lastReinforcedAt'])

type Vitality = NonNullable<typeof VITALITY.row> & { readonly degree: number }

/** Reads active blocks behind an arrival number, 0 for the first page, in that order, with the numbers of their edges. */
async function readVitality(tx: ReadTransaction, after: number): Promise<Vitality[]> {
  const active = { where: { status: 'active' }, order: ['arrival'], after: [after], limit: BLOCK_PAGE }
  const page = await tx.rows.scan(VITALITY, active)
  const joined = await tx.queries.strengths(page.map(({ id }) => id))
  return page.map((block) => ({ ...block, degree: joined.get(block.id)?.degree ?? 0 }))
}

/** Returns ids of blocks, and of their neighbours, with an edge that is not from similarity, which alone keeps no block. */
async function joinedByDeeds({ store }: Pick<Engine, 'store'>, ids: readonly string[]) {
  const joined = new Set<string>()
  for (let at = 0; at < ids.length; at += BLOCK_PAGE) {
    const around = await store.read((tx) => tx.rows.touching(EDGE, ids.slice(at, at + BLOCK_PAGE)))
    for (const edge of around) if (edge.origin !== 'similarity') joined.add(edge.from).add(edge.to)
  }
  return joined
}

async function archiveFaint(
  rule: FadeRule,
  { tx, moment, log }: Mutation,
  ids: readonly string[],
): Promise<string[]> {
  const leaving = (await readBlocks(tx, ids)).filter(
    (block) => mayFade(block) && isFaint(block, rule, moment.hours),
  )
  const archived = (await archive(tx, leaving, { reason: 'decayed', at: moment.at })).map(({ id }) => id)
  const summary = `${count(archived.length, 'faded block')} archived`
  await log({ operation: 'archive', blockIds: archived, summary })
  return archived
}

const EDGE_PAGE = 2_000

/**
 * Removes edges that are weak or faded; edges that an agent asserted stay. Edges are read without a lock and removed in small transactions,
 * each only if nobody used it meanwhile. Runs one statement for 2,000 edges and two for 250 removed.
 */
async function fadeEdges(
  engine: Engine,
  context: CallContext,
  { hours, lambdas }: { readonly hours: number; readonly lambdas: ReadonlyMap<string, number> },
) {
  const { graph } = engine.settings
  const isDecayed = (edge: Edge) => {
    const [from, to] = [lambdas.get(edge.from), lambdas.get(edge.to)]
    // A block without a lambda came after the blocks were read, so that it is new.
    if (!graph.edgeDecay || from === undefined || to === undefined) return false
    if (edge.origin === 'agent' || edge.lastActiveAt === undefined) return false
    // Rates count as they are stored, so that a penalised block's edges fade with it (W27).
    return edgeWeightNow(edge, [from, to], hours) < GRAPH.pruneBelow
  }
  const isWeak = (edge: Edge) => isWeakEdge(edge, GRAPH.pruneBelow)
  let [pruned, decayed] = [0, 0]
  for (let after: readonly [string, string] = ['', '']; ; ) {
    const page = await engine.store.read((tx) =>
      tx.rows.scan(EDGE, { order: ['from', 'to'], after, limit: EDGE_PAGE }),
    )
    const weak = page.filter(isWeak)
    const faded = page.filter((edge) => isDecayed(edge) && !weak.includes(edge))
    pruned += await removeUnused(engine, context, weak, ['weak', isWeak])
    decayed += await removeUnused(engine, context, faded, ['faded', isDecayed])
    const last = page.at(-1)
    if (last === undefined || page.length < EDGE_PAGE) return { pruned, decayed }
    after = [last.from, last.to]
    await nextTurn()
  }
}

/** Removes edges in small transactions; returns their number. The log keeps them, so that they can be brought back. */
async function removeUnused(
  engine: Engine,
  context: CallContext,
  edges: readonly Edge[],
  [kind, isMeant]: readonly ['weak' | 'faded', (edge: Edge) => boolean],
): Promise<number> {
  let number = 0
  for (let at = 0; at < edges.length; at += 250) {
    const batch = edges.slice(at, at + 250)
    const work = async ({ tx, log }: Mutation) => {
      const now = await tx.rows.get(
        EDGE,
        batch.map(({ from, to }) => [from, to]),
      )
      const removed = await removeEdges(
        tx,
        now.filter(isMeant).map(({ from, to }): Ends => [from, to]),
      )
      const summary = `${count(removed.length, `${kind} edge`)} removed`
      await log({ operation: 'prune', blockIds: [], summary, before: { edges: removed } })
      return removed.length
    }
    number += await mutate(engine, context, work, { durable: false })
    await nextTurn()
  }
  return number
}

/**
 * Keeps the principles, and the five other blocks of the identity with the best scores, from fading: each once (W44). Runs four statements
 * without a lock to choose them, and one to keep them, which need not be durable before the curation is.
 */
async function keepIdentity(
  engine: Engine,
  context: CallContext,
  { hours, active }: { readonly hours: number; readonly active: number },
) {
  const { principles, top } = await engine.store.read(async (tx) => {
    const principles = await tagged(tx, CONSTITUTIONAL_TAG)
    const others = (await tagged(tx, 'self/*')).filter(({ tags }) => !isConstitutional(tags))
    const scores = await identityScores(engine, tx, others, { hours, active })
    const top = [...others]
      .sort((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0) || (a.id < b.id ? -1 : 1))
      .slice(0, 5)
    return { principles, top }
  })
  const kept = [...principles, ...top].map(({ id }) => id)
  const work = async ({ tx, moment, log }: Mutation) => {
    await reinforceBlocks(tx, kept, moment.hours)
    await log({ operation: 'keep', blockIds: kept, summary: `${kept.length} of the identity kept fresh` })
  }
  if (kept.length > 0) await mutate(engine, context, work, { durable: false })
  return { constitutional: principles.length, others: top.length }
}

/** Reads the active blocks of a tag, at most the 1,000 most recently used. */
async function tagged(tx: ReadTransaction, tag: string): Promise<readonly Block[]> {
  return (await readPage(tx, { status: 'active', tag, order: 'recent', limit: 1_000 })).blocks
}

/** Returns by id the additive score of the self frame without a question (Python elfmem). */
async function identityScores(
  { settings: { frames } }: Engine,
  tx: ReadTransaction,
  blocks: readonly Block[],
  { hours, active }: { readonly hours: number; readonly active: number },
): Promise<Map<string, number>> {
  const central = await readCentrality(tx, { active, limit: 0 })
  const ids = blocks.map(({ id }) => id)
  const strengths = await tx.queries.strengths(ids)
  const most = blocks.reduce((max, { reinforcementCount }) => Math.max(max, reinforcementCount), 0)
  const queryless = renormalisedWeights(frames.self.weights)
  const scoreOf = (block: Block): number => {
    const signals = {
      similarity: 0,
      confidence: confidenceOf(block),
      recency: recency(block.decayLambda, hours - block.lastReinforcedAt),
      centrality: central.of(strengths.get(block.id)?.strength ?? 0),
      reinforcement: reinforcementNorm(block.reinforcementCount, most),
    }
    return compositeScore(signals, queryless, { belief: betaOf(block) }).score
  }
  return new Map(blocks.map((block) => [block.id, scoreOf(block)]))
}
