import { areApart, type Block, type BlockIndex, isKeptAsSaid } from '../block/block.ts'
import { isSameText } from '../block/same-text.ts'
import { mayCover } from '../block/source-class.ts'
import { normaliseTags } from '../block/tags.ts'
import { count, defined, estimateTokens } from '../block/text.ts'
import { ensureEmbeddingLock, refuseOtherModel } from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { reindex, rememberAnalysis } from '../engine/upkeep.ts'
import { handOver, readJoined } from '../graph/carry.ts'
import type { BlockPair, Edge } from '../graph/edge.ts'
import { perhapsNewer, type Replaceable, replaceable } from '../intake/may-replace.ts'
import { archive } from '../intake/supersede.ts'
import { BELIEF, setTags, tierLambda } from '../outcome/formulas.ts'
import { applyQueuedOutcomes } from '../outcome/outcome.ts'
import { readBlocks, saveBlocks, saveIndex } from '../store/blocks.ts'
import type { UnlabelledPair } from '../store/database.ts'
import { queueUnlabelled, savePairs } from '../store/graph.ts'
import { queueOutcomes, takeQueuedOutcomes } from '../store/log.ts'
import { JUDGING } from './judgement.ts'
import {
  activeNeighbours,
  type Candidate,
  conflictsOf,
  linkBySimilarity,
  type Neighbour,
  type NewLinks,
  openPair,
} from './link.ts'

/** Cosine from which a pair of nearly equal texts is flagged for resolve. */
const NEAR_DUPLICATE_COSINE = 0.9

/** An active block, its edges, those evicted for them, and what came with it. */
interface Promoted extends NewLinks {
  readonly block: Block
  readonly index: BlockIndex
  readonly nearPairs: readonly BlockPair[]
  /** Supersessions that somebody said, and contradictions with other blocks. */
  readonly conflicts: readonly BlockPair[]
  /** Older blocks that it may replace, as nobody said. */
  readonly mayReplace: readonly Replaceable[]
  /** Pairs whose relation is worth a label. */
  readonly unlabelled: readonly UnlabelledPair[]
}

/** The result for one block and the edges evicted for it. `gone`: somebody else promoted, forgot or edited it meanwhile. */
interface Done {
  readonly fate: 'promoted' | 'duplicate' | 'gone'
  readonly displaced: readonly Edge[]
}

/** The result for each block, those that are active now, and the store's sequence before and after, for the resident index. */
export interface PromotedBatch {
  readonly done: readonly Done[]
  readonly active: readonly Promoted[]
  readonly sequence: { readonly before: number; readonly after: number }
}

/**
 * Makes the blocks of a batch active in one transaction: each whole or none, so that a killed dream loses nothing and
 * goes on where it stopped. The write is not durable by itself: undone by a power failure, the blocks wait again; the
 * dream's last write makes all of them durable. About fifteen statements for all, and as many for each duplicate.
 *
 * @param isPending true if a model is to judge, now or in a later dream: blocks are marked, and pairs without a label kept
 */
export async function promote(
  engine: Engine,
  context: CallContext,
  batch: readonly Candidate[],
  isPending: boolean,
): Promise<PromotedBatch> {
  const work = async (mutation: Mutation): Promise<PromotedBatch> => {
    // Another process may have changed the vectors to another model since these were made.
    await refuseOtherModel(mutation.tx, engine.embedder)
    const before = (await mutation.tx.state()).sequence
    const promoted = await promoteAll(engine, mutation, batch, isPending)
    return { ...promoted, sequence: { before, after: (await mutation.tx.state()).sequence } }
  }
  return mutate(engine, context, work, { durable: false })
}

/** A waiting block that is to become active, as it will be without the reports about it, and neighbours so near that the pair is flagged. */
interface Promotion extends Candidate {
  readonly active: Block
  readonly flagged: readonly Neighbour[]
}

