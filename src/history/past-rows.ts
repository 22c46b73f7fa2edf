import { datedBy, holdsAt } from '../block/validity.ts'
import type { AnyRow, Database, Rows } from '../store/database.ts'
import { propertiesWhere, type RowOf, type Table } from '../store/description.ts'
import { KNOWN_SINCE } from '../store/log.ts'
import { pagesOf } from '../store/records.ts'
import {
  archivedEdges,
  blockIndex,
  blocks,
  blockVectors,
  edges,
  grounds,
  meta,
  occurrences,
  operations,
  outcomes,
  pairs,
  questionEvidence,
  questions,
  sessions,
} from '../store/tables.ts'
import { keyIn, type PastMoment, sharedScope } from '../store/transaction.ts'
import {
  type Change,
  cellsOf,
  eachLater,
  type Image,
  isOfUse,
  rowOf,
  UNDO_TABLES,
  type UndoTable,
} from './images.ts'

/** The tables of a past; what others refer to comes first. Rows that only wait or serve an undo are left out. */
const PAST_TABLES: readonly Table[] = [
  ...[blocks, occurrences, archivedEdges, meta, edges, pairs, grounds],
  ...[outcomes, questions, questionEvidence, blockIndex, blockVectors, sessions, operations],
]

/** Rows written at once, so that others have their turn in between. */
const PAGE = 1_000

/** The operations that change rows without keeping the previous ones. */
const UNKEPT: ReadonlySet<string> = new Set(['import', 'restore_backup', 'doctor'])

type BlockRow = RowOf<typeof blocks>

/** The rows of some tables by their keys, changed in place. */
class RowsThen {
  readonly #tables = new Map<string, Map<string, AnyRow>>()

  of<T extends Table>(table: T): Map<string, RowOf<T>> {
    const known = this.#tables.get(table.name) ?? new Map<string, AnyRow>()
    this.#tables.set(table.name, known)
    return known as Map<string, RowOf<T>>
  }

  /** Removes the rows for which something holds. */
  drop<T extends Table>(table: T, isMeant: (row: RowOf<T>) => boolean): void {
    const rows = this.of(table)
    for (const [key, row] of rows) if (isMeant(row)) rows.delete(key)
  }
}

/** Opens a database of its own with the memory of another time (`Store.past`). */
export async function openPast(
  database: Database,
  { asOf, knownAt }: PastMoment,
): Promise<{ readonly database: Database; readonly knownSince?: string }> {
  const [then, knownSince] = await database.read(async (rows) => {
    const read = await readRows(rows)
    return [read, knownAt === undefined ? undefined : await setBack(rows, read, knownAt)] as const
  })
  if (asOf !== undefined) leaveTrue(then, asOf)
  const past = await database.scratch()
  try {
    await past.write((rows) => writeRows(rows, then), { durable: false })
    return { database: past, ...(knownSince === undefined ? {} : { knownSince }) }
  } catch (error) {
    await past.close()
    throw error
  }
}

/** Reads what there is now, of the log only the newest entry, which is the clock. */
async function readRows(rows: Rows): Promise<RowsThen> {
  const { vectorSet } = await rows.state()
  const then = new RowsThen()
  const [newest] = await rows.scan(operations, { order: ['-id'], limit: 1 })
  if (newest !== undefined) then.of(operations).set('', { ...newest, blockIds: [] })
  for (const table of PAST_TABLES) {
    if (table.name === operations.name) continue
    const read = then.of(table) as Map<string, AnyRow>
    for await (const page of pagesOf(rows, table)) {
      for (const row of page)
        if (table.name !== blockVectors.name || row.set === vectorSet) read.set(keyText(table, row), row)
      await othersTurn()
    }
  }
  return then
}

