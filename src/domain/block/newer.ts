import type { Block } from './block.ts'

type Dated = Pick<Block, 'id' | 'occurredAt' | 'createdAt'>

/**
 * True if the first of two blocks says the later thing: by when it happened, but never later than it was remembered,
 * then by when it was remembered.
 */
export function isNewer(one: Dated, other: Dated): boolean {
  const [first, second] = [happened(one), happened(other)]
  if (first !== second) return first > second
  return one.createdAt === other.createdAt ? one.id > other.id : one.createdAt > other.createdAt
}

/** True if two blocks were said at one moment, as far as clocks tell. */
export function isAtOnce(one: Dated, other: Dated): boolean {
  return happened(one) === happened(other) && one.createdAt === other.createdAt
}

/** No date given by hand makes a statement newer than what is said after it. */
function happened({ occurredAt, createdAt }: Dated): string {
  return occurredAt < createdAt ? occurredAt : createdAt
}
