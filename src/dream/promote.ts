import {
  areApart,
  type Block,
  type BlockIndex,
  isKeptAsSaid,
  mayCover,
  normaliseTags,
} from '../block/block.ts'
import { count, defined, estimateTokens, isSameText } from '../block/text.ts'
import {
  COSINE_ERROR,
  type Embedded,
  ensureEmbeddingLock,
  refuseOtherModel,
  reindex,
  rememberAnalysis,
  similarityThresholdsOf,
} from '../engine/embedding.ts'
import {
  type CallContext,
  type Engine,
  type Moment,
  type Mutation,
  mutate,
  nextTurn,
  Pauses,
} from '../engine/engine.ts'
import { handOver, readJoined } from '../graph/carry.ts'
import { type BlockPair, type Edge, endsOf, newEdge, orderedPair, replacingPair } from '../graph/edge.ts'
import { Linker } from '../graph/linker.ts'
import { quantise, quantisedCosine, SCAN_BATCH } from '../index/columns.ts'
import type { Near } from '../index/rank.ts'
import { archive, perhapsNewer, type Replaceable, replaceable } from '../intake/supersede.ts'
import { stemOf } from '../language/question.ts'
import { BELIEF, compositeEdgeScore, EDGE_SCORE, setTags, tierLambda } from '../outcome/formulas.ts'
import { applyQueuedOutcomes } from '../outcome/outcome.ts'
import { blocksById, readBlocks, saveBlocks, saveIndex } from '../store/blocks.ts'
import type { UnlabelledPair } from '../store/database.ts'
import { queueUnlabelled, savePairs } from '../store/graph.ts'
import { queueOutcomes, takeQueuedOutcomes } from '../store/log.ts'
import { CONFLICT_COSINE, contradictionBetween, readStatement, type Statement } from './contradiction.ts'
import { JUDGING } from './judgement.ts'

/** Cosine from which a pair of nearly equal texts is flagged for `resolve`. */
const NEAR_DUPLICATE_COSINE = 0.9

/** An active block, its new edges and the evicted ones, and the pairs found with it. */
interface Promoted extends NewLinks {
  readonly block: Block
  readonly index: BlockIndex
  readonly nearPairs: readonly BlockPair[]
  /** Supersessions that somebody stated, and contradictions with other blocks. */
  readonly conflicts: readonly BlockPair[]
  /** Older blocks that the block may replace although nobody said so. */
  readonly mayReplace: readonly Replaceable[]
  /** Pairs whose relation is worth a label. */
  readonly unlabelled: readonly UnlabelledPair[]
}

/** A promoted batch has its active blocks, and the store's sequence before and after it, for the resident index. */
export interface PromotedBatch {
  readonly active: readonly Promoted[]
  /** Number of blocks that say what another block says. */
  readonly duplicates: number
  /** Edges that were evicted when the edges of duplicates were handed over. */
  readonly displaced: readonly Edge[]
  readonly sequence: { readonly before: number; readonly after: number }
}

/** A waiting block as it will be when active, without the reports about it, and the neighbours so near that the pair is flagged. */
interface Promotion extends Candidate {
  readonly active: Block
  readonly flagged: readonly Neighbour[]
}

/**
 * Makes the blocks of a batch active in one transaction: each whole or none, so that a killed dream loses nothing and goes on where it
 * stopped. A block that was promoted, forgotten or changed meanwhile is skipped. The write is not durable by itself: if a power failure
 * undoes it, the blocks wait again; the dream's last write makes all of them durable. Runs about fifteen statements for all, and as many
 * for each duplicate.
 *
 * @param isPending true if a model is to judge, now or in a later dream: blocks are marked, and pairs without a label kept
 */
