import type { Block, BlockIndex } from '../../domain/block/block.ts'
import { normaliseTags } from '../../domain/block/tags.ts'
import type { ConflictReader } from '../../domain/conflict/reader.ts'
import type { BlockPair, Edge } from '../../domain/graph/edge.ts'
import { count } from '../../domain/text/count.ts'
import { estimateTokens } from '../../domain/text/text.ts'
import type { UnlabelledPair } from '../../ports/store/judging.ts'
import { rememberAnalysis } from '../blocks/refresh-terms.ts'
import { tierLambda } from '../blocks/set-tags.ts'
import { ensureEmbeddingLock } from '../engine/embedding.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { type Analysis, applyAnalysis } from '../judge/host-analysis.ts'
import { applyQueuedOutcomes } from '../outcome/believe.ts'
import { activeNeighbours, type Neighbour } from './comparison.ts'
import { conflictsOf } from './conflicts.ts'
import { linkBySimilarity, nearPairs, type SimilarityEdges } from './link.ts'
import type { Near } from './neighbours.ts'

/** A waiting block that is to become active. */
interface Candidate {
  readonly waiting: Block
  /** The same block when it was embedded. */
  readonly embedded: Block
  readonly vector: Float32Array
  /** Its index entry, made from `embedded` before the transaction, because analysing a long text is slow. */
  readonly entry: BlockIndex
  /** Who may be near it, active or not. */
  readonly candidates: readonly Near[]
  /** Who is so near that the pair is flagged. */
  readonly near: readonly Neighbour[]
  readonly analysis?: Analysis | undefined
  /** A model was to judge it and did not. */
  readonly judgementPending: boolean
  /** Tags of the memory that its words deserve. */
  readonly wordTags: readonly string[]
}

/** The same with the block as it will be active, reports about it still left out. */
export interface Activation extends Candidate {
  readonly block: Block
  readonly refusedTags: readonly string[]
}

/** An active block and what came with it. */
export interface Activated {
  readonly block: Block
  readonly index: BlockIndex
  readonly edges: number
  /** Edges evicted for its own. */
  readonly displaced: readonly Edge[]
  readonly nearPairs: number
  /** Proposed supersessions and contradictions with older blocks. */
  readonly conflicts: readonly BlockPair[]
  /** Pairs whose relation is worth a label. */
  readonly unlabelled: readonly UnlabelledPair[]
  readonly refusedTags: readonly string[]
}

/** Decides what a waiting block will be; writes nothing. */
export function begin({ settings }: Engine, { moment }: Mutation, candidate: Candidate): Activation {
  const { waiting, analysis, judgementPending, wordTags } = candidate
  const tagged =
    wordTags.length === 0 ? waiting : { ...waiting, tags: normaliseTags([...waiting.tags, ...wordTags]) }
  const { block, refusedTags } =
    analysis === undefined
      ? { block: judgementPending ? { ...tagged, judgementPending } : tagged, refusedTags: [] }
      : applyAnalysis(tagged, analysis, { settings, at: moment.at })
  return {
    ...candidate,
    refusedTags,
    block: {
      ...block,
      status: 'active',
      decayLambda: tierLambda(block, settings.decay),
      reinforcementCount: block.reinforcementCount + 1,
      lastReinforcedAt: moment.hours,
      lastUsefulAt: moment.hours,
      tokenCount: Math.max(1, estimateTokens(block.content)),
    },
  }
}

/** Arguments of `activate`. */
interface Run {
  /** In the order in which they become active. */
  readonly run: readonly Activation[]
  /** All blocks as the transaction has them by now; those of the run are brought up to date. */
  readonly blocks: Map<string, Block>
  readonly tools: PromotionTools
}

/** Objects shared by all promotions of one dream. */
export interface PromotionTools {
  readonly reader: ConflictReader
  /** True if pairs without a label are written with the blocks, because a model is to give them one. */
  readonly keepsPairs: boolean
}