/** Decides about one block after the other; those to be activated are collected and written at once. */
async function promoteAll(
  engine: Engine,
  mutation: Mutation,
  batch: readonly Candidate[],
  isPending: boolean,
): Promise<Omit<PromotedBatch, 'sequence'>> {
  const ids = batch.flatMap(({ block, near }) => [block.id, ...near.map(({ id }) => id)])
  const blocks = new Map((await readBlocks(mutation.tx, ids)).map((block) => [block.id, block]))
  const done: Done[] = []
  const active: Promoted[] = []
  let run: Promotion[] = []
  const activateRun = async () => {
    const promoted = await activate(engine, mutation, run, blocks)
    await write(mutation, promoted, isPending)
    active.push(...promoted)
    done.push(...promoted.map(({ displaced }): Done => ({ fate: 'promoted', displaced })))
    run = []
  }
  for (const candidate of batch) {
    const { id, content } = candidate.block
    const waiting = blocks.get(id)
    if (waiting?.status !== 'inbox' || waiting.content !== content) {
      await activateRun()
      await mutation.log({ operation: 'promote', blockIds: [], summary: 'was no longer waiting' })
      done.push({ fate: 'gone', displaced: [] })
      continue
    }
    const flagged = activeNeighbours(candidate.near, blocks).filter(
      ({ cosine, block }) => cosine >= NEAR_DUPLICATE_COSINE && maySayTheSame(waiting, block),
    )
    const known = flagged.find(({ block }) => isSameText(block.content, content) && mayCover(block, waiting))
    if (known === undefined) {
      const block = activated(engine, mutation, waiting, isPending)
      blocks.set(id, block)
      run.push({ ...candidate, active: block, flagged })
    } else {
      await activateRun()
      const displaced = await reject(engine, mutation, { waiting, knownId: known.block.id, blocks })
      done.push({ fate: 'duplicate', displaced })
    }
  }
  await activateRun()
  return { done, active }
}

/** Returns false for what is kept as it was said, and for blocks of categories that stay apart. */
function maySayTheSame({ category }: Block, other: Block): boolean {
  return !isKeptAsSaid(category) && !areApart(other.category, category)
}

/** Returns a waiting block as it will be. */
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
 * Makes blocks active and links them, as one after the other would be. A few statements, whatever their number.
 *
 * @param blocks all blocks as the transaction has them by now; those of the run are brought up to date
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
    // The relation to these is said already; that one takes the place of the other is said as well.
    const isSaid = (...ids: readonly string[]) => ids.some((id) => joined.asserted.has(id))
    const found = (conflicts[i] ?? []).filter(({ a, b, kind }) => kind === 'supersession' || !isSaid(a, b))
    const neighbours = newcomers[i]?.neighbours ?? []
    const earlier = neighbours.flatMap(({ block: older }) => (isSaid(older.id) ? [] : [older]))
    const mayReplace = replaceable(engine, block, { earlier, cosine })
    const unlabelled = unlabelledPairs(promotion, joined.edges, neighbours, mayReplace)
    return {
      ...joined,
      block,
      index: entryOf(engine, block, promotion),
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

/** Returns the index entry of a block; it is made anew only if a cue or a summary came in between. */
function entryOf(
  { analysis }: Engine,
  active: Block,
  { block: embedded, entry, vectors }: Candidate,
): BlockIndex {
  const asBefore = (['content', 'summary', 'cue', 'source'] as const).every(
    (text) => active[text] === embedded[text],
  )
  return asBefore ? entry : analysis.entry(active, vectors)
}

/** Returns the cosine of two blocks by their ids: as the blocks of a run were compared, else by the index. */
function cosineAmong({ index }: Engine, run: readonly Promotion[]) {
  const near = new Map(
    run.map(({ block, near: all }) => [block.id, new Map(all.map(({ id, cosine }) => [id, cosine]))]),
  )
  return (one: string, other: string) =>
    near.get(one)?.get(other) ?? near.get(other)?.get(one) ?? index.similarity(one, other)
}

/** The most similar blocks by the same source that are worth a label, joined or not: one may say what held before. */
const EARLIER_MOST = 3

/**
 * Returns the pairs of a new block whose relation is worth a label: with the blocks it was joined to, its near-duplicates,
 * those it may replace, and those by the same source that are like it.
 */
function unlabelledPairs(
  { block: { id, source }, near, flagged }: Promotion,
  edges: readonly Edge[],
  neighbours: readonly Neighbour[],
  mayReplace: readonly Replaceable[],
): UnlabelledPair[] {
  const cosines = new Map(near.map((each) => [each.id, each.cosine]))
  const bySource = neighbours.filter(({ block }) => block.source === source).slice(0, EARLIER_MOST)
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
 * Archives a duplicate. The block that stays takes its edges, tags, reports, and its cue if it had none; of one that is
 * trusted less it takes edges and reports alone. Returns the edges evicted.
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