export function promote(
  engine: Engine,
  context: CallContext,
  batch: readonly Candidate[],
  isPending: boolean,
): Promise<PromotedBatch> {
  const work = async (mutation: Mutation): Promise<PromotedBatch> => {
    const { tx } = mutation
    // Another process may have changed the vectors to another model since these were made.
    await refuseOtherModel(tx, engine.embedder)
    const before = (await tx.state()).sequence
    const ids = batch.flatMap(({ block, near }) => [block.id, ...near.map(({ id }) => id)])
    const blocks = new Map((await readBlocks(tx, ids)).map((block) => [block.id, block]))
    const active: Promoted[] = []
    const displaced: Edge[] = []
    let duplicates = 0
    let run: Promotion[] = []
    const activateRun = async () => {
      const promoted = await activate(engine, mutation, run, blocks)
      await write(mutation, promoted, isPending)
      active.push(...promoted)
      run = []
    }
    for (const candidate of batch) {
      const { id, content } = candidate.block
      const waiting = blocks.get(id)
      if (waiting?.status !== 'inbox' || isOtherwise(waiting, candidate.block)) continue
      const flagged = activeNeighbours(candidate.near, blocks).filter(
        ({ cosine, block }) => cosine >= NEAR_DUPLICATE_COSINE && maySayTheSame(waiting, block),
      )
      const known = flagged.find(
        ({ block }) => isSameText(block.content, content) && mayCover(block, waiting),
      )
      if (known === undefined) {
        const block = activated(engine, mutation, waiting, isPending)
        blocks.set(id, block)
        run.push({ ...candidate, active: block, flagged })
        continue
      }
      await activateRun()
      displaced.push(...(await reject(engine, mutation, { waiting, knownId: known.block.id, blocks })))
      duplicates += 1
    }
    await activateRun()
    return { active, duplicates, displaced, sequence: { before, after: (await tx.state()).sequence } }
  }
  return mutate(engine, context, work, { durable: false })
}

/** Returns true if the texts of a block changed after it was embedded and analysed: another dream takes it. */
function isOtherwise(waiting: Block, embedded: Block): boolean {
  return (['content', 'summary', 'cue', 'source'] as const).some((text) => waiting[text] !== embedded[text])
}

/** Returns false for a block that is kept as it was said, and for blocks of categories that stay apart. */
function maySayTheSame({ category }: Block, other: Block): boolean {
  return !isKeptAsSaid(category) && !areApart(other.category, category)
}

/** Returns the active form of a waiting block. */
function activated({ settings }: Engine, { moment }: Mutation, waiting: Block, isPending: boolean): Block {
  return {
    ...waiting,
    ...(isPending ? { judgementPending: true } : {}),
    status: 'active',
    decayLambda: tierLambda(waiting, settings.decay),
    reinforcementCount: waiting.reinforcementCount + 1,
    lastReinforcedAt: moment.hours,
    lastUsefulAt: moment.hours,
    tokenCount: Math.max(1, estimateTokens(waiting.content)),
  }
}

/**
 * Makes blocks active and links them, as if one after the other, and brings `blocks`, the blocks of the whole transaction, up to date. Runs
 * a few statements, whatever their number.
 */
async function activate(
  engine: Engine,
  mutation: Mutation,
  run: readonly Promotion[],
  blocks: Map<string, Block>,
): Promise<Promoted[]> {
  const [first] = run
  if (first === undefined) return []
  const { settings, embedder } = engine
  const { tx, moment } = mutation
  const actives = run.map(({ active }) => active)
  const reported = await applyQueuedOutcomes(tx, actives, { settings, moment })
  for (const block of reported) blocks.set(block.id, block)
  const newcomers = run.map(({ near }, i) => {
    const kin = activeNeighbours(
      near.filter(({ isKin }) => isKin),
      blocks,
    )
    return { block: reported[i] as Block, neighbours: activeNeighbours(near, blocks), kin }
  })
  const links = await linkBySimilarity(engine, mutation, newcomers)
  if (engine.vectorModel.current === undefined) {
    await ensureEmbeddingLock(tx, { model: embedder.model, dimensions: first.vectors.vector.length })
    await rememberAnalysis(tx, engine.analysis)
  }
  const conflicts = await conflictsOf(engine, mutation, { newcomers, blocks })
  const cosine = cosineAmong(engine, run)
  return run.map((promotion, i): Promoted => {
    const block = reported[i] as Block
    const joined = links[i] as NewLinks
    // An asserted edge answers the questions about its pair, except for a supersession, which was stated as well.
    const isSaid = (...ids: readonly string[]) => ids.some((id) => joined.asserted.has(id))
    const found = (conflicts[i] ?? []).filter(({ a, b, kind }) => kind === 'supersession' || !isSaid(a, b))
    const neighbours = newcomers[i]?.neighbours ?? []
    const earlier = neighbours.flatMap(({ block: older }) => (isSaid(older.id) ? [] : [older]))
    const mayReplace = replaceable(engine, block, { earlier, cosine })
    const unlabelled = unlabelledPairs(promotion, joined.edges, neighbours, mayReplace)
    return {
      ...joined,
      block,
      index: promotion.entry,
      nearPairs: promotion.flagged
        .filter((near) => !isSaid(near.block.id))
        .map((near) =>
          openPair(block, near, { kind: 'near_duplicate', foundBy: 'similarity', createdAt: moment.at }),
        ),
      conflicts: found,
      mayReplace,
      unlabelled: unlabelled.filter(({ from, to }) => !isSaid(from, to)),
    }
  })
}

