import type { BlockFacts } from '../../domain/block/block.ts'
import { type BlockPair, orderedPair } from '../../domain/graph/edge.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'

/**
 * Pairs of what waits and the block whose place it is to take, through whole chains of these around the blocks found:
 * their dream will note them. One statement, none where nothing waits.
 */
export async function proposedPairs(
  { index, settings }: Engine,
  tx: StoreReader,
  found: readonly BlockFacts[],
): Promise<readonly BlockPair[]> {
  if (index.size === index.active || found.length === 0) return []
  const ids = found.map(({ id }) => id)
  const replacing = await tx.replacing(ids, ids.length + settings.recall.versionsReach)
  return replacing.flatMap(({ id, status, supersedes, createdAt }): BlockPair[] => {
    if (status !== 'inbox' || supersedes === undefined) return []
    const [a, b] = orderedPair(id, supersedes)
    return [{ a, b, kind: 'supersession', score: 1, resolved: false, createdAt }]
  })
}
