import type { StoreReader, StoreWriter } from '../../ports/store/transaction.ts'
import { type Engine, ownKey } from './engine.ts'

/** Entries of the log, or sessions, removed in one transaction, so that nobody waits long for the lock. */
const TRIM_BATCH = 2_000

/** Where the number of the newest entry is kept whose changes were dropped. */
const DROPPED_KEY = 'undo_dropped_up_to'

/** Where it is kept when the log begins, in a scope or in the whole store, once entries of it were dropped. */
const BEGINS_KEY = 'log_begins_at'

/** Drops the oldest entries, a batch in each transaction; returns how many. */
export function trimLog(engine: Engine): Promise<number> {
  const keep = engine.settings.memory.keepOperations
  return inBatches(engine, async (tx, most) => {
    const trimmed = await tx.trimLog(keep, most)
    const oldest = trimmed === 0 ? undefined : await tx.oldestLogged()
    if (oldest !== undefined) await tx.saveMeta(ownKey(engine, BEGINS_KEY), oldest)
    return trimmed
  })
}

/** From when on the log is whole, ISO-8601 UTC; undefined when nothing of it was ever dropped. */
export async function logBegins(engine: Pick<Engine, 'scope'>, tx: StoreReader): Promise<string | undefined> {
  const own = await tx.meta(ownKey(engine, BEGINS_KEY))
  const ofAll = await tx.meta(BEGINS_KEY)
  return own !== undefined && (ofAll === undefined || own > ofAll) ? own : ofAll
}

/** The same with sessions. */
export function trimSessions(engine: Engine): Promise<number> {
  const keep = engine.settings.memory.keepSessions
  return inBatches(engine, (tx, most) => tx.trimSessions(keep, most))
}

async function inBatches(
  { store }: Engine,
  trim: (tx: StoreWriter, most: number) => Promise<number>,
): Promise<number> {
  for (let total = 0; ; ) {
    const trimmed = await store.write((tx) => trim(tx, TRIM_BATCH), { durable: false })
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
