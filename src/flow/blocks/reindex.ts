import type { Block } from '../../domain/block/block.ts'
import type { StoreWriter } from '../../ports/store/transaction.ts'
import type { Analysis } from '../../search/language/choose.ts'

/**
 * Renews what recall finds the active ones of the blocks by, from their words as they are now and the vectors they have.
 * For changes that leave the content alone; a new content needs a new vector.
 */
export async function reindex(tx: StoreWriter, blocks: readonly Block[], analysis: Analysis): Promise<void> {
  const active = blocks.filter(({ status }) => status === 'active')
  if (active.length === 0) return
  const vectors = await tx.vectors(active.map(({ id }) => id))
  await tx.saveIndex(active.map((block) => analysis.entry(block, vectors.get(block.id))))
}