/** Writes rows into an empty database, without those that name a block that is not there. */
async function writeRows(rows: Rows, then: RowsThen): Promise<void> {
  const known = new Set<unknown>()
  for (const { id, arrival } of then.of(blocks).values()) known.add(id).add(arrival)
  for (const table of PAST_TABLES) {
    const naming = propertiesWhere(table, ({ block }) => block === 'id' || block === 'arrival')
    const there = [...(then.of(table) as Map<string, AnyRow>).values()].filter((row) =>
      naming.every((property) => known.has(row[property])),
    )
    for (let at = 0; at < there.length; at += PAGE) {
      await rows.put(table, there.slice(at, at + PAGE) as never[], table.name === meta.name ? undefined : [])
      await othersTurn()
    }
  }
}

/** Lets others have their turn. */
const othersTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))

function keyText(table: Table, row: object): string {
  return JSON.stringify(keyIn(table, row))
}

/**
 * Sets rows back to what was known at a time, as far as the log keeps how they were, newest change first. What came later by its own
 * date is let go of. What use alone moves stays. Returns from when on all is as it was; undefined if it always is.
 */
async function setBack(rows: Rows, then: RowsThen, knownAt: string): Promise<string | undefined> {
  const entries = await rows.scan(operations, { from: ['id', 0], order: ['id'] })
  const newest = (isMeant: (entry: RowOf<typeof operations>) => boolean) => entries.findLast(isMeant)
  const reembedded = newest(({ operation }) => operation === 'reembed')?.id ?? 0
  const { vectorSet } = await rows.state()
  await eachLater({ rows }, newest(({ at }) => at <= knownAt)?.id ?? 0, ({ operationId, changes }) => {
    for (const [name, image] of Object.entries(changes as Image)) {
      const table = UNDO_TABLES.get(name)
      if (table !== undefined)
        takeBack(then, table, image, { vectorSet, isOtherModel: operationId < reembedded })
    }
    return false
  })
  leaveDated(then, knownAt)
  const settingOf = (key: string) => then.of(meta).get(JSON.stringify([key]))?.value
  const [oldest] = entries
  const isCut = oldest !== undefined && oldest.id > 1 && settingOf('log_begins_at') === undefined
  const unkept = newest(({ operation }) => UNKEPT.has(operation))?.at
  return [settingOf(KNOWN_SINCE), isCut ? oldest.at : undefined, unkept]
    .filter((each) => each !== undefined)
    .sort()
    .at(-1)
}

/** Takes the changes of one transaction back; vectors of another model than that of now are let go of. */
function takeBack(
  then: RowsThen,
  table: UndoTable,
  changes: readonly Change[],
  { vectorSet, isOtherModel }: { readonly vectorSet: number; readonly isOtherModel: boolean },
): void {
  const rows = then.of(table.table) as Map<string, AnyRow>
  const isOfVectors = table.name === blockVectors.name
  for (const { key, was, is } of changes) {
    const place = JSON.stringify(isOfVectors ? [...key, vectorSet] : key)
    const now = rows.get(place)
    if (was === undefined || (isOfVectors && isOtherModel)) rows.delete(place)
    else if (is === undefined || now !== undefined) {
      // What use moves stays as it is now.
      const moved = Object.entries(was).filter(([column]) => is === undefined || !isOfUse(table, column))
      const cells = now === undefined ? {} : cellsOf(table.table, now)
      rows.set(place, rowOf(table.table, { ...cells, ...Object.fromEntries(moved), set_number: vectorSet }))
    }
  }
}

/** Lets go of what came later by its own date. Nothing is left to do where the log reaches. */
function leaveDated(then: RowsThen, at: string): void {
  then.drop(blocks, ({ createdAt }) => createdAt > at)
  leaveOccurrences(then, ({ createdAt }) => createdAt <= at)
  then.drop(edges, ({ createdAt }) => createdAt > at)
  then.drop(pairs, ({ createdAt }) => createdAt > at)
  then.drop(grounds, ({ createdAt }) => createdAt > at)
  then.drop(outcomes, (outcome) => outcome.at > at)
}

