import type { Block, BlockIndex } from '../../domain/block/block.ts'
import { refuseOtherModel } from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { type Activated, type Activation, activate, begin, type PromotionTools } from './activate.ts'
import type { Prepared } from './batches.ts'
import { activeNeighbours, type Comparison, compare } from './comparison.ts'
import type { Near } from './neighbours.ts'
import { reject } from './reject.ts'

/** A waiting block with its vector, what it would be found by, and who is near it, most similar first. */
export interface Promotion extends Prepared {
  readonly entry: BlockIndex
  readonly near: readonly Near[]
  /** Tags of the memory that its words deserve. */
  readonly wordTags: readonly string[]
}

/** The result for one block. `gone`: meanwhile somebody else promoted, forgot or edited it. */
export type Promoted =
  | { readonly fate: 'gone' }
  | { readonly fate: 'duplicate'; readonly of: string }
  | (Activated & { readonly fate: 'promoted' })

/** The result for each block, and the store's sequence before and after, for the resident index. */
export interface PromotedBatch {
  readonly promoted: readonly Promoted[]
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
  batch: readonly Promotion[],
  tools: PromotionTools,
): Promise<PromotedBatch> {
  const work = async (mutation: Mutation): Promise<PromotedBatch> => {
    // Another process may have changed the vectors to another model since these were made.
    await refuseOtherModel(mutation.tx, engine.embedder)
    const before = await mutation.tx.sequence()
    const promoted = await promoteAll(engine, mutation, { batch, tools })
    return { promoted, sequence: { before, after: await mutation.tx.sequence() } }
  }
  return mutate(engine, context, work, { durable: false })
}

/** Judges one block after the other; those to be activated are collected and written at once. */
async function promoteAll(
  engine: Engine,
  mutation: Mutation,
  { batch, tools }: { readonly batch: readonly Promotion[]; readonly tools: PromotionTools },
): Promise<Promoted[]> {
  const ids = batch.flatMap(({ block, near }) => [block.id, ...near.map(({ id }) => id)])
  const blocks = new Map((await mutation.tx.blocks(ids)).map((block) => [block.id, block]))
  const promoted: Promoted[] = []
  let run: Activation[] = []
  const activateRun = async () => {
    const done = await activate(engine, mutation, { run, blocks, tools })
    promoted.push(...done.map((each) => ({ fate: 'promoted' as const, ...each })))
    run = []
  }
  for (const promotion of batch) {
    const judged = judge(promotion, blocks, engine)
    if (judged && judged.duplicateOf === undefined) {
      const { block: embedded, near: candidates, ...rest } = promotion
      const activation = begin(engine, mutation, { ...rest, ...judged, embedded, candidates })
      blocks.set(activation.block.id, activation.block)
      run.push(activation)
      continue
    }
    await activateRun()
    promoted.push(
      judged?.duplicateOf
        ? await reject(engine, mutation, {
            waiting: judged.waiting,
            knownId: judged.duplicateOf.block.id,
            blocks,
          })
        : await leave(mutation, promotion),
    )
  }
  await activateRun()
  return promoted
}

/** Compares a block with its neighbours; undefined unless it waits with the words that were embedded. */
function judge(
  { block, near }: Promotion,
  blocks: ReadonlyMap<string, Block>,
  { settings }: Engine,
): (Comparison & { readonly waiting: Block }) | undefined {
  const waiting = blocks.get(block.id)
  if (waiting?.status !== 'inbox' || waiting.content !== block.content) return undefined
  return { waiting, ...compare(waiting, activeNeighbours(near, blocks), settings) }
}

async function leave({ log }: Mutation, { block: { id } }: Promotion): Promise<Promoted> {
  await log({ operation: 'promote', blockIds: [], summary: `${id} was no longer waiting` })
  return { fate: 'gone' }
}
