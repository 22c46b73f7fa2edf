import type { Settings } from '../../config/settings.ts'
import type { Block } from '../../domain/block/block.ts'
import {
  BELIEF,
  confidenceOf,
  penalisedLambda,
  recoveredLambda,
  tierLambda,
  updateEvidence,
} from '../../domain/score/experience.ts'
import type { OutcomeRecord, QueuedOutcome, StoreWriter } from '../../ports/store/transaction.ts'
import type { Moment } from '../engine/engine.ts'

/** A block after a report, and the line for the audit. */
export interface Believed {
  readonly block: Block
  readonly record: OutcomeRecord
}

/**
 * Returns a block after a report, and the record of it: evidence counts always; when it helped, its clocks
 * start anew and a penalty lessens; when it misled, it fades faster; when it was beside the point, nothing changes.
 */
export function believe(
  block: Block,
  { signal, weight, source, beside = false }: Omit<QueuedOutcome, 'blockId'> & { readonly beside?: boolean },
  { settings, moment }: { readonly settings: Settings; readonly moment: Moment },
): Believed {
  const { decay } = settings
  const evidence = { ...block, ...updateEvidence(block, { signal, weight }) }
  // What was beside the point of one question is no worse for it.
  const after = beside
    ? block
    : moved(evidence, signal, { hours: moment.hours, tier: tierLambda(block, decay) })
  return {
    block: after,
    record: {
      blockId: block.id,
      signal,
      weight,
      source,
      confidenceBefore: confidenceOf(block),
      confidenceAfter: confidenceOf(after),
      at: moment.at,
    },
  }
}

/** The block with its clocks at `hours`, as whatever said that it was useful leaves it. */
export function useful(block: Block, hours: number): Block {
  return {
    ...block,
    reinforcementCount: block.reinforcementCount + 1,
    lastReinforcedAt: hours,
    lastUsefulAt: hours,
  }
}

function moved(
  block: Block,
  signal: number,
  { hours, tier }: { readonly hours: number; readonly tier: number },
): Block {
  if (signal > BELIEF.usefulAbove)
    return {
      ...useful(block, hours),
      decayLambda: recoveredLambda(block.decayLambda, tier, BELIEF.penaltyFactor),
    }
  if (signal >= BELIEF.misledBelow) return block
  const penalty = {
    factor: BELIEF.penaltyFactor,
    ceiling: BELIEF.decayMost,
    immuneAt: BELIEF.immuneAt,
  }
  return { ...block, decayLambda: penalisedLambda(block.decayLambda, penalty) }
}

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
  await tx.appendOutcomes(records, BELIEF.reportsKept)
  return blocks.map((block) => byId.get(block.id) ?? block)
}