/** Writes active blocks in an order in which each becomes a change for readers once, when it is active. */
async function write(
  { tx, moment, logAll }: Mutation,
  promoted: readonly Promoted[],
  isPending: boolean,
): Promise<void> {
  if (promoted.length === 0) return
  const [entries, blocks] = [promoted.map(({ index }) => index), promoted.map(({ block }) => block)]
  await saveIndex(tx, entries)
  await saveBlocks(tx, blocks)
  const near = promoted.flatMap((each) => each.nearPairs)
  const conflicts = promoted.flatMap((each) => each.conflicts)
  const guesses = promoted.flatMap(({ block, mayReplace }) =>
    mayReplace.map((found) => perhapsNewer(block, found, moment.at)),
  )
  await savePairs(tx, [...near, ...conflicts, ...guesses])
  const unlabelled = promoted.flatMap((each) => each.unlabelled)
  if (isPending) await queueUnlabelled(tx, unlabelled, JUDGING.pairsWaiting)
  await logAll(
    promoted.map(({ block, edges, displaced, nearPairs: pairs }) => ({
      operation: 'promote',
      blockIds: [block.id],
      summary: `active, ${count(edges.length, 'edge')}, ${count(pairs.length, 'near-duplicate')}`,
      ...(displaced.length > 0 ? { before: { displaced } } : {}),
    })),
  )
}

/** Returns a function that gives the cosine of two blocks by their ids: from the comparisons of the run, else from the index. */
function cosineAmong({ index }: Engine, run: readonly Promotion[]) {
  const near = new Map(
    run.map(({ block, near: all }) => [block.id, new Map(all.map(({ id, cosine }) => [id, cosine]))]),
  )
  return (one: string, other: string) =>
    near.get(one)?.get(other) ?? near.get(other)?.get(one) ?? index.similarity(one, other)
}

/**
 * Returns the pairs of a new block whose relation is worth a label: with the blocks it was joined to, its near-duplicates, blocks that it
 * may replace, and similar blocks of the same source.
 */
function unlabelledPairs(
  { block: { id, source }, near, flagged }: Promotion,
  edges: readonly Edge[],
  neighbours: readonly Neighbour[],
  mayReplace: readonly Replaceable[],
): UnlabelledPair[] {
  const cosines = new Map(near.map((each) => [each.id, each.cosine]))
  // A similar block of the same source may say what held before.
  const bySource = neighbours.filter(({ block }) => block.source === source).slice(0, 3)
  const others = [
    ...edges.map(({ from, to }) => (from === id ? to : from)),
    ...flagged.map(({ block }) => block.id),
    ...mayReplace.map(({ older }) => older.id),
    ...bySource.map(({ block }) => block.id),
  ]
  return [...new Set(others)].map((other) => {
    const cosine = Math.min(1, Math.max(0, cosines.get(other) ?? 0))
    return { from: id, to: other, cosine }
  })
}

