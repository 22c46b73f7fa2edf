import type { Block } from '../../domain/block/block.ts'

/** When a block came, held and went, and what took its place. */
export type DatedBlock = Pick<
  Block,
  | 'id'
  | 'status'
  | 'sourceClass'
  | 'createdAt'
  | 'occurredAt'
  | 'validFrom'
  | 'validUntil'
  | 'supersededAt'
  | 'archivedAt'
  | 'archiveReason'
  | 'supersededBy'
  | 'supersedes'
>
