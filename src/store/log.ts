import { type Columns, type RowOf, type Table, viewOf } from './description.ts'
import { meta, operationChanges, operations, STATE_META, sessions } from './log-tables.ts'
import type { OperationFilter, OperationRecord } from './queries.ts'
import { outcomes, queuedOutcomes } from './tables.ts'
import { keysOf, type ReadTransaction, type Transaction } from './transaction.ts'

const ENTRY = viewOf(operations, ['id', 'at'])
const NUMBER = viewOf(operations, ['id'])
const IMAGE = viewOf(operationChanges, ['firstId', 'operationId'])
const OUTCOME = viewOf(outcomes, [
  ...(['blockId', 'signal', 'weight', 'source', 'confidenceBefore', 'confidenceAfter', 'at'] as const),
])
const SESSION = viewOf(sessions, ['id', 'taskType', 'startedAt', 'endedAt', 'startHours'])

/** Key of `meta`: when the newest entry was written whose kept changes are gone, ISO-8601 UTC. */
export const KNOWN_SINCE = 'known_since'

/** Argument of `logOperation`: an operation record without the fields that the store sets. */
export type NewOperation = Omit<OperationRecord, 'id' | 'scope' | 'kept' | 'entries'>

/** One applied report; it never changes, and in time it is forgotten. */
export type OutcomeRecord = NonNullable<typeof OUTCOME.row>

/** A report about a block that is still in the inbox. */
export type QueuedOutcome = Omit<RowOf<typeof queuedOutcomes>, 'id'>

/** A session; one without `endedAt` was not ended, and `startHours` are active hours. */
export type SessionRecord = NonNullable<typeof SESSION.row>

/** Returns the memory's clock as the newest logged operation left it. */
export const readClock = async (tx: ReadTransaction) => (await tx.state()).clock

/** Reads the entries that a filter lets through, newest first unless it says `after`. */
export const readOperations = ({ rows }: ReadTransaction, filter: OperationFilter) =>
  rows.queries.operations(filter)

/** Appends one entry; see `logOperations`. Returns its number. */
export async function logOperation(tx: Transaction, record: NewOperation): Promise<number> {
  await logOperations(tx, [record])
  return tx.logged.at(-1) as number
}

/** Appends entries in their order. The newest entry is the memory's clock, whose hours never fall. */
export async function logOperations(tx: Transaction, records: readonly NewOperation[]): Promise<void> {
  if (records.length === 0) return
  const { clock, hasScopes } = await tx.state()
  const scopeOf = tx.scope === undefined && hasScopes ? await commonScopes(tx, records) : () => tx.scope
  let newest = clock.wallMs === undefined ? Number.NEGATIVE_INFINITY : clock.hours
  const entries = records.map((record) => {
    newest = Math.max(newest, record.hours)
    const scope = scopeOf(record)
    return { ...record, hours: newest, ...(scope === undefined ? {} : { scope }) }
  })
  for (const entry of await tx.rows.insert(operations, entries)) tx.logged.push((entry as { id: number }).id)
  const at = entries.at(-1)?.at as string
  tx.setClock({ hours: newest, wallMs: Date.parse(at) })
}

/** Returns when the oldest entry was written, ISO-8601 UTC; undefined if there is none. */
export async function readOldestLogged({ rows }: ReadTransaction): Promise<string | undefined> {
  const [oldest] = await rows.scan(ENTRY, { from: ['id', 0], order: ['id'], limit: 1 })
  return oldest?.at
}

/**
 * Returns the numbers of the oldest entries, ascending: all but the newest `keep` with kept changes and the newest `keep` of the
 * others, so that recalls push out nothing that can be undone. The newest entry of all, which is the clock, is never among them.
 */
export async function readLoggedBeyond(tx: ReadTransaction, keep: number): Promise<number[]> {
  const ids = (await tx.rows.scan(NUMBER, { from: ['id', 0], order: ['id'] })).map(({ id }) => id)
  if (ids.length <= keep) return []
  const { held, others } = await parted(tx, ids)
  const oldest = (each: readonly number[]) => each.slice(0, Math.max(0, each.length - keep))
  const newest = ids.at(-1)
  return [...oldest(held), ...oldest(others)].filter((id) => id !== newest).sort((one, other) => one - other)
}

