import type { Block, BlockIndex } from '../block/block.ts'
import { areApart, isKeptAsSaid } from '../block/kept-as-said.ts'
import { isSameText } from '../block/same-text.ts'
import { mayCover } from '../block/source-class.ts'
import { normaliseTags } from '../block/tags.ts'
import { count, estimateTokens } from '../block/text.ts'
import { ensureEmbeddingLock, refuseOtherModel } from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { reindex, rememberAnalysis } from '../engine/reindex.ts'
import { handOver, readJoined } from '../graph/carry.ts'
import type { BlockPair, Edge } from '../graph/edge.ts'
import type { Displacement } from '../graph/linker.ts'
import { perhapsNewer, type Replaceable, replaceable } from '../intake/may-replace.ts'
import { archive } from '../intake/supersede.ts'
import { BELIEF, setTags, tierLambda } from '../outcome/formulas.ts'
import { applyQueuedOutcomes } from '../outcome/outcome.ts'
import { readBlocks, readSequence, saveBlocks } from '../store/blocks.ts'
import { queueOutcomes, takeQueuedOutcomes } from '../store/log.ts'
import { queueUnlabelled, savePairs } from '../store/pairs.ts'
import type { UnlabelledPair } from '../store/queries.ts'
import { saveIndex } from '../store/vectors.ts'
import { JUDGING } from './judgement.ts'
import {
  activeNeighbours,
  type Candidate,
  conflictsOf,
  linkBySimilarity,
  type Neighbour,
  type NewLinks,
  nearPairs,
} from './link.ts'

/** Cosine from which a pair of nearly equal texts is flagged for resolve. */
const NEAR_DUPLICATE_COSINE = 0.9

/** An active block and what came with it. */
export interface Promoted {
  readonly fate: 'promoted'
  readonly block: Block
  readonly index: BlockIndex
  /** Its edges, and those evicted for them. */
  readonly links: NewLinks
  readonly nearPairs: readonly BlockPair[]
  /** Supersessions that somebody said, and contradictions with other blocks. */
  readonly conflicts: readonly BlockPair[]
  /** Older blocks that it may replace, as nobody said. */
  readonly mayReplace: readonly Replaceable[]
  /** Pairs whose relation is worth a label. */
  readonly unlabelled: readonly UnlabelledPair[]
}

/** The result for one block. `gone`: somebody else promoted, forgot or edited it meanwhile. */
type Done =
  | Promoted
  | { readonly fate: 'gone' }
  | { readonly fate: 'duplicate'; readonly displacements: readonly Displacement[] }

/** The result for each block, and the store's sequence before and after, for the resident index. */
export interface PromotedBatch {
  readonly done: readonly Done[]
  readonly sequence: { readonly before: number; readonly after: number }
}

/** What a promotion keeps for a judgement. */
export interface PromoteOptions {
  /** True if a model is to judge, now or in a later dream: blocks are marked, and pairs without a label are kept. */
  readonly isPending: boolean
}

/**
 * Makes the blocks of a batch active in one transaction: each whole or none, so that a killed dream loses nothing and
 * goes on where it stopped. The write is not durable by itself: undone by a power failure, the blocks wait again; the
 * dream's last write makes all of them durable. About fifteen statements for all, and as many for each duplicate.
 */
export async function promote(
  engine: Engine,
  context: CallContext,
  batch: readonly Candidate[],
  options: PromoteOptions,
): Promise<PromotedBatch> {
  const work = async (mutation: Mutation): Promise<PromotedBatch> => {
    // Another process may have changed the vectors to another model since these were made.
    await refuseOtherModel(mutation.tx, engine.embedder)
    const before = await readSequence(mutation.tx)
    const done = await promoteAll(engine, mutation, { batch, options })
    return { done, sequence: { before, after: await readSequence(mutation.tx) } }
  }
  return mutate(engine, context, work, { durable: false })
}

/** A waiting block that is to become active. */
interface Promotion extends Candidate {
  /** The block as it will be, without the reports about it. */
  readonly active: Block
  /** Neighbours so near that the pair is flagged. */
  readonly flagged: readonly Neighbour[]
}