/**
 * Leaves of the rows what was true at a time: blocks that held then, those among them that were superseded since, and the
 * edges that held between them. What was forgotten or faded stays away. An edge without dates holds as long as both of its
 * blocks do.
 */
function leaveTrue(then: RowsThen, at: string): void {
  const rows = then.of(blocks)
  leaveOccurrences(then, (occurrence) => occurrence.at <= at)
  const said = Map.groupBy(then.of(occurrences).values(), ({ blockId }) => blockId)
  for (const [key, row] of rows) {
    // The occurrence remembered first need not be the earliest.
    const occurredAt = (said.get(row.id) ?? []).reduce(
      (first, each) => (each.at < first ? each.at : first),
      row.occurredAt,
    )
    const wasTrue =
      (row.status !== 'archived' || row.archiveReason === 'superseded') && holdsAt({ ...row, occurredAt }, at)
    if (wasTrue) rows.set(key, { ...(row.status === 'archived' ? backAgain(then, row) : row), occurredAt })
    else rows.delete(key)
  }
  joinAgain(then)
  then.drop(
    edges,
    ({ validFrom = '', validUntil }) => validFrom > at || (validUntil !== undefined && at >= validUntil),
  )
}

/**
 * Lets go of occurrences that a time does not know, and dates their blocks by the others. A block that an occurrence of
 * these had brought back has its end again.
 */
function leaveOccurrences(then: RowsThen, isKnown: (row: RowOf<typeof occurrences>) => boolean): void {
  const lost = Map.groupBy(
    [...then.of(occurrences).values()].filter((row) => !isKnown(row)),
    ({ blockId }) => blockId,
  )
  if (lost.size === 0) return
  then.drop(occurrences, (row) => !isKnown(row))
  const left = Map.groupBy(then.of(occurrences).values(), ({ blockId }) => blockId)
  for (const [key, block] of then.of(blocks)) {
    const gone = lost.get(block.id)
    if (gone === undefined) continue
    const supersededAt = gone.find(({ endedAt }) => endedAt !== undefined)?.endedAt
    const dated = { ...block, ...datedBy(block, left.get(block.id) ?? []) }
    then.of(blocks).set(key, { ...dated, ...(supersededAt === undefined ? {} : { supersededAt }) })
  }
}

/** A block as it was before it was archived. */
function backAgain(then: RowsThen, row: BlockRow): BlockRow {
  const { archiveReason: _reason, archivedAt: _at, ...block } = row
  return {
    ...block,
    status: then.of(archivedEdges).get(JSON.stringify([row.id]))?.previousStatus ?? 'active',
  }
}

/** Brings back what blocks were joined by when they were archived, where both live. */
function joinAgain(then: RowsThen): void {
  const living = [...then.of(blocks).values()].filter(({ status }) => status !== 'archived')
  const lives = new Map(
    living.map(({ id, arrival, scope }) => [id, { id, arrival, ...(scope && { scope }) }]),
  )
  const open = then.of(pairs)
  const known = new Set(Array.from(open.values(), ({ a, b }) => `${a} ${b}`))
  let arrival = [...open.values()].reduce((most, each) => Math.max(most, each.arrival), 0)
  const back = [...then.of(archivedEdges).values()]
  for (const edge of back.flatMap((archived) => archived.edges)) {
    const [key, one, other] = [keyText(edges, edge), lives.get(edge.from), lives.get(edge.to)]
    if (one && other && !then.of(edges).has(key))
      then.of(edges).set(key, { ...edge, ...sharedScope(one, other) })
  }
  for (const pair of back.flatMap((archived) => archived.pairs)) {
    const [ends, one, other] = [`${pair.a} ${pair.b}`, lives.get(pair.a), lives.get(pair.b)]
    if (!one || !other || known.has(ends)) continue
    known.add(ends)
    arrival += 1
    open.set(JSON.stringify([arrival]), { ...pair, ...sharedScope(one, other), arrival })
  }
  then.of(archivedEdges).clear()
}
