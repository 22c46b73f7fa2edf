import type { Block } from '../../domain/block/block.ts'
import { type DecayRates, decayTier } from '../../domain/score/experience.ts'

/** The decay of a block's tier, per active hour: what it had without penalties. */
export function tierLambda(block: Pick<Block, 'tags' | 'category'>, rates: DecayRates): number {
  return rates[decayTier(block.tags, block.category)]
}

/** The block with other tags or another category. Its decay follows when the tier changes; a penalty then ends. */
export function setTags(
  block: Block,
  change: Partial<Pick<Block, 'tags' | 'category'>>,
  rates: DecayRates,
): Block {
  const changed = { ...block, ...change }
  const lambda = tierLambda(changed, rates)
  return lambda === tierLambda(block, rates) ? changed : { ...changed, decayLambda: lambda }
}
