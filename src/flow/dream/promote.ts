import type { Block } from '../../domain/block/block.ts'
import { areApart, isKeptAsSaid } from '../../domain/block/kept-as-said.ts'
import { mayCover } from '../../domain/block/source-class.ts'
import { normaliseTags } from '../../domain/block/tags.ts'
import { BELIEF, setTags } from '../../domain/score/formulas.ts'
import { isSameText } from '../../domain/text/same-text.ts'
import { archive } from '../blocks/archive.ts'
import { reindex } from '../blocks/reindex.ts'
import { refuseOtherModel } from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { handOver, readJoined } from '../graph/carry.ts'
import type { Displacement } from '../graph/linker.ts'
import { applyQueuedOutcomes } from '../outcome/learn.ts'
import { activate, begin, type Promoted, type Promotion, type PromotionTools } from './activate.ts'
import type { Candidate } from './batches.ts'
import { activeNeighbours, type Neighbour } from './link.ts'

/** The result for one block. `gone`: meanwhile somebody else promoted, forgot or edited it. */
type Done =
  | Promoted
  | { readonly fate: 'gone' }
  | { readonly fate: 'duplicate'; readonly displacements: readonly Displacement[] }

/** The result for each block, and the store's sequence before and after, for the resident index. */
export interface PromotedBatch {
  readonly done: readonly Done[]
  readonly sequence: { readonly before: number; readonly after: number }
}

/**
 * Inbox → active for the blocks that were embedded together, in one transaction: each whole or none, so that a killed
 * dream loses nothing and goes on where it stopped. A promotion need not be durable by itself: undone by a power
 * failure, the blocks wait in the inbox again; the dream's last write makes all of them durable. About fifteen
 * statements for all, and as many again for each duplicate among them.
 */
export async function promote(
  engine: Engine,
  context: CallContext,
  batch: readonly Candidate[],
  tools: PromotionTools,
): Promise<PromotedBatch> {
  const work = async (mutation: Mutation): Promise<PromotedBatch> => {
    // Another process may have changed the vectors to another model since these were made.
    await refuseOtherModel(mutation.tx, engine.embedder)
    const before = await mutation.tx.sequence()
    const done = await promoteAll(engine, mutation, { batch, tools })
    return { done, sequence: { before, after: await mutation.tx.sequence() } }
  }
  return mutate(engine, context, work, { durable: false })
}

/** Judges one block after the other; those to be activated are collected and written at once. */
async function promoteAll(
  engine: Engine,
  mutation: Mutation,
  { batch, tools }: { readonly batch: readonly Candidate[]; readonly tools: PromotionTools },
): Promise<Done[]> {
  const ids = batch.flatMap(({ block, near }) => [block.id, ...near.map(({ id }) => id)])
  const blocks = new Map((await mutation.tx.blocks(ids)).map((block) => [block.id, block]))
  const done: Done[] = []
  let run: Promotion[] = []
  const activateRun = async () => {
    done.push(...(await activate(engine, mutation, { run, blocks, tools })))
    run = []
  }
  for (const candidate of batch) {
    const { id, content } = candidate.block
    const waiting = blocks.get(id)
    const waits = waiting?.status === 'inbox' && waiting.content === content
    const near = waits ? nearOf(waiting, activeNeighbours(candidate.near, blocks)) : []
    const known = waits ? near.find(({ block }) => makesNeedless(block, waiting)) : undefined
    if (waits && known === undefined) {
      const promotion = begin(engine, mutation, candidate, { waiting, flagged: near })
      blocks.set(id, promotion.active)
      run.push(promotion)
      continue
    }
    await activateRun()
    if (waits && known) {
      const rejection = { waiting, knownId: known.block.id, blocks }
      done.push({ fate: 'duplicate', displacements: await reject(engine, mutation, rejection) })
    } else {
      await mutation.log({ operation: 'promote', blockIds: [], summary: 'was no longer waiting' })
      done.push({ fate: 'gone' })
    }
  }
  await activateRun()
  return done
}

/** Cosine from which a pair of nearly equal texts is flagged for resolve. */
const NEAR_DUPLICATE_COSINE = 0.9

/**
 * The neighbours so near a new block that it may state the same, most similar first. If one makes it needless, it goes;
 * those that are merely close are flagged, and both stay.
 */
function nearOf({ category }: Block, neighbours: readonly Neighbour[]): readonly Neighbour[] {
  if (isKeptAsSaid(category)) return []
  return neighbours.filter(
    ({ cosine, block }) => cosine >= NEAR_DUPLICATE_COSINE && !areApart(block.category, category),
  )
}

/** True if a known block says the same. Even then words do not take the place of those of somebody trusted more. */
function makesNeedless(known: Block, block: Block): boolean {
  return isSameText(known.content, block.content) && mayCover(known, block)
}

/** A waiting block that says what a known one says, and all blocks as the transaction has them by now. */
interface Rejection {
  readonly waiting: Block
  readonly knownId: string
  readonly blocks: Map<string, Block>
}

/**
 * Nothing of a duplicate is lost but its words: the block that stays takes its edges, tags, reports, and its cue if it had none.
 * One that is trusted less hands on its edges and reports alone. Returns the edges evicted.
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
  const queued = await tx.takeQueuedOutcomes([waiting.id])
  if (queued.length > 0)
    await tx.queueOutcomes(
      queued.map((outcome) => ({ ...outcome, blockId: known.id })),
      BELIEF.reportsKept,
    )
  const adds = mayCover(waiting, known)
  const tags = adds ? normaliseTags([...known.tags, ...waiting.tags]) : known.tags
  const cue = known.cue ?? (adds ? waiting.cue : undefined)
  const merged: Block = {
    ...setTags(known, { tags }, engine.settings.decay),
    ...(cue === undefined ? {} : { cue }),
  }
  const kept = await applyQueuedOutcomes(tx, [merged], { settings: engine.settings, moment })
  await tx.saveBlocks(kept)
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
