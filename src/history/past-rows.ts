import { datedBy, holdsAt } from '../block/validity.ts'
import type { PastMoment } from '../store/contract.ts'
import type { RowOf, Table } from '../store/description.ts'
import { KNOWN_SINCE } from '../store/log.ts'
import { meta, operations, sessions } from '../store/log-tables.ts'
import type { Database, Key, Rows } from '../store/rows.ts'
import {
  archivedEdges,
  blockIndex,
  blocks,
  blockVectors,
  edges,
  grounds,
  occurrences,
  outcomes,
  pairs,
  questionEvidence,
  questions,
} from '../store/tables.ts'
import { keyIn } from '../store/transaction.ts'
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

/** Rows read or written at once, so that others have their turn in between. */
const PAGE = 1_000

/** The operations that change rows without keeping the previous ones. */
const UNKEPT: ReadonlySet<string> = new Set(['import', 'restore_backup', 'doctor'])

/** A row of any table, by the properties of its columns. */
type Row = Readonly<Record<string, unknown>>
type BlockRow = RowOf<typeof blocks>

/** The rows of some tables by their keys, changed in place. */
class RowsThen {
  readonly #tables = new Map<string, Map<string, Row>>()

  of<T extends Table>(table: T): Map<string, RowOf<T>> {
    const known = this.#tables.get(table.name) ?? new Map<string, Row>()
    this.#tables.set(table.name, known)
    return known as Map<string, RowOf<T>>
  }

  /** Removes the rows for which something holds. */
  drop<T extends Table>(table: T, isMeant: (row: RowOf<T>) => boolean): void {
    const rows = this.of(table)
    for (const [key, row] of rows) if (isMeant(row)) rows.delete(key)
  }
}

/**
 * Opens a database of its own with what was true at a time, as it is known now or was known at another; `knownSince` is from
 * when on it has all that was known. Reads and writes all rows once.
 */
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

/** Reads what there is now, of the log only the newest entry, which is the clock. One statement for 1,000 rows. */
async function readRows(rows: Rows): Promise<RowsThen> {
  const { vectorSet } = await rows.state()
  const then = new RowsThen()
  const [newest] = await rows.scan(operations, { order: ['-id'], limit: 1 })
  if (newest !== undefined) then.of(operations).set('', { ...newest, blockIds: [] })
  for (const table of PAST_TABLES) {
    if (table.name === operations.name) continue
    const read = then.of(table) as Map<string, Row>
    await eachPage(rows, table, (row) => {
      if (table.name !== blockVectors.name || row.set === vectorSet) read.set(keyText(table, row), row)
    })
  }
  return then
}

async function eachPage(rows: Rows, table: Table, visit: (row: Row) => void): Promise<void> {
  for (let after: Key | undefined; ; ) {
    const page: Row[] = await rows.scan(table, { order: table.key, limit: PAGE, ...(after && { after }) })
    for (const row of page) visit(row)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = keyIn(table, last)
    await othersTurn()
  }
}

/** Writes rows into an empty database, without those that name a block that is not there. */
async function writeRows(rows: Rows, then: RowsThen): Promise<void> {
  const known = new Set<unknown>()
  for (const { id, arrival } of then.of(blocks).values()) known.add(id).add(arrival)
  for (const table of PAST_TABLES) {
    const naming = table.properties.filter((property) =>
      ['id', 'arrival'].includes(table.columns[property]?.block ?? ''),
    )
    const there = [...(then.of(table) as Map<string, Row>).values()].filter((row) =>
      naming.every((property) => known.has(row[property])),
    )
    for (let at = 0; at < there.length; at += PAGE) {
      await rows.put(table, there.slice(at, at + PAGE) as never[], table.name === meta.name ? undefined : [])
      await othersTurn()
    }
  }
}

function keyText(table: Table, row: object): string {
  return JSON.stringify(keyIn(table, row))
}

function othersTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

/**
 * Sets rows back to what was known at a time, as far as the log keeps how they were, newest change first; beyond that as far as
 * their own dates tell. What use alone moves stays. Returns from when on all is as it was; undefined if it always is.
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
  return [
    settingOf(KNOWN_SINCE),
    isCut ? oldest.at : undefined,
    newest(({ operation }) => UNKEPT.has(operation))?.at,
  ].reduce((most, each) => (most === undefined || (each !== undefined && each > most) ? each : most))
}

/** Takes the changes of one transaction back; vectors of another model than that of now are let go of. */
function takeBack(
  then: RowsThen,
  table: UndoTable,
  changes: readonly Change[],
  { vectorSet, isOtherModel }: { readonly vectorSet: number; readonly isOtherModel: boolean },
): void {
  const rows = then.of(table.table) as Map<string, Row>
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

/**
 * Lets go of what came later by its own date, and brings back what was archived later: for all time, since these dates are the
 * rows' own. Nothing is left to do where the log reaches.
 */
function leaveDated(then: RowsThen, at: string): void {
  then.drop(blocks, ({ createdAt }) => createdAt > at)
  leaveOccurrences(then, ({ createdAt }) => createdAt <= at)
  const back = new Set<string>()
  for (const [key, row] of then.of(blocks)) {
    if (row.archivedAt === undefined || row.archivedAt <= at) continue
    back.add(row.id)
    const { supersededBy: _by, ...block } = backAgain(then, row)
    then.of(blocks).set(key, block)
  }
  joinAgain(then, (id) => back.has(id))
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
  joinAgain(then, () => true)
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

/** Brings back what blocks that are back were joined by when they were archived, where both live. */
function joinAgain(then: RowsThen, isBack: (id: string) => boolean): void {
  const between = scopesOfPairs(then)
  const open = then.of(pairs)
  const known = new Set(Array.from(open.values(), ({ a, b }) => `${a} ${b}`))
  let arrival = [...open.values()].reduce((most, each) => Math.max(most, each.arrival), 0)
  const back = [...then.of(archivedEdges).values()].filter(({ blockId }) => isBack(blockId))
  for (const edge of back.flatMap((archived) => archived.edges)) {
    const [key, scope] = [keyText(edges, edge), between(edge.from, edge.to)]
    if (scope !== undefined && !then.of(edges).has(key)) then.of(edges).set(key, { ...edge, ...scope })
  }
  for (const pair of back.flatMap((archived) => archived.pairs)) {
    const [ends, scope] = [`${pair.a} ${pair.b}`, between(pair.a, pair.b)]
    if (scope === undefined || known.has(ends)) continue
    known.add(ends)
    arrival += 1
    open.set(JSON.stringify([arrival]), { ...pair, ...scope, arrival })
  }
  then.drop(archivedEdges, ({ blockId }) => isBack(blockId))
}

/** Returns the scope that two living blocks share, if they do; undefined unless both live. */
function scopesOfPairs(then: RowsThen): (one: string, other: string) => { scope?: string } | undefined {
  const living = [...then.of(blocks).values()].filter(({ status }) => status !== 'archived')
  const scopes = new Map(living.map(({ id, scope = '' }) => [id, scope]))
  return (one, other) => {
    const scope = scopes.get(one)
    if (scope === undefined || !scopes.has(other)) return undefined
    return scope !== '' && scope === scopes.get(other) ? { scope } : {}
  }
}
