import type { OutcomeRecord, QueuedOutcome } from '../../ports/store/transaction.ts'
import { outcomes, queuedOutcomes } from '../tables.ts'
import type { Transaction } from '../transaction.ts'
import { OUTCOME } from '../views.ts'

/** Applied outcomes of a block, newest first. */
export function readOutcomes(
  { rows }: Transaction,
  blockId: string,
  limit: number,
): Promise<OutcomeRecord[]> {
  return rows.scan(OUTCOME, { equals: { blockId }, order: ['-id'], limit })
}

/** Appends applied outcomes of existing blocks and removes what is beyond the newest of each. */
export async function appendOutcomes(
  tx: Transaction,
  records: readonly OutcomeRecord[],
  keep: number,
): Promise<void> {
  await tx.rows.insert(outcomes, await ofKnownBlocks(tx, records))
  await trim(tx, outcomes, records, keep)
}

/** The same for outcomes that wait for `takeQueuedOutcomes`. */
export async function queueOutcomes(
  tx: Transaction,
  queued: readonly QueuedOutcome[],
  keep: number,
): Promise<void> {
  await tx.rows.insert(queuedOutcomes, await ofKnownBlocks(tx, queued))
  await trim(tx, queuedOutcomes, queued, keep)
}

/** Removes and returns what was queued for the blocks, oldest first. */
export async function takeQueuedOutcomes(
  { rows }: Transaction,
  blockIds: readonly string[],
): Promise<QueuedOutcome[]> {
  const queued = await rows.touching(queuedOutcomes, blockIds)
  const taken = await rows.remove(
    queuedOutcomes,
    queued.map(({ id }) => [id]),
  )
  return taken.map(({ id: _id, ...outcome }) => outcome)
}

async function ofKnownBlocks<T extends { readonly blockId: string }>(
  tx: Transaction,
  records: readonly T[],
): Promise<T[]> {
  const at = await tx.lookUp(records.map(({ blockId }) => blockId))
  return records.filter(({ blockId }) => at(blockId) !== undefined)
}

async function trim(
  { rows }: Transaction,
  table: typeof outcomes | typeof queuedOutcomes,
  about: readonly QueuedOutcome[],
  keep: number,
): Promise<void> {
  if (about.length === 0) return
  await rows.trim(table, { order: ['id'], keep, per: ['blockId', about.map(({ blockId }) => blockId)] })
}
