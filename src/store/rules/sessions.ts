import { type Removal, type Removed, removedBetween, withRemoval } from '../../domain/block/removals.ts'
import type { SessionRecord } from '../../ports/store/transaction.ts'
import { meta, STATE_META, sessions } from '../log-tables.ts'
import type { Transaction } from '../transaction.ts'
import { SESSION } from '../views.ts'

const BY_START = ['startedAt', 'startHours', 'id']

/** Key of `meta`: what was removed, as JSON. */
const REMOVED_KEY = 'removed_blocks'

/** One value of the memory's own settings. */
export async function readMeta({ rows }: Transaction, key: string): Promise<string | undefined> {
  return (await rows.get(meta, [[key]]))[0]?.value
}

/** Inserts or overwrites one value of the memory's own settings. */
export async function saveMeta({ rows }: Transaction, key: string, value: string): Promise<void> {
  await rows.put(meta, [{ key, value }])
}

/** The session begun last among those that have not ended. */
export async function readLatestOpenSession({ rows }: Transaction): Promise<SessionRecord | undefined> {
  const [latest] = await rows.scan(SESSION, {
    where: { endedAt: undefined },
    from: ['startedAt', ''],
    order: BY_START.map((property) => `-${property}`),
    limit: 1,
  })
  return latest
}

/** One session by its id. */
export async function readSession({ rows }: Transaction, id: string): Promise<SessionRecord | undefined> {
  return (await rows.get(SESSION, [[id]]))[0]
}

/** Inserts or overwrites a session, unless it is another scope's. */
export async function saveSession(tx: Transaction, session: SessionRecord): Promise<void> {
  const before = await tx.whole.rows.get(sessions, [[session.id]])
  const scope = before.length === 0 ? tx.scope : before[0]?.scope
  if (tx.scope !== undefined && scope !== tx.scope) return
  await tx.rows.put(sessions, [{ ...session, ...(scope === undefined ? {} : { scope }) }], before)
}

/** Removes the oldest sessions but the newest and the open one begun last; returns how many. */
export async function trimSessions(tx: Transaction, keep: number, most: number): Promise<number> {
  const open = await readLatestOpenSession(tx)
  return tx.rows.trim(sessions, { order: BY_START, keep, most, ...(open ? { but: [open.id] } : {}) })
}

/** Makes readers of changes read everything anew. */
export async function newGeneration(tx: Transaction): Promise<number> {
  const generation = Number((await readMeta(tx, STATE_META.generation)) ?? 0) + 1
  await saveMeta(tx, STATE_META.generation, String(generation))
  return generation
}

/** Tells readers of changes that blocks are no more. */
export async function noteRemoval(tx: Transaction, ids: readonly string[]): Promise<void> {
  const generation = await newGeneration(tx)
  const { sequence } = await tx.state()
  const removals = withRemoval(await removalsIn(tx), { generation, sequence, ids })
  await saveMeta(tx, REMOVED_KEY, JSON.stringify(removals))
}

/** Reads the removals since a generation, if nothing else made a new one. */
export async function readRemovedSince(tx: Transaction, generation: number): Promise<Removed | undefined> {
  const [removals, state] = [await removalsIn(tx), await tx.state()]
  return removedBetween(removals, generation, state.generation)
}

async function removalsIn(tx: Transaction): Promise<Removal[]> {
  return JSON.parse((await readMeta(tx, REMOVED_KEY)) ?? '[]')
}
