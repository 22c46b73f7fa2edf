import type { Block, BlockIndex } from '../../domain/block.ts'
import type { Edge } from '../../domain/edge.ts'
import { normaliseTags } from '../../domain/tags.ts'
import { estimateTokens } from '../../domain/text.ts'
import { indexEntry } from '../../search/analyse.ts'
import { archive } from '../archive.ts'
import { ensureEmbeddingLock } from '../embedding-lock.ts'
import type { CallContext, Engine } from '../engine.ts'
import { type Mutation, mutate } from '../mutate.ts'
import { applyQueuedOutcomes } from '../queued-outcomes.ts'
import { reindex } from '../reindex.ts'
import { retag, tierLambda } from '../retag.ts'
import { applyAnalysis, type HostAnalysis } from './host-analysis.ts'
import { compare, type Neighbour } from './likeness.ts'
import { linkBySimilarity, nearPairs } from './link.ts'

/** A waiting block with its vector and who is near it. */
export interface Promotion {
  readonly id: string
  readonly vector: Float32Array
  /** Ids of active blocks and cosines of the contents, likest first. */
  readonly near: readonly { readonly id: string; readonly cosine: number }[]
  readonly analysis?: HostAnalysis
}

/** What became of it. `gone`: another process took it meanwhile, or it was forgotten. */
type Promoted =
  | { readonly fate: 'gone' }
  | { readonly fate: 'duplicate'; readonly of: string }
  | {
      readonly fate: 'promoted'
      readonly block: Block
      readonly index: BlockIndex
      readonly edges: number
      readonly displaced: readonly Edge[]
      readonly nearPairs: number
      readonly refusedTags: readonly string[]
    }

/** What became of each, and the store's sequence before and after, for the resident index. */
export interface PromotedGroup {
  readonly promoted: readonly Promoted[]
  readonly sequence: { readonly before: number; readonly after: number }
}

/**
 * Inbox → active for the few blocks that were looked up together, in one transaction: each whole or none, so that a
 * killed dream loses nothing and goes on where it stopped. A promotion need not be durable by itself: undone by a
 * power failure, the blocks wait in the inbox again; the dream's last write makes all of them durable. About eight
 * statements a block.
 */
export async function promote(
  engine: Engine,
  context: CallContext,
  group: readonly Promotion[],
): Promise<PromotedGroup> {
  const work = async (mutation: Mutation): Promise<PromotedGroup> => {
    const before = await mutation.tx.sequence()
    const promoted: Promoted[] = []
    for (const promotion of group) promoted.push(await promoteOne(engine, mutation, promotion))
    return { promoted, sequence: { before, after: await mutation.tx.sequence() } }
  }
  return mutate(engine, context, work, { durable: false })
}

async function promoteOne(engine: Engine, mutation: Mutation, promotion: Promotion): Promise<Promoted> {
  const { tx, log } = mutation
  const [waiting, ...others] = await tx.blocks([promotion.id, ...promotion.near.map(({ id }) => id)])
  if (waiting?.id !== promotion.id || waiting.status !== 'inbox') {
    await log({ operation: 'promote', blockIds: [], summary: `${promotion.id} was no longer waiting` })
    return { fate: 'gone' }
  }
  const cosines = new Map(promotion.near.map(({ id, cosine }) => [id, cosine]))
  const neighbours = others
    .filter(({ status }) => status === 'active')
    .map((block): Neighbour => ({ block, cosine: cosines.get(block.id) as number }))
  const likeness = compare(waiting, neighbours, engine.settings)
  return likeness.duplicateOf
    ? reject(mutation, waiting, likeness.duplicateOf.block, engine)
    : activate(engine, mutation, { waiting, neighbours, near: likeness.near, promotion })
}

/** Nothing of a duplicate is lost but its words: the block that stays takes its tags, reports, and its cue if it had none. */
async function reject(mutation: Mutation, waiting: Block, known: Block, engine: Engine): Promise<Promoted> {
  const { tx, moment, log } = mutation
  await archive(tx, [waiting], { reason: 'superseded', supersededBy: known.id })
  const queued = await tx.takeQueuedOutcomes([waiting.id])
  if (queued.length > 0) await tx.queueOutcomes(queued.map((outcome) => ({ ...outcome, blockId: known.id })))
  const tags = normaliseTags([...known.tags, ...waiting.tags])
  const cue = known.cue ?? waiting.cue
  const merged: Block = {
    ...retag(known, { tags }, engine.settings.decay),
    ...(cue === undefined ? {} : { cue }),
  }
  const [kept = merged] = await applyQueuedOutcomes(tx, [merged], { settings: engine.settings, moment })
  await tx.saveBlocks([kept])
  await reindex(tx, [kept])
  await log({
    operation: 'promote',
    blockIds: [waiting.id, known.id],
    summary: `${waiting.id} says what ${known.id} says; archived`,
  })
  return { fate: 'duplicate', of: known.id }
}

interface Activation {
  readonly waiting: Block
  readonly neighbours: readonly Neighbour[]
  readonly near: readonly Neighbour[]
  readonly promotion: Promotion
}

async function activate(
  engine: Engine,
  mutation: Mutation,
  { waiting, neighbours, near, promotion }: Activation,
): Promise<Promoted> {
  const { settings, embedder } = engine
  const { tx, moment, log } = mutation
  const { block: understood, refusedTags } = applyAnalysis(waiting, promotion.analysis)
  const fresh: Block = {
    ...understood,
    status: 'active',
    decayLambda: tierLambda(understood, settings.decay),
    reinforcementCount: understood.reinforcementCount + 1,
    lastReinforcedAt: moment.hours,
    lastUsefulAt: moment.hours,
    tokenCount: Math.max(1, estimateTokens(understood.content)),
  }
  const [block = fresh] = await applyQueuedOutcomes(tx, [fresh], { settings, moment })
  const index = indexEntry(block, promotion.vector)
  const { edges, displacements } = await linkBySimilarity(engine, mutation, block, neighbours)
  const pairs = nearPairs(block, near, moment.at)
  if (engine.vectorModel.current === undefined) {
    const lock = { model: embedder.model, dimensions: promotion.vector.length }
    await ensureEmbeddingLock(tx, lock)
  }
  // In this order it becomes a change for readers once, when it is active.
  await tx.saveIndex([index])
  await tx.saveBlocks([block])
  if (pairs.length > 0) await tx.savePairs(pairs)
  await log({
    operation: 'promote',
    blockIds: [block.id],
    summary: `active, ${edges.length} edges, ${pairs.length} near twins`,
    ...(displacements.length > 0 ? { before: { displacements } } : {}),
  })
  return {
    fate: 'promoted',
    block,
    index,
    edges: edges.length,
    displaced: displacements.map(({ edge }) => edge),
    nearPairs: pairs.length,
    refusedTags,
  }
}
