import type { Block, BlockIndex } from '../../domain/block/block.ts'
import { normaliseTags } from '../../domain/block/tags.ts'
import type { BlockPair, Edge } from '../../domain/graph/edge.ts'
import { tierLambda } from '../../domain/score/formulas.ts'
import { count, estimateTokens } from '../../domain/text/text.ts'
import type { UnlabelledPair } from '../../ports/store/queries.ts'
import { rememberAnalysis } from '../blocks/reindex.ts'
import { ensureEmbeddingLock } from '../engine/embedding.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { perhapsNewer, type Replaceable, replaceable } from '../intake/may-replace.ts'
import { applyAnalysis } from '../judge/host-analysis.ts'
import { JUDGING } from '../judge/judge.ts'
import { applyQueuedOutcomes } from '../outcome/learn.ts'
import type { Candidate } from './batches.ts'
import {
  activeKin,
  activeNeighbours,
  conflictsOf,
  linkBySimilarity,
  type Neighbour,
  type NewLinks,
  nearPairs,
} from './link.ts'

/** A waiting block that is to become active. */
export interface Promotion extends Candidate {
  /** As it will be, reports about it still left out. */
  readonly active: Block
  /** Who is so near that the pair is flagged. */
  readonly flagged: readonly Neighbour[]
  readonly refusedTags: readonly string[]
}

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
  readonly wordTags: readonly string[]
  readonly refusedTags: readonly string[]
}

/** Decides what a waiting block, as it is now, will be; writes nothing. */
export function begin(
  { settings }: Engine,
  { moment }: Mutation,
  candidate: Candidate,
  { waiting, flagged }: { readonly waiting: Block; readonly flagged: readonly Neighbour[] },
): Promotion {
  const { analysis, judgementPending, wordTags } = candidate
  const tagged =
    wordTags.length === 0 ? waiting : { ...waiting, tags: normaliseTags([...waiting.tags, ...wordTags]) }
  const { block, refusedTags } =
    analysis === undefined
      ? { block: judgementPending ? { ...tagged, judgementPending } : tagged, refusedTags: [] }
      : applyAnalysis(tagged, analysis, moment.at)
  const active: Block = {
    ...block,
    status: 'active',
    decayLambda: tierLambda(block, settings.decay),
    reinforcementCount: block.reinforcementCount + 1,
    lastReinforcedAt: moment.hours,
    lastUsefulAt: moment.hours,
    tokenCount: Math.max(1, estimateTokens(block.content)),
  }
  return { ...candidate, active, flagged, refusedTags }
}

/** Objects shared by all promotions of one dream. */
export interface PromotionTools {
  /** True if pairs without a label are written with the blocks, because a model is to give them one. */
  readonly keepsPairs: boolean
}

/** Arguments of `activate`. */
interface Run {
  /** In the order in which they become active. */
  readonly run: readonly Promotion[]
  /** All blocks as the transaction has them by now; those of the run are brought up to date. */
  readonly blocks: Map<string, Block>
  readonly tools: PromotionTools
}

/** Makes blocks active and links them, as one after the other would be. A few statements, whatever their number. */
export async function activate(
  engine: Engine,
  mutation: Mutation,
  { run, blocks, tools }: Run,
): Promise<Promoted[]> {
  const [first] = run
  if (first === undefined) return []
  const { settings, embedder } = engine
  const { tx, moment } = mutation
  const reported = await applyQueuedOutcomes(
    tx,
    run.map(({ active }) => active),
    { settings, moment },
  )
  for (const block of reported) blocks.set(block.id, block)
  const newcomers = run.map(({ near }, i) => {
    const block = reported[i] as Block
    return { block, neighbours: activeNeighbours(near, blocks), kin: activeKin(near, blocks) }
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
    // How it relates to these is said already; that it takes the place of one was said as well.
    const isSaid = (ids: readonly string[]) => ids.some((id) => joined.asserted.has(id))
    const found = (conflicts[i] ?? []).filter(({ a, b, kind }) => kind === 'supersession' || !isSaid([a, b]))
    const neighbours = newcomers[i]?.neighbours ?? []
    const earlier = neighbours.flatMap(({ block: older }) => (isSaid([older.id]) ? [] : [older]))
    const mayReplace = replaceable(engine, block, { earlier, cosine })
    const unlabelled = unlabelledPairs(promotion, { edges: joined.edges, neighbours, mayReplace })
    return {
      fate: 'promoted',
      block,
      index: entryOf(engine, block, promotion),
      links: joined,
      nearPairs: nearPairs(block, promotion.flagged, moment.at).filter(({ a, b }) => !isSaid([a, b])),
      conflicts: found,
      mayReplace,
      unlabelled: unlabelled.filter(({ from, to }) => !isSaid([from, to])),
      wordTags: promotion.wordTags,
      refusedTags: promotion.refusedTags,
    }
  })
  await write(mutation, promoted, tools.keepsPairs ? JUDGING.pairsWaiting : undefined)
  return promoted
}

