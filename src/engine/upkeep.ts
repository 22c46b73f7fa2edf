import { ElfmemError } from '../errors.ts'
import { readChanges } from '../store/blocks.ts'
import {
  readLoggedBeyond,
  readMeta,
  readOldestLogged,
  removeLogged,
  saveMeta,
  trimChanges as trimChangesRows,
  trimSessions as trimSessionsRows,
} from '../store/log.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import { type Engine, ownKey } from './engine.ts'

/** A memory this small is read from its rows as quickly. */
const LEAST_BLOCKS = 1_000
/** The packed copy is made anew when so many changes, and such a part of the blocks, came after it. */
const LEAST_CHANGES = 500
const CHANGED_SHARE = 0.05

/**
 * Makes the packed copy of the index anew when the one there is has fallen behind, so that whoever opens the memory next
 * need not read every row. Called at rest: after a dream and when a memory is closed. Does nothing as a rule;
 * cost then about 1 ms for 1,000 blocks and one small write that need not be durable.
 */
export async function keepIndex(engine: Engine): Promise<void> {
  const { index, keptIndex, store, ids, logger } = engine
  const { unkept, size } = index
  if (keptIndex === undefined || size < LEAST_BLOCKS) return
  if (unkept < Math.max(LEAST_CHANGES, size * CHANGED_SHARE)) return
  try {
    await store.read((tx) => index.refresh(tx))
    const mark = ids.random()
    const { header, sections } = index.pack(mark)
    if (!(await keptIndex.cache.keep(header, sections))) return
    const isOld = await store.write(
      async (tx) => {
        await saveMeta(tx, keptIndex.mark, mark)
        return (await readChanges(tx, Number.MAX_SAFE_INTEGER)).generation !== index.generation
      },
      { durable: false },
    )
    // Another process removed blocks between the reading and the writing: their words must not stay in a file.
    if (isOld) keptIndex.cache.drop()
  } catch (error) {
    // Without a packed copy the next one to open reads the rows: slower, and right.
    if (!ElfmemError.is(error)) throw error
    logger.log({
      level: 'debug',
      operation: 'keepIndex',
      actor: 'elfmem',
      milliseconds: 0,
      outcome: error.code,
      detail: error.message,
    })
  }
}

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
  const going = await engine.store.read((tx) => readLoggedBeyond(tx, keepOperations))
  let total = 0
  for (let at = 0; at < going.length; at += TRIM_BATCH) {
    const ids = going.slice(at, at + TRIM_BATCH)
    total += await engine.store.write((tx) => dropLogged(engine, tx, ids), { durable: false })
  }
  return total
}

async function dropLogged(engine: Engine, tx: Transaction, ids: readonly number[]): Promise<number> {
  const dropped = await removeLogged(tx, ids)
  const oldest = dropped === 0 ? undefined : await readOldestLogged(tx)
  if (oldest !== undefined) await saveMeta(tx, ownKey(engine, BEGINS_KEY), oldest)
  return dropped
}

/** From when on the log is whole, ISO-8601 UTC; undefined when nothing of it was ever dropped. */
export async function logBegins(
  engine: Pick<Engine, 'scope'>,
  tx: ReadTransaction,
): Promise<string | undefined> {
  const own = await readMeta(tx, ownKey(engine, BEGINS_KEY))
  const ofAll = await readMeta(tx, BEGINS_KEY)
  return own !== undefined && (ofAll === undefined || own > ofAll) ? own : ofAll
}

/** Drops the oldest sessions, a batch in each transaction; returns how many. */
export async function trimSessions({ store, settings }: Engine): Promise<number> {
  for (let total = 0; ; ) {
    const trimmed = await store.write(
      (tx) => trimSessionsRows(tx, settings.memory.keepSessions, TRIM_BATCH),
      {
        durable: false,
      },
    )
    total += trimmed
    if (trimmed < TRIM_BATCH) return total
  }
}

/** Drops the oldest of what undo needs when all of it takes too much room, whichever scope it is of. */
export async function trimChanges({ store, settings }: Engine): Promise<void> {
  await store.write(
    async (tx) => {
      const dropped = await trimChangesRows(tx, settings.memory.keepUndoBytes)
      if (dropped > 0) await saveMeta(tx, DROPPED_KEY, String(dropped))
    },
    { durable: false },
  )
}

/** The newest entry of the log whose changes were dropped to save room; 0 when none were. */
export async function droppedUpTo(tx: ReadTransaction): Promise<number> {
  return Number((await readMeta(tx, DROPPED_KEY)) ?? 0)
}
