import type { Block } from './block.ts'
import { isLessTrusted, type SourceClass } from './source-class.ts'
import { tagNamespace } from './tags.ts'

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

type Times = Pick<Block, 'occurredAt' | 'createdAt' | 'lastAt' | 'lastToldAt'>
/** The fields that order a block among others. */
export type Dated = Times & Pick<Block, 'id' | 'session' | 'position'>

/**
 * True if the first of two blocks says the later thing by its newest occurrence: by when that happened, but never later
 * than it was remembered, then by when it was remembered, then by its place in the session. A total order.
 */
export function isNewer(one: Dated, other: Dated): boolean {
  const [first, second] = [lastSaidAt(one), lastSaidAt(other)]
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
  return lastSaidAt(one) === lastSaidAt(other) && toldAt(one) === toldAt(other)
}

/** True if a block is dated after the time it was remembered, such as an appointment. */
export function isPlanned(block: Times): boolean {
  return (block.lastAt ?? block.occurredAt) > toldAt(block)
}

/** True if a block is dated ahead and another was remembered after it: then its date says nothing of that one. */
export function isOvertaken(one: Times, other: Times): boolean {
  return isPlanned(one) && toldAt(one) < toldAt(other)
}

/** When a block was said first, ISO-8601 UTC: no date given by hand is later than the time it was remembered. */
export function saidAt({ occurredAt, createdAt }: Pick<Times, 'occurredAt' | 'createdAt'>): string {
  return occurredAt < createdAt ? occurredAt : createdAt
}

/** When a block was said last, ISO-8601 UTC: no date given by hand is later than the time it was remembered. */
export function lastSaidAt(block: Times): string {
  const [at, told] = [block.lastAt ?? block.occurredAt, toldAt(block)]
  return at < told ? at : told
}

/** When the newest words of a block arrived. */
function toldAt({ createdAt, lastToldAt = createdAt }: Times): string {
  return lastToldAt
}

function isToldLater(one: Dated, other: Dated): boolean {
  const [first, second] = [toldAt(one), toldAt(other)]
  if (first !== second) return first > second
  if (one.session !== other.session) return one.session > other.session
  return one.position === other.position ? one.id > other.id : one.position > other.position
}
