import { defined } from '../block/text.ts'
import type { RowOf } from './description.ts'
import { predictions } from './tables-to-decide.ts'
import { keysOf, type ReadTransaction, type Transaction } from './transaction.ts'

/**
 * A prediction says how probable the statement of a block is to come true by a time, ISO-8601 UTC. A settled one has `settledAt` and
 * `cameTrue`.
 */
export type Prediction = RowOf<typeof predictions>

/** Reads the predictions of blocks in the order of the ids; a block has at most one. */
export function readPredictions(
  { rows }: ReadTransaction,
  blockIds: readonly string[],
): Promise<Prediction[]> {
  return rows.get(predictions, keysOf(blockIds))
}

/** The most settled predictions that are read. */
const SETTLED_MOST = 1_000

/** Reads the predictions that were settled last, the newest first. */
export function readSettledPredictions({ rows }: ReadTransaction): Promise<Prediction[]> {
  return rows.scan(predictions, { has: 'settledAt', order: ['-settledAt'], limit: SETTLED_MOST })
}

/** Inserts or changes predictions of existing blocks, which have the scopes of their blocks. */
export async function savePredictions(tx: Transaction, given: readonly Prediction[]): Promise<void> {
  if (given.length === 0) return
  const at = await tx.lookUp(given.map(({ blockId }) => blockId))
  const saved = given.flatMap((each) => {
    const block = at(each.blockId)
    return block === undefined ? [] : [{ ...each, ...defined({ scope: block.scope }) }]
  })
  await tx.rows.put(predictions, saved)
}

/** Removes the predictions of blocks. */
export async function removePredictions({ rows }: Transaction, blockIds: readonly string[]): Promise<void> {
  await rows.remove(predictions, keysOf(blockIds))
}
