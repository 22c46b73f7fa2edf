import type { Block } from './block.ts'
import { isOwn } from './source-class.ts'

type Dated = Pick<Block, 'id' | 'occurredAt' | 'createdAt'>
type Classed = Pick<Block, 'sourceClass'>

/** Whether the first of two blocks says the later thing: by when it happened, then by when it was remembered. */
export function isNewer(one: Dated, other: Dated): boolean {
  if (one.occurredAt !== other.occurredAt) return one.occurredAt > other.occurredAt
  return one.createdAt === other.createdAt ? one.id > other.id : one.createdAt > other.createdAt
}

/** Whether the first of two near twins is shown: the own words before those of others, the newer of equals. */
export function isShownTwin(one: Dated & Classed, other: Dated & Classed): boolean {
  return isOwn(one) === isOwn(other) ? isNewer(one, other) : isOwn(one)
}
