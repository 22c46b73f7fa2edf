import type { StoreReader, StoreWriter } from '../../ports/store/transaction.ts'
import { type Engine, ownKey } from './engine.ts'

/**
 * Entries of the log, or sessions, removed in one transaction, so that nobody waits long for the lock: some 70 ms. Each
 * writes most pages of the log's index by blocks once.
 */
const TRIM_BATCH = 5_000

/** Where the number of the newest entry is kept whose changes were dropped. */
const DROPPED_KEY = 'undo_dropped_up_to'

/** Where it is kept when the log begins, in a scope or in the whole store, once entries of it were dropped. */
const BEGINS_KEY = 'log_begins_at'

/**
 * Drops the oldest entries, a batch in each transaction; returns how many. They are looked for once, since what is appended
 * meanwhile only makes more of them too old.
 */
export async function trimLog(engine: Engine): Promise<number> {
  const { keepOperations } = engine.settings.memory
  const going = await engine.store.read((tx) => tx.loggedBeyond(keepOperations))
  let total = 0
  for (let at = 0; at < going.length; at += TRIM_BATCH) {
    const ids = going.slice(at, at + TRIM_BATCH)
    total += await engine.store.write((tx) => dropLogged(engine, tx, ids), { durable: false })
  }
  return total
}

async function dropLogged(engine: Engine, tx: StoreWriter, ids: readonly number[]): Promise<number> {
  const dropped = await tx.removeLogged(ids)
  const oldest = dropped === 0 ? undefined : await tx.oldestLogged()
  if (oldest !== undefined) await tx.saveMeta(ownKey(engine, BEGINS_KEY), oldest)
  return dropped
}

/** From when on the log is whole, ISO-8601 UTC; undefined when nothing of it was ever dropped. */
export async function logBegins(engine: Pick<Engine, 'scope'>, tx: StoreReader): Promise<string | undefined> {
  const own = await tx.meta(ownKey(engine, BEGINS_KEY))
  const ofAll = await tx.meta(BEGINS_KEY)
  return own !== undefined && (ofAll === undefined || own > ofAll) ? own : ofAll
}

/** Drops the oldest sessions, a batch in each transaction; returns how many. */
export async function trimSessions({ store, settings }: Engine): Promise<number> {
  for (let total = 0; ; ) {
    const trimmed = await store.write((tx) => tx.trimSessions(settings.memory.keepSessions, TRIM_BATCH), {
      durable: false,
    })
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
