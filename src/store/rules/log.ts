import { dayOf } from '../../domain/advice/day-counts.ts'
import { type RowOf, viewOf } from '../../ports/store/description.ts'
import type { NewOperation, OutcomeRecord, QueuedOutcome } from '../../ports/store/transaction.ts'
import { outcomes, queuedOutcomes } from '../evidence-tables.ts'
import { operationChanges, operations } from '../log-tables.ts'
import type { Transaction } from '../transaction.ts'
import { OUTCOME } from '../views.ts'
import { countDays } from './days.ts'
import { saveMeta } from './sessions.ts'

const ENTRY = viewOf(operations, ['id', 'at'])
const NUMBER = viewOf(operations, ['id'])
const IMAGE = viewOf(operationChanges, ['firstId', 'operationId'])

/** Key of `meta`: when the newest entry was written whose kept changes are gone, ISO-8601 UTC. */
export const KNOWN_SINCE = 'known_since'

/** Appends an entry, whose hours never fall behind the entry before; returns its number. */
export async function logOperation(tx: Transaction, record: NewOperation): Promise<number> {
  await logOperations(tx, [record])
  return tx.logged.at(-1) as number
}

/** Appends entries in their order, and counts what they are about; hours never fall from one to the next. */
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
  const counted = entries.flatMap(({ scope, counts }) => (counts === undefined ? [] : [{ scope, counts }]))
  await countDays(tx, dayOf(at), counted)
  tx.setClock({ hours: newest, wallMs: Date.parse(at) })
}

/** When the oldest entry was written. */
export async function readOldest({ rows }: Transaction): Promise<string | undefined> {
  const [oldest] = await rows.scan(ENTRY, { from: ['id', 0], order: ['id'], limit: 1 })
  return oldest?.at
}

/**
 * Numbers of the oldest entries, ascending: all but the newest `keep` whose changes are kept and the newest `keep` of the others,
 * so that what only was recalled pushes out nothing that can be taken back. Never the very newest, which is the memory's clock.
 */
export async function readBeyond(tx: Transaction, keep: number): Promise<number[]> {
  const ids = (await tx.rows.scan(NUMBER, { from: ['id', 0], order: ['id'] })).map(({ id }) => id)
  if (ids.length <= keep) return []
  const { held, others } = parted(ids, await imagesOver(tx, ids))
  const oldest = (each: readonly number[]) => each.slice(0, Math.max(0, each.length - keep))
  const newest = ids.at(-1)
  return [...oldest(held), ...oldest(others)].filter((id) => id !== newest).sort((one, other) => one - other)
}

/** Removes entries by their ascending numbers and notes since when changes are known; returns how many were there. */
export async function removeOperations(tx: Transaction, ids: readonly number[]): Promise<number> {
  const lost = parted(ids, await imagesOver(tx, ids)).held.at(-1)
  const [entry] = lost === undefined ? [] : await tx.rows.get(ENTRY, [[lost]])
  if (entry !== undefined) await saveMeta(tx, KNOWN_SINCE, entry.at)
  const gone = await tx.remove(
    operations,
    ids.map((id) => ({ id })),
  )
  return gone.length
}

/** Of ascending numbers of entries; the last of them may be in the middle of a transaction. */
async function imagesOver({ whole: { rows } }: Transaction, ids: readonly number[]) {
  const [first = 0] = ids
  const last = ids.at(-1) ?? 0
  const order = ['operationId']
  const within = await rows.scan(IMAGE, { from: ['operationId', first], until: ['operationId', last], order })
  return [...within, ...(await rows.scan(IMAGE, { from: ['operationId', last + 1], order, limit: 1 }))]
}

/** Removes kept changes beyond so many bytes; the newest entry whose changes went, or 0. */
export async function trimChanges({ whole }: Transaction, bytes: number): Promise<number> {
  const dropped = await whole.rows.queries.trimChanges(bytes)
  const [newest] = dropped === 0 ? [] : await whole.rows.get(ENTRY, [[dropped]])
  if (newest !== undefined) await saveMeta(whole, KNOWN_SINCE, newest.at)
  return dropped
}

/** Numbers that lie in one of some stretches, and the others; all in ascending order. */
function parted(
  ids: readonly number[],
  stretches: readonly Pick<RowOf<typeof operationChanges>, 'firstId' | 'operationId'>[],
): { readonly held: readonly number[]; readonly others: readonly number[] } {
  const [held, others]: [number[], number[]] = [[], []]
  let at = 0
  for (const id of ids) {
    while (id > (stretches[at]?.operationId ?? Number.POSITIVE_INFINITY)) at++
    const isHeld = id >= (stretches[at]?.firstId ?? Number.POSITIVE_INFINITY)
    if (isHeld) held.push(id)
    else others.push(id)
  }
  return { held, others }
}

/** The scope that all blocks an entry names have in common, in its list or anywhere in what was before. */
async function commonScopes(
  tx: Transaction,
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
  tx: Transaction,
  blockIds: readonly string[],
): Promise<QueuedOutcome[]> {
  const queued = await tx.rows.touching(queuedOutcomes, blockIds)
  const taken = await tx.remove(queuedOutcomes, queued)
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
