import {
  readLoggedBeyond,
  readMeta,
  removeLogged,
  saveMeta,
  trimChanges as trimChangesRows,
  trimSessions as trimSessionsRows,
} from '../store/log.ts'
import { operations } from '../store/tables.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import { type Engine, ownKey } from './engine.ts'

/** Where the number of the newest entry is kept whose changes were dropped. */
const DROPPED_KEY = 'undo_dropped_up_to'

/** Where it is kept when the log begins, in a scope or in the whole store, once entries of it were dropped. */
const BEGINS_KEY = 'log_begins_at'

/** Drops the oldest entries; returns how many. 5,000 take some 70 ms. */
export function trimLog(engine: Engine): Promise<number> {
  const { keepOperations } = engine.settings.memory
  const drop = async (tx: Transaction): Promise<number> => {
    const dropped = await removeLogged(tx, await readLoggedBeyond(tx, keepOperations))
    const [oldest] = dropped === 0 ? [] : await tx.rows.scan(operations, { order: ['id'], limit: 1 })
    if (oldest !== undefined) await saveMeta(tx, ownKey(engine, BEGINS_KEY), oldest.at)
    return dropped
  }
  return engine.store.write(drop, { durable: false })
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

/** Drops the oldest sessions, at most 5,000; returns how many. */
export function trimSessions({ store, settings }: Engine): Promise<number> {
  const { keepSessions } = settings.memory
  return store.write((tx) => trimSessionsRows(tx, keepSessions, 5_000), { durable: false })
}

/** Drops the oldest data that undo needs, of all scopes, when it takes too much room. */
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

const TROUBLE_KEY = 'llm_trouble'

/** Why the model did not answer the last time it was asked. */
export interface Trouble {
  readonly at: string
  readonly message: string
  readonly recovery: string
}

export async function lastTrouble(tx: ReadTransaction): Promise<Trouble | undefined> {
  const stored = await readMeta(tx, TROUBLE_KEY)
  return stored === undefined || stored === '' ? undefined : (JSON.parse(stored) as Trouble)
}

/** Notes why the model failed, or with nothing that it answers again. */
export async function noteTrouble(tx: Transaction, trouble: Trouble | undefined): Promise<void> {
  const before = await readMeta(tx, TROUBLE_KEY)
  const after = trouble === undefined ? '' : JSON.stringify(trouble)
  if ((before ?? '') !== after) await saveMeta(tx, TROUBLE_KEY, after)
}
