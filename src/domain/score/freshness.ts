import type { Block } from '../block/block.ts'
import { isConstitutional } from '../block/tags.ts'
import { recency } from './experience.ts'

/** The line that a block's freshness is measured against. */
export interface FadeRule {
  /** The decay per active hour up to which a block never becomes faint. */
  readonly permanent: number
  /** The freshness below which a block is faint, 0..1. */
  readonly floor: number
}

type Fading = Pick<Block, 'decayLambda' | 'lastReinforcedAt'>

/** The rule that a memory's settings say. */
export function fadeRule(settings: {
  readonly memory: { readonly archiveRecency: number }
  readonly decay: { readonly permanent: number }
}): FadeRule {
  return { permanent: settings.decay.permanent, floor: settings.memory.archiveRecency }
}

/** The share that is left of a block at an active hour, 0..1: 1 just after its last use. */
export function freshnessOf({ decayLambda, lastReinforcedAt }: Fading, hours: number): number {
  return recency(decayLambda, hours - lastReinforcedAt)
}

/** True if a curation at that active hour would archive the block, as far as its freshness says. */
export function isFaint(block: Fading, rule: FadeRule, hours: number): boolean {
  return block.decayLambda > rule.permanent && freshnessOf(block, hours) < rule.floor
}

/** True of a block that may be archived for having faded. */
export function mayFade({ status, tags }: Pick<Block, 'status' | 'tags'>): boolean {
  return status === 'active' && !isConstitutional(tags)
}

/**
 * The active hours until a block that nobody uses is archived, 0 when that is due; undefined if it never is. A bridge of
 * the graph stays longer, which only a walk over the whole graph can tell.
 */
export function hoursUntilArchived(
  block: Fading & Pick<Block, 'status' | 'tags'>,
  { permanent, floor }: FadeRule,
  hours: number,
): number | undefined {
  if (!mayFade(block) || block.decayLambda <= permanent || floor <= 0) return undefined
  const faintAt = block.lastReinforcedAt - Math.log(floor) / block.decayLambda
  return Math.max(0, faintAt - hours)
}
