import type { Settings } from '../../config/settings.ts'
import type { Block } from '../../domain/block/block.ts'
import type { OutcomeRecord, StoreWriter } from '../../ports/store/transaction.ts'
import type { Moment } from '../engine/session.ts'
import { believe } from './believe.ts'

/**
 * Applies what was reported about blocks while they waited, oldest first, and writes the audit. For dream, which saves
 * the blocks it returns: those given, in their order, changed where something was queued. Two statements.
 */
export async function applyQueuedOutcomes(
  tx: StoreWriter,
  blocks: readonly Block[],
  stamp: { readonly settings: Settings; readonly moment: Moment },
): Promise<Block[]> {
  const queued = await tx.takeQueuedOutcomes(blocks.map(({ id }) => id))
  if (queued.length === 0) return [...blocks]
  const byId = new Map(blocks.map((block) => [block.id, block]))
  const records: OutcomeRecord[] = []
  for (const report of queued) {
    const block = byId.get(report.blockId)
    if (block === undefined) continue
    const believed = believe(block, report, stamp)
    byId.set(block.id, believed.block)
    records.push(believed.record)
  }
  await tx.appendOutcomes(records, stamp.settings.memory.keepOutcomes)
  return blocks.map((block) => byId.get(block.id) ?? block)
}