/** Writes blocks that become active; in this order each becomes a change for readers once, when it is active. */
async function write(
  { tx, moment, logAll }: Mutation,
  promoted: readonly Promoted[],
  pairsKept: number | undefined,
): Promise<void> {
  await tx.saveIndex(promoted.map(({ index }) => index))
  await tx.saveBlocks(promoted.map(({ block }) => block))
  await tx.savePairs([
    ...promoted.flatMap((each) => each.nearPairs),
    ...promoted.flatMap(({ conflicts }) => conflicts),
    ...promoted.flatMap(({ block, mayReplace }) =>
      mayReplace.map((found) => perhapsNewer(block, found, moment.at)),
    ),
  ])
  if (pairsKept !== undefined)
    await tx.queueUnlabelled(
      promoted.flatMap(({ unlabelled }) => unlabelled),
      pairsKept,
    )
  await logAll(
    promoted.map(({ block, links: { edges, displacements }, nearPairs: pairs, wordTags }) => {
      const tagged = wordTags.length === 0 ? '' : `, tagged by its words: ${wordTags.join(', ')}`
      return {
        operation: 'promote',
        blockIds: [block.id],
        summary: `active, ${count(edges.length, 'edge')}, ${count(pairs.length, 'near-duplicate')}${tagged}`,
        ...(displacements.length > 0 ? { before: { displacements } } : {}),
      }
    }),
  )
}

/** Analysed anew only when a cue or a summary came in between. */
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

/** Returns the cosine of two blocks by their ids: by the index, or as the blocks of a run were compared, which are not in it yet. */
function cosineAmong({ index }: Engine, run: readonly Promotion[]) {
  const near = new Map(
    run.map(({ block, near: all }) => [block.id, new Map(all.map(({ id, cosine }) => [id, cosine]))]),
  )
  return (one: string, other: string) =>
    near.get(one)?.get(other) ?? near.get(other)?.get(one) ?? index.similarity(one, other)
}

/** So many of the most similar by the same source are worth a label, joined or not: one may say what held before. */
const EARLIER_MOST = 3

/**
 * The pairs of a new block whose relation is worth a label: those it was joined to, its near-duplicates, what it may replace,
 * and what the same source said that is like it.
 */
function unlabelledPairs(
  { block: { id, source }, near, flagged }: Promotion,
  {
    edges,
    neighbours,
    mayReplace,
  }: {
    readonly edges: readonly Edge[]
    readonly neighbours: readonly Neighbour[]
    readonly mayReplace: readonly Replaceable[]
  },
): UnlabelledPair[] {
  const similarityOf = new Map(near.map((each) => [each.id, each.cosine]))
  const others = [
    ...edges.map(({ from, to }) => (from === id ? to : from)),
    ...flagged.map(({ block }) => block.id),
    ...mayReplace.map(({ older }) => older.id),
    ...neighbours
      .filter(({ block }) => block.source === source)
      .slice(0, EARLIER_MOST)
      .map(({ block }) => block.id),
  ]
  return [...new Set(others)].map((other) => {
    const cosine = Math.min(1, Math.max(0, similarityOf.get(other) ?? 0))
    return { from: id, to: other, cosine }
  })
}
