import type { Block } from './block.ts'
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

/**
 * True if what ties the first block to others may bring the second under one of them: nothing that is trusted less moves
 * what is trusted more.
 */
export function mayCarry(one: Pick<Standing, 'sourceClass'>, other: Pick<Standing, 'sourceClass'>): boolean {
  return !isLessTrusted(one.sourceClass, other.sourceClass)
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
 * Decides what happens to words that a living block says already:
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

type Dated = Pick<Block, 'id' | 'occurredAt' | 'createdAt'>
type Times = Pick<Block, 'occurredAt' | 'createdAt'>

/**
 * True if the first of two blocks says the later thing: by when it happened, but never later than it was remembered,
 * then by when it was remembered. A total order.
 */
export function isNewer(one: Dated, other: Dated): boolean {
  const [first, second] = [saidAt(one), saidAt(other)]
  if (first !== second) return first > second
  return isToldLater(one, other)
}

/**
 * The same for two blocks alone, where a date ahead says nothing: if one of them is planned, the one remembered later is
 * the later word, whatever date that one has. No order: of three blocks each may be a later word than another.
 */
export function isLaterWord(one: Dated, other: Dated): boolean {
  return isPlanned(one) || isPlanned(other) ? isToldLater(one, other) : isNewer(one, other)
}

/** True if two blocks were said at the same time, as far as clocks tell. */
export function isAtOnce(one: Dated, other: Dated): boolean {
  return saidAt(one) === saidAt(other) && one.createdAt === other.createdAt
}

/** True if a block is dated after the time it was remembered, such as an appointment. */
export function isPlanned({ occurredAt, createdAt }: Times): boolean {
  return occurredAt > createdAt
}

/** When a block was said, ISO-8601 UTC: no date given by hand is later than the time it was remembered. */
export function saidAt({ occurredAt, createdAt }: Times): string {
  return occurredAt < createdAt ? occurredAt : createdAt
}

function isToldLater(one: Dated, other: Dated): boolean {
  return one.createdAt === other.createdAt ? one.id > other.id : one.createdAt > other.createdAt
}