/**
 * Archives a duplicate. The block that stays takes its edges, tags and reports, and its cue if it had none; from a duplicate that is
 * trusted less it takes edges and reports alone. Returns the evicted edges.
 */
async function reject(
  engine: Engine,
  { tx, moment, log }: Mutation,
  given: { readonly waiting: Block; readonly knownId: string; readonly blocks: Map<string, Block> },
): Promise<readonly Edge[]> {
  const { waiting, knownId, blocks } = given
  const known = blocks.get(knownId) as Block
  const ends = { goes: waiting, stays: known }
  const joined = await readJoined(engine, tx, ends)
  const archived = await archive(tx, [waiting], { reason: 'superseded', at: moment.at, by: known })
  const displaced = await handOver(engine, { tx, moment }, { ...ends, joined })
  const queued = await takeQueuedOutcomes(tx, [waiting.id])
  if (queued.length > 0) {
    const handed = queued.map((outcome) => ({ ...outcome, blockId: known.id }))
    await queueOutcomes(tx, handed, BELIEF.reportsKept)
  }
  const adds = mayCover(waiting, known)
  const tags = adds ? normaliseTags([...known.tags, ...waiting.tags]) : known.tags
  const cue = known.cue ?? (adds ? waiting.cue : undefined)
  const merged: Block = { ...setTags(known, { tags }, engine.settings.decay), ...defined({ cue }) }
  const kept = await applyQueuedOutcomes(tx, [merged], { settings: engine.settings, moment })
  await saveBlocks(tx, kept)
  await reindex(tx, kept, engine.analysis)
  for (const block of [...archived, ...kept]) blocks.set(block.id, block)
  await log({
    operation: 'promote',
    blockIds: [waiting.id, known.id],
    summary: 'says what another block says; archived',
    ...(displaced.length > 0 ? { before: { displaced } } : {}),
  })
  return displaced
}

/** A waiting block with all facts that are known before the transaction of its batch. */
interface Candidate extends Embedded {
  /** The index entry of the block; made before the transaction, because analysing a long text is slow. */
  readonly entry: BlockIndex
  /** Blocks that may be near it, active or not, most similar first. */
  readonly near: readonly Near[]
}

/** Returns the blocks of a batch with their neighbours and index entries. Other calls have their turn between its steps. */
export async function candidatesOf(engine: Engine, batch: readonly Embedded[]): Promise<Candidate[]> {
  const near = neighboursOf(engine, batch.map(comparedOf))
  await nextTurn()
  const candidates: Candidate[] = []
  const pauses = new Pauses()
  for (const [i, each] of batch.entries()) {
    const entry = engine.analysis.entry(each.block, each.vectors)
    candidates.push({ ...each, entry, near: near[i] ?? [] })
    await pauses.after(each.block.content.length)
  }
  await nextTurn()
  return candidates
}

/** Number of neighbours that are considered for links and comparisons, and of further ones that share its session or a tag. */
const NEIGHBOURS = 8

function comparedOf({ block, vectors: { vector } }: Embedded) {
  const { id, session, scope, tags } = block
  return { id, session, tags, vector, quantised: quantise(vector), ...defined({ scope }) }
}

type Comparable = ReturnType<typeof comparedOf>

/**
 * Returns the neighbours of each waiting block in its scope, most similar first: the nearest active blocks, and the blocks before it in the
 * batch, which are not in the index yet and are compared exactly as the index would. Several blocks are looked up at once, because a scan
 * then loads every row only once.
 */
function neighboursOf({ settings, embedder, index }: Engine, batch: readonly Comparable[]): Near[][] {
  const { edgeCosineFloor, edgeUnsharedCosine } = similarityThresholdsOf(settings, embedder.model)
  const kinFloor = edgeCosineFloor - COSINE_ERROR
  // A change can be said in quite other words: a small batch has time for a closer look.
  const floor = batch.length <= 20 ? kinFloor : Math.max(kinFloor, edgeUnsharedCosine - COSINE_ERROR)
  const known: Near[][] = []
  for (let at = 0; at < batch.length; at += SCAN_BATCH)
    known.push(...index.nearest(batch.slice(at, at + SCAN_BATCH), { count: NEIGHBOURS, floor, kinFloor }))
  return batch.map((_, i) =>
    [...(known[i] ?? []), ...mates(batch, i)]
      .filter(({ cosine, isKin }) => cosine >= (isKin ? kinFloor : floor))
      .sort((a, b) => b.cosine - a.cosine),
  )
}

