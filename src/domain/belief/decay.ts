import type { Block } from '../block/block.ts'
import { isConstitutional } from '../block/tags.ts'

/** How fast a kind of block fades, from slowest to fastest. */
export type DecayTier = 'permanent' | 'durable' | 'standard' | 'ephemeral'

/** The decay of each tier, per active hour. */
export type DecayRates = Readonly<Record<DecayTier, number>>

const DURABLE_TAGS: ReadonlySet<string> = new Set(['self/value', 'self/constraint', 'self/goal'])

/** The tier of a block, first match: constitution, durable identity, `mind`, `observation`, else standard (Python elfmem). */
export function decayTier(tags: readonly string[], category: string): DecayTier {
  if (isConstitutional(tags)) return 'permanent'
  if (category === 'mind' || tags.some((tag) => DURABLE_TAGS.has(tag))) return 'durable'
  return category === 'observation' ? 'ephemeral' : 'standard'
}

/** The decay of a block's tier, per active hour: what it had without penalties. */
export function tierLambda({ tags, category }: Pick<Block, 'tags' | 'category'>, rates: DecayRates): number {
  return rates[decayTier(tags, category)]
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

/** Returns the share left after active hours, exp(−λ·max(0, hours)), 0..1 (Python elfmem; a gap < 0 is 0). */
export function recency(lambda: number, hours: number): number {
  return Math.exp(-lambda * Math.max(0, hours))
}

/** Options of the penalty for a misleading block. */
export interface PenaltyOptions {
  /** Factor by which the decay is multiplied, > 1. */
  readonly factor: number
  /** No penalty raises a decay above this. */
  readonly ceiling: number
  /** A decay up to this (durable and permanent blocks) is never penalised. */
  readonly immuneAt: number
}

/** The decay after one bad outcome: min(λ·factor, ceiling), never below λ; immune blocks keep theirs (Python elfmem). */
export function penalisedLambda(lambda: number, options: PenaltyOptions): number {
  if (lambda <= options.immuneAt) return lambda
  return Math.max(lambda, Math.min(lambda * options.factor, options.ceiling))
}

/** The decay after one good outcome: max(tier's λ, λ / factor), never above λ, so that a penalty is not for ever (W27). */
export function recoveredLambda(lambda: number, ofTier: number, factor: number): number {
  return Math.min(lambda, Math.max(ofTier, lambda / factor))
}
