import type { Block, Occurrence } from '../../domain/block/block.ts'
import { occurrences } from '../tables.ts'
import type { Transaction } from '../transaction.ts'

/** Reads the times at which the texts of blocks were said again, in the order of their arrival. */
export async function readOccurrencesOf(
  { rows }: Transaction,
  ids: readonly string[],
): Promise<Occurrence[]> {
  const found = await rows.touching(occurrences, ids)
  return found.map(({ arrival: _arrival, ...occurrence }) => occurrence)
}

/** Adds to blocks that were said again when that was. No statement where there are none. */
export async function withOccurrences(tx: Transaction, blocks: readonly Block[]): Promise<Block[]> {
  const saidAgain = blocks.filter(({ lastToldAt }) => lastToldAt !== undefined)
  if (saidAgain.length === 0) return [...blocks]
  const found = await readOccurrencesOf(
    tx,
    saidAgain.map(({ id }) => id),
  )
  const byBlock = Map.groupBy(found, ({ blockId }) => blockId)
  return blocks.map((block) => {
    const own = byBlock.get(block.id)
    return own === undefined ? block : { ...block, occurrences: own }
  })
}

/** Adds occurrences of existing blocks behind those that are there. */
export async function saveOccurrences(tx: Transaction, given: readonly Occurrence[]): Promise<void> {
  const at = await tx.lookUp(given.map(({ blockId }) => blockId))
  await tx.rows.insert(
    occurrences,
    given.filter(({ blockId }) => at(blockId) !== undefined),
  )
}