/** Returns the blocks of the batch before the `i`-th that are in its scope. */
function mates(batch: readonly Comparable[], i: number): Near[] {
  const own = batch[i] as Comparable
  const tags = new Set(own.tags)
  return batch.slice(0, i).flatMap((other) => {
    if (other.scope !== own.scope) return []
    const isKin = other.session === own.session || other.tags.some((tag) => tags.has(tag))
    return [{ id: other.id, cosine: quantisedCosine(own.quantised, other.quantised), isKin }]
  })
}

/** An active block near a new one. */
interface Neighbour {
  readonly block: Block
  /** Cosine of the two contents. */
  readonly cosine: number
}

/** Returns the first of the blocks near another that are active by now, in the given order. */
function activeNeighbours(near: readonly Near[], blocks: ReadonlyMap<string, Block>): Neighbour[] {
  const active = near.flatMap(({ id, cosine }) => {
    const block = blocks.get(id)
    return block?.status === 'active' ? [{ block, cosine }] : []
  })
  return active.slice(0, NEIGHBOURS)
}

/** A block that becomes active, and its neighbours. */
interface Newcomer {
  readonly block: Block
  readonly neighbours: readonly Neighbour[]
  /** Neighbours that share its session or a tag; they may be less alike. */
  readonly kin: readonly Neighbour[]
}

/** The similarity edges of a new block. */
interface NewLinks {
  readonly edges: readonly Edge[]
  /** Edges that were evicted for the new ones. */
  readonly displaced: readonly Edge[]
  /** Ids of the blocks to which an agent joined the block while it waited. */
  readonly asserted: ReadonlySet<string>
}

/**
 * Joins new blocks, one after the other, to the neighbours with the best edge scores, within the degree cap of both ends. Runs at most four
 * statements for all, and one or two more for each block near a hub full of better edges.
 */
async function linkBySimilarity(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  newcomers: readonly Newcomer[],
): Promise<NewLinks[]> {
  const { memory } = engine.settings
  const most = Math.min(memory.similarityEdgesPerBlock, memory.edgeDegreeCap)
  const scored = newcomers.map((newcomer) => (most === 0 ? [] : scoredEdges(engine, newcomer, moment)))
  const best = scored.flatMap((each) => each.slice(0, most).flatMap(endsOf))
  const ids = [...newcomers.map(({ block }) => block.id), ...best]
  const linker = await Linker.open(engine, { tx, moment }, ids, { heedDisconnections: true })
  const links: NewLinks[] = []
  for (const [i, candidates] of scored.entries()) {
    const { block } = newcomers[i] as Newcomer
    const made = { edges: [] as Edge[], displaced: [] as Edge[] }
    const join = (edge: Edge) => {
      if (made.edges.length === most || linker.between(edge.from, edge.to)) return
      const admission = linker.add(edge)
      if (!admission.admitted) return
      made.edges.push(edge)
      made.displaced.push(...admission.displaced)
    }
    candidates.slice(0, most).forEach(join)
    // Hubs are rare, so that the other candidates are looked up only if one of the best is full.
    const others = made.edges.length < most ? candidates.slice(most) : []
    if (others.length > 0) await linker.widen(tx, others.flatMap(endsOf))
    others.forEach(join)
    links.push({ ...made, asserted: new Set(linker.assertedTo(block.id)) })
  }
  await linker.save(tx)
  return links
}

