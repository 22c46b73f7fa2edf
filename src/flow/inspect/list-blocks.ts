import type { BlockStatus } from '../../domain/block/block.ts'
import { normaliseTag } from '../../domain/block/tags.ts'
import type { PendingConnection } from '../../domain/graph/edge.ts'
import { ElfmemError } from '../../errors.ts'
import type { BlockPage } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'

export interface ListInput {
  /** Literal, or a prefix ending in `*`. */
  readonly tag?: string | undefined
  readonly category?: string | undefined
  readonly status: BlockStatus
  readonly session?: string | undefined
  readonly limit: number
  /** The `cursor` of the page before. */
  readonly cursor?: string | undefined
}

/** Blocks by filter: waiting ones oldest first, others last reinforced first. Changes nothing. */
export function listBlocks(engine: Engine, input: ListInput): Promise<BlockPage> {
  const { tag, category, status, session, limit, cursor } = input
  return engine.store.read((tx) =>
    tx.page({
      status,
      order: status === 'inbox' ? 'arrival' : 'recent',
      limit,
      ...(tag === undefined ? {} : { tag: tagPattern(tag) }),
      ...(category === undefined ? {} : { category: category.trim().toLowerCase() }),
      ...(session === undefined ? {} : { session }),
      ...(cursor === undefined ? {} : { cursor }),
    }),
  )
}

/** Connections that wait because a block is at its degree cap, oldest first. Changes nothing. */
export function listPending(engine: Engine, limit: number): Promise<PendingConnection[]> {
  return engine.store.read((tx) => tx.pendingConnections(limit))
}

/** Nothing but a `*` at the end is special (W50). */
function tagPattern(tag: string): string {
  const pattern = normaliseTag(tag)
  if (!pattern.slice(0, -1).includes('*')) return pattern
  throw new ElfmemError('INVALID_INPUT', `"${tag}" is not a tag pattern.`, {
    recovery: 'Write the whole tag, or the beginning of tags followed by one *, such as self/*.',
  })
}
