import type { ArchiveReason, Block } from '../block/block.ts'
import { earlier, endBy } from '../block/validity.ts'
import { saveBlocks } from '../store/blocks.ts'
import { archiveEdgesOf } from '../store/graph.ts'
import type { Transaction } from '../store/transaction.ts'

/** Why and when blocks leave, and for which. */
export interface Archiving {
  readonly reason: ArchiveReason
  /** ISO-8601 UTC. */
  readonly at: string
  /** The block that takes their place: they end when it begins. */
  readonly by?: Block
}

/**
 * Archives inbox and active blocks, keeping tags; edges and open pairs go to where `restore` finds them.
 * Returns the archived blocks; those that were archived already are left alone.
 */
export async function archive(
  tx: Transaction,
  blocks: readonly Block[],
  { reason, at, by }: Archiving,
): Promise<Block[]> {
  const leaving = blocks.filter(({ status }) => status !== 'archived')
  if (leaving.length === 0) return []
  await archiveEdgesOf(
    tx,
    leaving.map(({ id, status }) => ({ id, previousStatus: status })),
  )
  const archived = leaving.map(
    (block): Block => ({
      ...block,
      status: 'archived',
      archiveReason: reason,
      archivedAt: at,
      ...(by === undefined ? {} : { supersededBy: by.id, ...endedBy(block, by) }),
    }),
  )
  await saveBlocks(tx, archived)
  return archived
}

/** The end of a block whose place another takes; an earlier one stays. */
export function endedBy(older: Block, newer: Block): Pick<Block, 'supersededAt'> {
  const supersededAt = earlier(older.supersededAt, endBy(older, newer))
  return supersededAt === undefined ? {} : { supersededAt }
}
