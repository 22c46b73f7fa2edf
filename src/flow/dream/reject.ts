import type { Block } from '../../domain/block/block.ts'
import { isLessTrusted } from '../../domain/block/source-class.ts'
import { normaliseTags } from '../../domain/block/tags.ts'
import { archive } from '../blocks/archive.ts'
import { reindex } from '../blocks/reindex.ts'
import { setTags } from '../blocks/set-tags.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { applyQueuedOutcomes } from '../outcome/believe.ts'

/** A waiting block that says what a known one says, and all blocks as the transaction has them by now. */
export interface Rejection {
  readonly waiting: Block
  readonly knownId: string
  readonly blocks: Map<string, Block>
}

/**
 * Nothing of a duplicate is lost but its words: the block that stays takes its tags, reports, and its cue if it had none.
 * One that is trusted less hands on its reports alone.
 */
export async function reject(
  { settings, analysis }: Engine,
  { tx, moment, log }: Mutation,
  { waiting, knownId, blocks }: Rejection,
): Promise<{ readonly fate: 'duplicate'; readonly of: string }> {
  const known = blocks.get(knownId) as Block
  const archived = await archive(tx, [waiting], { reason: 'superseded', supersededBy: known.id })
  const queued = await tx.takeQueuedOutcomes([waiting.id])
  if (queued.length > 0)
    await tx.queueOutcomes(
      queued.map((outcome) => ({ ...outcome, blockId: known.id })),
      settings.memory.keepOutcomes,
    )
  const adds = !isLessTrusted(waiting.sourceClass, known.sourceClass)
  const tags = adds ? normaliseTags([...known.tags, ...waiting.tags]) : known.tags
  const cue = known.cue ?? (adds ? waiting.cue : undefined)
  const merged: Block = { ...setTags(known, { tags }, settings.decay), ...(cue === undefined ? {} : { cue }) }
  const kept = await applyQueuedOutcomes(tx, [merged], { settings, moment })
  await tx.saveBlocks(kept)
  await reindex(tx, kept, analysis)
  for (const block of [...archived, ...kept]) blocks.set(block.id, block)
  await log({
    operation: 'promote',
    blockIds: [waiting.id, known.id],
    summary: `${waiting.id} says what ${known.id} says; archived`,
  })
  return { fate: 'duplicate', of: known.id }
}
