import type { Block, BlockStatus } from '../../domain/block/block.ts'

/** The blocks that a page is to have; an absent field allows all. */
export interface BlockFilter {
  readonly status?: BlockStatus
  /** Literal tag, or a prefix ending in `*`. */
  readonly tag?: string
  readonly category?: string
  readonly session?: string
  /** `recent`: last reinforced first; `arrival`: oldest first; `newest`: last arrived first. Ties by id. */
  readonly order: 'recent' | 'arrival' | 'newest'
  readonly limit: number
  /** The `cursor` of the page before, in the same order; another is refused. */
  readonly cursor?: string
}

/** One page of blocks, in the order that its filter asked for. */
export interface BlockPage {
  readonly blocks: readonly Block[]
  /** Present when there is more. */
  readonly cursor?: string
}

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
