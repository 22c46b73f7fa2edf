import type { Block } from './block.ts'
import { isPlanned } from './newer.ts'
import { isLessTrusted, type SourceClass } from './source-class.ts'
import { tagNamespace } from './tags.ts'

type Standing = Pick<Block, 'sourceClass' | 'occurredAt' | 'createdAt'>

/**
 * True if the first block may be shown in place of the second: it is not less trusted, and no date ahead lets it stand
 * over what was remembered after it.
 */
export function mayHide(one: Standing, other: Standing): boolean {
  if (isLessTrusted(one.sourceClass, other.sourceClass)) return false
  return !isPlanned(one) || one.createdAt >= other.createdAt
}

/** Words that come in, as far as it matters who said them before. */
interface SaidAgain {
  readonly sourceClass: SourceClass
  /** A recall has just shown them. */
  readonly isEcho?: boolean | undefined
  /** They say who the agent is: they are never left to a block of less trust. */
  readonly insists?: boolean | undefined
}

/**
 * What becomes of words that a living block says already:
 *
 * - `merge`: nothing is added but what may be merged; the block keeps its class.
 * - `raise`: the owner says the same as a less trusted block, which counts as the owner's from now on.
 * - `apart`: a block of its own beside the less trusted one.
 *
 * A message and a block that claims another's place are not raised: the owner said the words, not the claim.
 */
export function meetingOf(
  known: Pick<Block, 'sourceClass' | 'category' | 'tags' | 'supersedes'>,
  { sourceClass, isEcho = false, insists = false }: SaidAgain,
): 'merge' | 'raise' | 'apart' {
  if (isEcho || !isLessTrusted(known.sourceClass, sourceClass)) return 'merge'
  if (sourceClass !== 'user') return insists ? 'apart' : 'merge'
  const isMessage = known.category === 'message' || known.tags.some((tag) => tagNamespace(tag) === 'peer')
  return isMessage || known.supersedes !== undefined ? 'apart' : 'raise'
}

/** Of blocks that say the same the one that counts: the most trusted, of these the first. */
export function mostTrusted<T extends Pick<Block, 'sourceClass'>>(blocks: readonly T[]): T | undefined {
  return blocks.reduce<T | undefined>(
    (best, block) =>
      best !== undefined && !isLessTrusted(best.sourceClass, block.sourceClass) ? best : block,
    undefined,
  )
}
