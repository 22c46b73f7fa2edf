import type { StoreReader } from '../ports/store.ts'
import type { Engine } from './engine.ts'

/** Entries of the log removed in one transaction, so that nobody waits long for the lock. */
const TRIM_BATCH = 1_000

/** Where the number of the newest entry is kept whose changes were dropped. */
const DROPPED_KEY = 'undo_dropped_up_to'

/** Drops the oldest entries, a batch in each transaction; returns how many. */
export async function trimLog({ store, settings }: Engine): Promise<number> {
  const keep = settings.memory.keepOperations
  for (let total = 0; ; ) {
    const trimmed = await store.write((tx) => tx.trimLog(keep, TRIM_BATCH), { durable: false })
    total += trimmed
    if (trimmed < TRIM_BATCH) return total
  }
}

/** Drops the oldest of what undo needs when all of it takes too much room, whichever scope it is of. */
export async function trimChanges({ store, settings }: Engine): Promise<void> {
  await store.write(
    async (tx) => {
      const dropped = await tx.trimChanges(settings.memory.keepUndoBytes)
      if (dropped > 0) await tx.saveMeta(DROPPED_KEY, String(dropped))
    },
    { durable: false },
  )
}

/** The newest entry of the log whose changes were dropped to save room; 0 when none were. */
export async function droppedUpTo(tx: StoreReader): Promise<number> {
  return Number((await tx.meta(DROPPED_KEY)) ?? 0)
}