/** Decides about one block after the other; those to be activated are collected and written at once. */
async function promoteAll(
  engine: Engine,
  mutation: Mutation,
  { batch, options }: { readonly batch: readonly Candidate[]; readonly options: PromoteOptions },
): Promise<Done[]> {
  const ids = batch.flatMap(({ block, near }) => [block.id, ...near.map(({ id }) => id)])
  const blocks = new Map((await readBlocks(mutation.tx, ids)).map((block) => [block.id, block]))
  const done: Done[] = []
  let run: Promotion[] = []
  const activateRun = async () => {
    done.push(...(await activate(engine, mutation, { run, blocks, options })))
    run = []
  }
  for (const candidate of batch) {
    const { id, content } = candidate.block
    const waiting = blocks.get(id)
    if (waiting?.status !== 'inbox' || waiting.content !== content) {
      await activateRun()
      await mutation.log({ operation: 'promote', blockIds: [], summary: 'was no longer waiting' })
      done.push({ fate: 'gone' })
      continue
    }
    const flagged = nearOf(waiting, activeNeighbours(candidate.near, blocks))
    const known = flagged.find(({ block }) => makesNeedless(block, waiting))
    if (known === undefined) {
      const active = activated(engine, mutation, waiting, options)
      blocks.set(id, active)
      run.push({ ...candidate, active, flagged })
    } else {
      await activateRun()
      const rejection = { waiting, knownId: known.block.id, blocks }
      done.push({ fate: 'duplicate', displacements: await reject(engine, mutation, rejection) })
    }
  }
  await activateRun()
  return done
}

/** Returns the neighbours so near a new block that both may say the same, most similar first. */
function nearOf({ category }: Block, neighbours: readonly Neighbour[]): readonly Neighbour[] {
  if (isKeptAsSaid(category)) return []
  return neighbours.filter(
    ({ cosine, block }) => cosine >= NEAR_DUPLICATE_COSINE && !areApart(block.category, category),
  )
}

/** Returns true if a known block says the same and is trusted as much, so that the new one is archived. */
function makesNeedless(known: Block, block: Block): boolean {
  return isSameText(known.content, block.content) && mayCover(known, block)
}