/** Makes blocks active and links them, as one after the other would be. A few statements, whatever their number. */
export async function activate(
  engine: Engine,
  mutation: Mutation,
  { run, blocks, tools }: Run,
): Promise<Activated[]> {
  const [first] = run
  if (first === undefined) return []
  const { settings, embedder } = engine
  const { tx, moment, logAll } = mutation
  const reported = await applyQueuedOutcomes(
    tx,
    run.map(({ block }) => block),
    { settings, moment },
  )
  for (const block of reported) blocks.set(block.id, block)
  const links = await linkBySimilarity(
    engine,
    mutation,
    run.map(({ block, candidates }) => ({
      block: blocks.get(block.id) as Block,
      neighbours: activeNeighbours(candidates, blocks),
    })),
  )
  if (engine.vectorModel.current === undefined) {
    await ensureEmbeddingLock(tx, { model: embedder.model, dimensions: first.vector.length })
    await rememberAnalysis(tx, engine.analysis)
  }
  const newcomers = run.map(({ candidates }, i) => {
    const block = reported[i] as Block
    return { block, neighbours: activeNeighbours(candidates, blocks) }
  })
  const conflicts = await conflictsOf(engine, mutation, { newcomers, blocks, reader: tools.reader })
  const activated = run.map(({ near, refusedTags, ...candidate }, i): Activated => {
    const block = reported[i] as Block
    const { edges, displacements } = links[i] as SimilarityEdges
    return {
      block,
      index: entryOf(engine, block, candidate),
      edges: edges.length,
      displaced: displacements.map(({ edge }) => edge),
      nearPairs: near.length,
      conflicts: conflicts[i] ?? [],
      unlabelled: unlabelledPairs(run[i] as Activation, edges),
      refusedTags,
    }
  })
  // In this order each becomes a change for readers once, when it is active.
  await tx.saveIndex(activated.map(({ index }) => index))
  await tx.saveBlocks(reported)
  await tx.savePairs([
    ...run.flatMap(({ block, near }) => nearPairs(block, near, moment.at)),
    ...conflicts.flat(),
  ])
  if (tools.keepsPairs)
    await tx.queueUnlabelled(
      activated.flatMap(({ unlabelled }) => unlabelled),
      settings.llm.maxUnlabelledPairs,
    )
  await logAll(
    activated.map(({ block, edges, nearPairs: pairs }, i) => {
      const { displacements } = links[i] as SimilarityEdges
      return {
        operation: 'promote',
        blockIds: [block.id],
        summary: `active, ${count(edges, 'edge')}, ${count(pairs, 'near-duplicate')}${toldTags(run[i])}`,
        ...(displacements.length > 0 ? { before: { displacements } } : {}),
      }
    }),
  )
  return activated
}

/** Analysed anew only when a cue or a summary came in between. */
function entryOf(
  { analysis }: Engine,
  block: Block,
  { embedded, entry, vector }: Pick<Candidate, 'embedded' | 'entry' | 'vector'>,
): BlockIndex {
  const asBefore = (['content', 'summary', 'cue', 'source'] as const).every(
    (text) => block[text] === embedded[text],
  )
  return asBefore ? entry : analysis.entry(block, vector)
}

function toldTags(activation: Activation | undefined): string {
  const tags = activation?.wordTags ?? []
  return tags.length === 0 ? '' : `, tagged by its words: ${tags.join(', ')}`
}

/** The pairs of a new block whose relation is worth a label: those it was joined to, and its near-duplicates. */
function unlabelledPairs(
  { block: { id }, candidates, near }: Activation,
  edges: readonly Edge[],
): UnlabelledPair[] {
  const similarityOf = new Map(candidates.map((each) => [each.id, each.cosine]))
  const others = [
    ...edges.map(({ from, to }) => (from === id ? to : from)),
    ...near.map(({ block }) => block.id),
  ]
  return [...new Set(others)].map((other) => {
    const cosine = Math.min(1, Math.max(0, similarityOf.get(other) ?? 0))
    return { from: id, to: other, cosine }
  })
}
