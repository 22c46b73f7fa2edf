import type { Settings } from '../config/settings.ts'
import type { StoreReader } from '../ports/store.ts'

/** The number of waiting blocks is exact up to here, or up to the threshold of dreaming when that is higher. */
const COUNTED = 200

/**
 * How many blocks wait in the inbox, counted as far as it matters: what every remember can afford, whatever the
 * memory's size. `status` counts them all.
 */
export async function countWaiting(tx: StoreReader, { memory }: Settings): Promise<number> {
  const limit = Math.max(COUNTED, memory.inboxThreshold)
  return (await tx.page({ status: 'inbox', order: 'arrival', limit })).blocks.length
}