/** Returns a waiting block as it will be. */
function activated(
  { settings }: Engine,
  { moment }: Mutation,
  waiting: Block,
  { isPending }: PromoteOptions,
): Block {
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

/** Arguments of `activate`. */
interface Run {
  /** In the order in which they become active. */
  readonly run: readonly Promotion[]
  /** All blocks as the transaction has them by now; those of the run are brought up to date. */
  readonly blocks: Map<string, Block>
  readonly options: PromoteOptions
}

/** Makes blocks active and links them, as one after the other would be. A few statements, whatever their number. */
async function activate(
  engine: Engine,
  mutation: Mutation,
  { run, blocks, options }: Run,
): Promise<Promoted[]> {
  const [first] = run
  if (first === undefined) return []
  const { settings, embedder } = engine
  const { tx, moment } = mutation
  const actives = run.map(({ active }) => active)
  const reported = await applyQueuedOutcomes(tx, actives, { settings, moment })
  for (const block of reported) blocks.set(block.id, block)
  const newcomers = run.map(({ near }, i) => {
    const kin = near.filter(({ isKin }) => isKin)
    return {
      block: reported[i] as Block,
      neighbours: activeNeighbours(near, blocks),
      kin: activeNeighbours(kin, blocks),
    }
  })
  const links = await linkBySimilarity(engine, mutation, newcomers)
  if (engine.vectorModel.current === undefined) {
    await ensureEmbeddingLock(tx, { model: embedder.model, dimensions: first.vectors.vector.length })
    await rememberAnalysis(tx, engine.analysis)
  }
  const conflicts = await conflictsOf(engine, mutation, { newcomers, blocks })
  const cosine = cosineAmong(engine, run)
  const promoted = run.map((promotion, i): Promoted => {
    const block = reported[i] as Block
    const joined = links[i] as NewLinks
    // The relation to these is said already; that one takes the place of the other is said as well.
    const isSaid = (...ids: readonly string[]) => ids.some((id) => joined.asserted.has(id))
    const found = (conflicts[i] ?? []).filter(({ a, b, kind }) => kind === 'supersession' || !isSaid(a, b))
    const neighbours = newcomers[i]?.neighbours ?? []
    const earlier = neighbours.flatMap(({ block: older }) => (isSaid(older.id) ? [] : [older]))
    const mayReplace = replaceable(engine, block, { earlier, cosine })
    const related = { edges: joined.edges, neighbours, mayReplace }
    return {
      fate: 'promoted',
      block,
      index: entryOf(engine, block, promotion),
      links: joined,
      nearPairs: nearPairs(block, promotion.flagged, moment.at).filter(({ a, b }) => !isSaid(a, b)),
      conflicts: found,
      mayReplace,
      unlabelled: unlabelledPairs(promotion, related).filter(({ from, to }) => !isSaid(from, to)),
    }
  })
  await write(mutation, promoted, options.isPending ? JUDGING.pairsWaiting : undefined)
  return promoted
}

/** Writes active blocks in an order in which each becomes a change for readers once, when it is active. */
async function write(
  { tx, moment, logAll }: Mutation,
  promoted: readonly Promoted[],
  pairsKept: number | undefined,
): Promise<void> {
  await saveIndex(
    tx,
    promoted.map(({ index }) => index),
  )
  await saveBlocks(
    tx,
    promoted.map(({ block }) => block),
  )
  const guesses = promoted.flatMap(({ block, mayReplace }) =>
    mayReplace.map((found) => perhapsNewer(block, found, moment.at)),
  )
  const [near, conflicts] = [
    promoted.flatMap((each) => each.nearPairs),
    promoted.flatMap((each) => each.conflicts),
  ]
  await savePairs(tx, [...near, ...conflicts, ...guesses])
  if (pairsKept !== undefined) {
    const unlabelled = promoted.flatMap((each) => each.unlabelled)
    await queueUnlabelled(tx, unlabelled, pairsKept)
  }
  await logAll(
    promoted.map(({ block, links: { edges, displacements }, nearPairs: pairs }) => ({
      operation: 'promote',
      blockIds: [block.id],
      summary: `active, ${count(edges.length, 'edge')}, ${count(pairs.length, 'near-duplicate')}`,
      ...(displacements.length > 0 ? { before: { displacements } } : {}),
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

interface Related {
  readonly edges: readonly Edge[]
  readonly neighbours: readonly Neighbour[]
  readonly mayReplace: readonly Replaceable[]
}

/**
 * Returns the pairs of a new block whose relation is worth a label: with the blocks it was joined to, its near-duplicates,
 * those it may replace, and those by the same source that are like it.
 */
function unlabelledPairs(
  { block: { id, source }, near, flagged }: Promotion,
  { edges, neighbours, mayReplace }: Related,
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

/** A waiting block that says what a known one says, and all blocks as the transaction has them by now. */
interface Rejection {
  readonly waiting: Block
  readonly knownId: string
  readonly blocks: Map<string, Block>
}

/**
 * Archives a duplicate. The block that stays takes its edges, tags, reports, and its cue if it had none; of one that is
 * trusted less it takes edges and reports alone. Returns the edges evicted.
 */
async function reject(
  engine: Engine,
  { tx, moment, log }: Mutation,
  { waiting, knownId, blocks }: Rejection,
): Promise<readonly Displacement[]> {
  const { analysis } = engine
  const known = blocks.get(knownId) as Block
  const ends = { goes: waiting, stays: known }
  const joined = await readJoined(engine, tx, ends)
  const archived = await archive(tx, [waiting], { reason: 'superseded', at: moment.at, by: known })
  const displacements = await handOver(engine, { tx, moment }, { ...ends, joined })
  const queued = await takeQueuedOutcomes(tx, [waiting.id])
  if (queued.length > 0) {
    const handed = queued.map((outcome) => ({ ...outcome, blockId: known.id }))
    await queueOutcomes(tx, handed, BELIEF.reportsKept)
  }
  const adds = mayCover(waiting, known)
  const tags = adds ? normaliseTags([...known.tags, ...waiting.tags]) : known.tags
  const cue = known.cue ?? (adds ? waiting.cue : undefined)
  const merged: Block = {
    ...setTags(known, { tags }, engine.settings.decay),
    ...(cue === undefined ? {} : { cue }),
  }
  const kept = await applyQueuedOutcomes(tx, [merged], { settings: engine.settings, moment })
  await saveBlocks(tx, kept)
  await reindex(tx, kept, analysis)
  for (const block of [...archived, ...kept]) blocks.set(block.id, block)
  await log({
    operation: 'promote',
    blockIds: [waiting.id, known.id],
    summary: 'says what another block says; archived',
    ...(displacements.length > 0 ? { before: { displacements } } : {}),
  })
  return displacements
}