/** Returns the edges worth making, best first. Two blocks of one dream count as made at the same time (W10). */
function scoredEdges(
  { settings, embedder }: Engine,
  { block, neighbours, kin }: Newcomer,
  moment: Moment,
): Edge[] {
  const lines = similarityThresholdsOf(settings, embedder.model)
  const { edgeCosineFloor, edgeUnsharedCosine, edgeScoreThreshold } = lines
  const options = { ...EDGE_SCORE, cosineFloor: edgeCosineFloor - COSINE_ERROR }
  const end = { tags: block.tags, category: block.category, hours: moment.hours }
  const near = new Map([...neighbours, ...kin].map((each) => [each.block.id, each]))
  return [...near.values()]
    .filter(
      ({ block: other, cosine: alike }) => alike >= edgeUnsharedCosine - COSINE_ERROR || isKin(block, other),
    )
    .map(({ block: other, cosine: similarity }): Edge => {
      const otherEnd = { tags: other.tags, category: other.category, hours: other.lastReinforcedAt }
      const weight = compositeEdgeScore(similarity, end, otherEnd, options)
      const fields = { relation: 'similar', origin: 'similarity', weight } as const
      return newEdge(orderedPair(block.id, other.id), fields, moment)
    })
    .filter(({ weight }) => weight > 0 && weight >= edgeScoreThreshold)
    .sort((a, b) => b.weight - a.weight)
}

/** Returns true if two blocks share their session or a tag. */
function isKin(one: Block, other: Block): boolean {
  return one.session === other.session || one.tags.some((tag) => other.tags.includes(tag))
}

/** Returns the open pair of a new block and a near one, which a review or `resolve` settles. */
function openPair(
  { id }: Block,
  { block, cosine }: Neighbour,
  found: Required<Pick<BlockPair, 'kind' | 'foundBy' | 'createdAt'>>,
): BlockPair {
  const [a, b] = orderedPair(id, block.id)
  return { a, b, ...found, score: Math.min(1, cosine), resolved: false }
}

/**
 * Returns for each new block the open questions that need no model: the older block that its author said it replaces, and the
 * contradictions that rules find with its neighbours. Runs one statement if there are such hints, else none.
 */
async function conflictsOf(
  engine: Pick<Engine, 'settings'>,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  given: { readonly newcomers: readonly Newcomer[]; readonly blocks: ReadonlyMap<string, Block> },
): Promise<BlockPair[][]> {
  const hinted = given.newcomers.flatMap(({ block }) => block.supersedes ?? [])
  const unknown = hinted.filter((id) => !given.blocks.has(id))
  const known = await blocksById(tx, unknown, [...given.blocks.values()])
  // New blocks of a batch share most of their neighbours.
  const statements = new Map<string, Statement>()
  return given.newcomers.map((newcomer) => {
    const { block } = newcomer
    const other = known.get(block.supersedes ?? '')
    const isHint = other?.status === 'active' && other.id !== block.id && other.scope === block.scope
    const hint = isHint ? [replacingPair(block, other, moment.at)] : []
    // A statement about two blocks counts more than the finding of a rule.
    const isSaid = (pair: BlockPair) => hint.some(({ a, b }) => a === pair.a && b === pair.b)
    return [
      ...hint,
      ...ruledConflicts(engine, newcomer, moment.at, statements).filter((pair) => !isSaid(pair)),
    ]
  })
}

/** Returns the contradictions that rules find with neighbours of the same source: two people may have two ports. */
function ruledConflicts(
  { settings: { conflicts } }: Pick<Engine, 'settings'>,
  { block, neighbours }: Newcomer,
  createdAt: string,
  statements: Map<string, Statement>,
): BlockPair[] {
  const near = neighbours.filter(
    ({ block: { source, scope }, cosine }) =>
      cosine >= CONFLICT_COSINE && source === block.source && scope === block.scope,
  )
  if (!conflicts.rules || near.length === 0) return []
  const statementOf = ({ content }: Block): Statement => {
    const known = statements.get(content) ?? readStatement(content, stemOf)
    statements.set(content, known)
    return known
  }
  return near.flatMap((each) => {
    const rule = contradictionBetween(statementOf(block), statementOf(each.block))
    if (rule === undefined) return []
    return [openPair(block, each, { kind: 'contradiction', foundBy: `rule:${rule}`, createdAt })]
  })
}
