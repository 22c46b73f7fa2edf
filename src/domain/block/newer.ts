import type { Block } from './block.ts'

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

/** True if two blocks were said at one moment, as far as clocks tell. */
export function isAtOnce(one: Dated, other: Dated): boolean {
  return saidAt(one) === saidAt(other) && one.createdAt === other.createdAt
}

/** True if a block is dated after the moment it was remembered, such as an appointment. */
export function isPlanned({ occurredAt, createdAt }: Times): boolean {
  return occurredAt > createdAt
}

/** When a block was said, ISO-8601 UTC: no date given by hand is later than the moment it was remembered. */
export function saidAt({ occurredAt, createdAt }: Times): string {
  return occurredAt < createdAt ? occurredAt : createdAt
}

function isToldLater(one: Dated, other: Dated): boolean {
  return one.createdAt === other.createdAt ? one.id > other.id : one.createdAt > other.createdAt
}