/** Removes entries by their ascending numbers and notes since when changes are known; returns how many were there. */
export async function removeLogged(tx: Transaction, ids: readonly number[]): Promise<number> {
  await noteLost(tx, (await parted(tx, ids)).held.at(-1))
  return (await tx.rows.remove(operations, keysOf(ids))).length
}

/**
 * Removes the oldest kept changes beyond so many bytes, of any scope; returns the newest entry whose changes went, or 0. Cost: all
 * that is kept.
 */
export async function trimChanges({ whole }: Transaction, bytes: number): Promise<number> {
  const dropped = await whole.rows.queries.trimChanges(bytes)
  await noteLost(whole, dropped || undefined)
  return dropped
}

/** Notes since when changes are known: since the newest entry whose changes are gone. */
async function noteLost(tx: Transaction, id: number | undefined): Promise<void> {
  const [entry] = id === undefined ? [] : await tx.rows.get(ENTRY, [[id]])
  if (entry !== undefined) await saveMeta(tx, KNOWN_SINCE, entry.at)
}

/** Parts ascending numbers of entries into those whose changes are kept and the others. */
async function parted({ whole: { rows } }: ReadTransaction, ids: readonly number[]) {
  const [first = 0, last = 0] = [ids[0], ids.at(-1)]
  const order = ['operationId']
  const within = await rows.scan(IMAGE, { from: ['operationId', first], until: ['operationId', last], order })
  // The last entry may be in the middle of a transaction.
  const behind = await rows.scan(IMAGE, { from: ['operationId', last + 1], order, limit: 1 })
  const kept = [...within, ...behind]
  let at = 0
  const isHeld = (id: number) => {
    while (id > (kept[at]?.operationId ?? Number.POSITIVE_INFINITY)) at++
    return id >= (kept[at]?.firstId ?? Number.POSITIVE_INFINITY)
  }
  const held = new Set(ids.filter(isHeld))
  return { held: [...held], others: ids.filter((id) => !held.has(id)) }
}

