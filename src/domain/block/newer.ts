import type { Block } from './block.ts'

type Dated = Pick<Block, 'id' | 'occurredAt' | 'createdAt'>

/** True if the first of two blocks says the later thing: by when it happened, then by when it was remembered. */
export function isNewer(one: Dated, other: Dated): boolean {
  if (one.occurredAt !== other.occurredAt) return one.occurredAt > other.occurredAt
  return one.createdAt === other.createdAt ? one.id > other.id : one.createdAt > other.createdAt
}
