import type { Settings } from '../../config/settings.ts'
import { confidenceOf, updateEvidence } from '../../domain/belief/belief.ts'
import { penalisedLambda, recoveredLambda, tierLambda } from '../../domain/belief/decay.ts'
import type { Block } from '../../domain/block/block.ts'
import type { OutcomeRecord, QueuedOutcome } from '../../ports/store/transaction.ts'
import type { Moment } from '../engine/session.ts'

/** A block after a report, and the line for the audit. */
export interface Believed {
  readonly block: Block
  readonly record: OutcomeRecord
}

/**
 * Returns a block after a report, and the record of it: evidence counts always; when it helped, its clocks
 * start anew and a penalty lessens; when it misled, it fades faster.
 */
export function believe(
  block: Block,
  { signal, weight, source }: Omit<QueuedOutcome, 'blockId'>,
  { settings, moment }: { readonly settings: Settings; readonly moment: Moment },
): Believed {
  const { memory, decay } = settings
  const evidence = { ...block, ...updateEvidence(block, { signal, weight }) }
  const after = moved(evidence, signal, memory, { hours: moment.hours, tier: tierLambda(block, decay) })
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
  memory: Settings['memory'],
  { hours, tier }: { readonly hours: number; readonly tier: number },
): Block {
  if (signal > memory.outcomeReinforceThreshold)
    return {
      ...useful(block, hours),
      decayLambda: recoveredLambda(block.decayLambda, tier, memory.penaltyFactor),
    }
  if (signal >= memory.penalizeThreshold) return block
  const penalty = {
    factor: memory.penaltyFactor,
    ceiling: memory.lambdaCeiling,
    immuneAt: memory.penaltyImmuneLambda,
  }
  return { ...block, decayLambda: penalisedLambda(block.decayLambda, penalty) }
}