/** The scope that all blocks an entry names have in common, in its list or anywhere in what was before. */
async function commonScopes(
  tx: ReadTransaction,
  records: readonly NewOperation[],
): Promise<(record: NewOperation) => string | undefined> {
  const told = new Map(records.map((record) => [record, textsIn(record.before)]))
  const at = await tx.lookUp(records.flatMap((each) => [...each.blockIds, ...(told.get(each) ?? [])]))
  return (record) => {
    const listed = record.blockIds.map((id) => at(id)?.scope)
    const scopes = [...listed, ...(told.get(record) ?? []).flatMap((id) => (at(id) ? [at(id)?.scope] : []))]
    return scopes.every((scope) => scope === scopes[0]) ? scopes[0] : undefined
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

/** Reads the applied reports about a block, newest first. */
export const readOutcomes = ({ rows }: ReadTransaction, blockId: string, limit: number) =>
  rows.scan(OUTCOME, { equals: { blockId }, order: ['-id'], limit })

/** Inserts applied reports about existing blocks and removes those beyond the newest `keep` of each block. */
export const appendOutcomes = (tx: Transaction, records: readonly OutcomeRecord[], keep: number) =>
  insertReports(tx, outcomes, records, keep)

/** Inserts reports that wait for `takeQueuedOutcomes`, and removes those beyond the newest `keep` of each block. */
export const queueOutcomes = (tx: Transaction, queued: readonly QueuedOutcome[], keep: number) =>
  insertReports(tx, queuedOutcomes, queued, keep)

async function insertReports<C extends Columns>(
  tx: Transaction,
  table: Table<C>,
  reports: readonly QueuedOutcome[],
  keep: number,
): Promise<void> {
  if (reports.length === 0) return
  const ids = reports.map(({ blockId }) => blockId)
  const at = await tx.lookUp(ids)
  const known = reports.filter(({ blockId }) => at(blockId) !== undefined)
  await tx.rows.insert(table, known as Partial<RowOf<Table<C>>>[])
  await tx.rows.trim(table, { order: ['id'], keep, per: ['blockId', ids] })
}

/** Removes and returns the reports that wait for the blocks, oldest first. */
export async function takeQueuedOutcomes(
  tx: Transaction,
  blockIds: readonly string[],
): Promise<QueuedOutcome[]> {
  const queued = await tx.rows.touching(queuedOutcomes, blockIds)
  const taken = await tx.remove(queuedOutcomes, queued)
  return taken.map(({ id: _id, ...outcome }) => outcome)
}

/**
 * Counts what was done on each UTC day since one: from the blocks as they are and the entries that the log still has. Days on which
 * nothing was done are left out. Cost: all blocks and all entries since then.
 */
export const readDays = ({ rows }: ReadTransaction, since: string) => rows.queries.days(since)

const BY_START = ['startedAt', 'startHours', 'id']

/** Key of `meta`: the removals that readers may not know yet, as JSON, oldest first. */
const REMOVED_KEY = 'removed_blocks'
/** Ids of removed blocks that are kept for readers, some 20 kB. */
const REMOVED_MOST = 1_000

/** Blocks that were removed at once. */
interface Removal {
  /** Generation of the store, as the removal left it. */
  readonly generation: number
  /** The newest sequence number without them; numbers after it are given again. */
  readonly sequence: number
  readonly ids: readonly string[]
}

/** Returns one value of `meta`. */
export async function readMeta({ rows }: ReadTransaction, key: string): Promise<string | undefined> {
  return (await rows.get(meta, [[key]]))[0]?.value
}

/** Inserts or overwrites one value of `meta`. */
export async function saveMeta({ rows }: Transaction, key: string, value: string): Promise<void> {
  await rows.put(meta, [{ key, value }])
}

/** Returns the session begun last that has not ended, if any. */
export async function readLatestOpenSession({ rows }: ReadTransaction): Promise<SessionRecord | undefined> {
  const [latest] = await rows.scan(SESSION, {
    where: { endedAt: undefined },
    from: ['startedAt', ''],
    order: BY_START.map((property) => `-${property}`),
    limit: 1,
  })
  return latest
}

/** Returns one session by its id. */
export async function readSession({ rows }: ReadTransaction, id: string): Promise<SessionRecord | undefined> {
  return (await rows.get(SESSION, [[id]]))[0]
}

/** Inserts or overwrites a session, unless it is another scope's. */
export async function saveSession(tx: Transaction, session: SessionRecord): Promise<void> {
  const before = await tx.whole.rows.get(sessions, [[session.id]])
  const scope = before.length === 0 ? tx.scope : before[0]?.scope
  if (tx.scope !== undefined && scope !== tx.scope) return
  await tx.rows.put(sessions, [{ ...session, ...(scope === undefined ? {} : { scope }) }], before)
}

/** Removes the oldest sessions but the newest `keep` and the open one begun last, at most `most`; returns how many. */
export async function trimSessions(tx: Transaction, keep: number, most: number): Promise<number> {
  const open = await readLatestOpenSession(tx)
  return tx.rows.trim(sessions, { order: BY_START, keep, most, ...(open ? { but: [open.id] } : {}) })
}

/** Makes readers of changes read everything anew; returns the number of the generation. */
export async function newGeneration(tx: Transaction): Promise<number> {
  const generation = Number((await readMeta(tx, STATE_META.generation)) ?? 0) + 1
  await saveMeta(tx, STATE_META.generation, String(generation))
  return generation
}

/** Tells readers of changes that blocks are gone. */
export async function noteRemoval(tx: Transaction, ids: readonly string[]): Promise<void> {
  const generation = await newGeneration(tx)
  const { sequence } = await tx.state()
  const removals = [...(await removalsIn(tx)), { generation, sequence, ids }]
  // A reader that is further behind had better read everything.
  while (removals.flatMap((each) => each.ids).length > REMOVED_MOST) removals.shift()
  await saveMeta(tx, REMOVED_KEY, JSON.stringify(removals))
}

/**
 * Returns the blocks, of any scope, whose removal made the generations after one. Undefined if something else made one of them, or
 * the removal is too long ago: then `readLivingBlocks` has to be read.
 */
export async function readRemovedSince(
  tx: ReadTransaction,
  generation: number,
): Promise<Omit<Removal, 'generation'> | undefined> {
  const since = (await removalsIn(tx)).filter((removal) => removal.generation > generation)
  const isAll = since.length === (await tx.state()).generation - generation
  if (since.length === 0 || !isAll) return undefined
  return {
    ids: since.flatMap(({ ids }) => ids),
    sequence: Math.min(...since.map(({ sequence }) => sequence)),
  }
}

async function removalsIn(tx: ReadTransaction): Promise<Removal[]> {
  return JSON.parse((await readMeta(tx, REMOVED_KEY)) ?? '[]')
}
