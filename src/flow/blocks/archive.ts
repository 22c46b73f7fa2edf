import type { ArchiveReason, Block } from '../../domain/block/block.ts'
import type { StoreWriter } from '../../ports/store/transaction.ts'

/** Why blocks leave, and for which. */
export interface Archiving {
  readonly reason: ArchiveReason
  /** The block that takes their place. */
  readonly supersededBy?: string
}

/**
 * Archives inbox and active blocks, keeping tags; edges and open pairs go to where `restore` finds them.
 * Returns the archived blocks; those that were archived already are left alone.
 */
export async function archive(
  tx: StoreWriter,
  blocks: readonly Block[],
  { reason, supersededBy }: Archiving,
): Promise<Block[]> {
  const leaving = blocks.filter(({ status }) => status !== 'archived')
  if (leaving.length === 0) return []
  await tx.archiveEdgesOf(leaving.map(({ id, status }) => ({ id, previousStatus: status })))
  const archived = leaving.map(
    (block): Block => ({
      ...block,
      status: 'archived',
      archiveReason: reason,
      ...(supersededBy === undefined ? {} : { supersededBy }),
    }),
  )
  await tx.saveBlocks(archived)
  return archived
}
