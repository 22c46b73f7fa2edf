import type { Block } from '../block/block.ts'
import { count, defined } from '../block/text.ts'
import { datedBy, earlier, endBy, endBySuccessors, holdsAt, momentWords } from '../block/validity.ts'
import { type Engine, nextTurn } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { keyOf, orderedPair } from '../graph/edge.ts'
import type { ResidentIndex } from '../index/resident-index.ts'
import { instantOf, requireBlock, requireIds } from '../intake/check-input.ts'
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
import { predictions } from '../store/tables-to-decide.ts'
import { keyIn, type PastMoment, sharedScope } from '../store/transaction.ts'
import { type Change, cellsOf, eachLater, type Image, rowOf, UNDO_TABLES, type UndoTable } from './images.ts'

/** This holds the memory that was asked for: as it was, as it would be, or as it is. Times are ISO-8601 UTC. */
export interface Looking extends PastMoment {
  readonly engine: Engine
  /** The time for which answers hold; undefined for now. */
  readonly at: string | undefined
  /** The time from which everything that was known is kept; undefined if that is always. */
  readonly knownSince?: string | undefined
}

/** A past that was read. Its mark is made of the moment and of the state of the memory from which it was read. */
interface KeptPast {
  readonly engine: Engine
  readonly knownSince?: string
  readonly mark: string
  users: number
  timer?: NodeJS.Timeout
}

/** Milliseconds for which a past is kept for another question about it; it takes as much room as the whole memory. */
const KEPT_MS = 60_000

/** The past that was last asked about, for each open memory or scope of one. */
const KEPT = new WeakMap<ResidentIndex, KeptPast>()

/**
 * Runs `work` with the memory of the times asked for, or with the memory as it is. A past that was just read is used again if nothing
 * was written since, because reading it costs as much as opening the whole memory.
 *
 * @param asked ISO dates or date-times, when something was true and when it was known; and ids of blocks that count as never said
 */
export async function inPast<T>(
  engine: Engine,
  asked: PastMoment,
  work: (looking: Looking) => Promise<T>,
): Promise<T> {
  const { instead: given = [] } = asked
  if (asked.asOf === undefined && asked.knownAt === undefined && given.length === 0)
    return work({ engine, at: undefined })
  const [asOf, knownAt] = [asked.asOf, asked.knownAt].map((time) => time && instantOf(time))
  const unsaid = given.length > 0 ? await engine.store.read((tx) => requireIds(tx, given)) : []
  const instead = unsaid.length > 0 ? [...new Set(unsaid)].sort() : undefined
  const moment = defined({ asOf, knownAt, instead })
  // A future truth may be known now, but future knowledge is not.
  if (knownAt !== undefined && Date.parse(knownAt) > engine.clock.now())
    throw new ElfmemError(
      'INVALID_INPUT',
      `What will be known on ${momentWords(knownAt)} is not known yet.`,
      { recovery: 'Leave knownAt out for what is known now; asOf may lie ahead.', details: { knownAt } },
    )
  const past = await pastOf(engine, moment)
  clearTimeout(past.timer)
  try {
    const { engine: then, knownSince } = past
    return await work({ engine: then, at: asOf ?? knownAt, ...moment, knownSince })
  } finally {
    past.users -= 1
    clearTimeout(past.timer)
    if (KEPT.get(engine.index) !== past) await letGo(engine, past)
    else if (past.users === 0) past.timer = setTimeout(() => void letGo(engine, past), KEPT_MS).unref()
  }
}

async function pastOf(engine: Engine, moment: PastMoment): Promise<KeptPast> {
  const mark = await markOf(engine, moment)
  const kept = KEPT.get(engine.index)
  if (kept?.mark === mark) {
    kept.users += 1
    return kept
  }
  // One past takes the place of another, so that two never stand in memory for nobody.
  if (kept !== undefined) await letGo(engine, kept)
  const { store, ...known } = await engine.store.past(moment)
  const past = { engine: engine.over(store), ...known, mark, users: 1 }
  const other = KEPT.get(engine.index)
  if (other !== undefined) await letGo(engine, other)
  KEPT.set(engine.index, past)
  return past
}

/** Keeps a past no longer, and closes it if nobody uses it. */
async function letGo(engine: Engine, past: KeptPast): Promise<void> {
  clearTimeout(past.timer)
  if (KEPT.get(engine.index) === past) KEPT.delete(engine.index)
  if (past.users === 0) await past.engine.store.close()
}

/** Returns a mark that differs for another moment, and after every write that could make the past look different. */
function markOf({ store }: Engine, moment: PastMoment): Promise<string> {
  return store.read(async (tx) => {
    const { sequence, generation } = await tx.queries.changes(Number.MAX_SAFE_INTEGER)
    const [newest] = await tx.queries.operations({ limit: 1 })
    return JSON.stringify([moment, sequence, generation, newest?.id])
  })
}

/** Returns the block with an id or prefix; throws `NOT_FOUND` if it was not there at the time asked for. */
export async function requireThen({ engine, at, asOf, knownAt }: Looking, blockId: string): Promise<Block> {
  try {
    return await engine.store.read((tx) => requireBlock(tx, blockId))
  } catch (error) {
    if (at === undefined || !ElfmemError.is(error) || error.code !== 'NOT_FOUND') throw error
    throw new ElfmemError('NOT_FOUND', `Block ${blockId} was not there on ${momentWords(at)}.`, {
      recovery: 'Leave asOf and knownAt out to see it as it is, or name a moment at which it was there.',
      details: { blockId, ...defined({ asOf, knownAt }) },
    })
  }
}

/** Returns the note of an answer about the memory as it was or would be; empty for an answer about now. */
export function pastNote({ asOf, knownAt, knownSince, instead }: Looking): string {
  const isBefore = knownAt !== undefined && knownSince !== undefined && knownAt < knownSince
  const words = [
    asOf !== undefined &&
      `This was true on ${momentWords(asOf)}${knownAt === undefined ? ', as it is known now' : ''}.`,
    knownAt !== undefined &&
      `This is what was known on ${momentWords(knownAt)}; freshness, uses and what use joined are as now.`,
    isBefore &&
      `Words and beliefs are known back to ${momentWords(knownSince)}; of before only which blocks had come.`,
    instead !== undefined &&
      `This is as if ${count(instead.length, 'block')} had never been said; nothing was changed.`,
  ]
  return words.filter(Boolean).join(' ')
}

/** Returns the times of an answer as fields of its output. */
export function momentsOf({ asOf, knownAt, knownSince }: Looking) {
  return { ...(asOf && { asOf }), ...(knownAt && { knownAt }), ...(knownSince && { knownSince }) }
}

/** The tables of a past; tables that others refer to come first. Tables that only serve waiting work or an undo are left out. */
const PAST_TABLES: readonly Table[] = [
  ...[blocks, occurrences, archivedEdges, meta, edges, pairs, grounds],
  ...[outcomes, predictions, questions, questionEvidence, blockIndex, blockVectors, sessions, operations],
]

/** Number of rows written at once; other work has its turn in between. */
const PAGE = 1_000

/** Operations that change rows without keeping the previous ones. */
const UNKEPT: ReadonlySet<string> = new Set(['import', 'restore_backup', 'doctor'])

/** The rows of some tables by key, which are changed in place. */
class RowsThen {
  readonly #tables = new Map<string, Map<string, AnyRow>>()

  of<T extends Table>(table: T): Map<string, RowOf<T>> {
    const known = this.#tables.get(table.name) ?? new Map<string, AnyRow>()
    this.#tables.set(table.name, known)
    return known as Map<string, RowOf<T>>
  }

  /** Removes the rows of a table for which a condition holds. */
  drop<T extends Table>(table: T, isMeant: (row: RowOf<T>) => boolean): void {
    const rows = this.of(table)
    for (const [key, row] of rows) if (isMeant(row)) rows.delete(key)
  }
}

/** Opens a database of its own with the memory of another time (`Store.past`). */
export async function openPast(
  database: Database,
  { asOf, knownAt, instead }: PastMoment,
): Promise<{ readonly database: Database; readonly knownSince?: string }> {
  const [then, knownSince] = await database.read(async (rows) => {
    const read = await readRows(rows)
    return [read, knownAt === undefined ? undefined : await setBack(rows, read, knownAt)] as const
  })
  if (instead !== undefined) leaveUnsaid(then, new Set(instead))
  if (asOf !== undefined) leaveTrue(then, asOf)
  const past = await database.scratch()
  try {
    await past.write((rows) => writeRows(rows, then), { durable: false })
    return { database: past, ...defined({ knownSince }) }
  } catch (error) {
    await past.close()
    throw error
  }
}

/** Reads the present rows; of the log only the newest entry, which is the clock. */
async function readRows(rows: Rows): Promise<RowsThen> {
  const { vectorSet } = await rows.state()
  const then = new RowsThen()
  const [newest] = await rows.scan(operations, { order: ['-id'], limit: 1 })
  if (newest !== undefined) then.of(operations).set('', { ...newest, blockIds: [] })
  for (const table of PAST_TABLES) {
    if (table.name === operations.name) continue
    const read = then.of(table) as Map<string, AnyRow>
    for await (const page of pagesOf<AnyRow>(rows, table))
      for (const row of page)
        if (table.name !== blockVectors.name || row.set === vectorSet) read.set(keyText(table, row), row)
  }
  return then
}

/** Writes rows into an empty database. Rows that name a missing block are left out. */
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
      await nextTurn()
    }
  }
}

function keyText(table: Table, row: object): string {
  return JSON.stringify(keyIn(table, row))
}

/**
 * Sets rows back to what was known at a time, as far as the log keeps previous rows, newest change first, and drops rows with a later
 * date. Counts of use stay. Returns the time from which everything is as it was; undefined if that is always.
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

/** Takes the changes of one transaction back; drops vectors of another model than the present one. */
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
      // Columns that use changes stay as they are now.
      const moved = Object.entries(was).filter(([column]) => is === undefined || !table.uses.has(column))
      const cells = now === undefined ? {} : cellsOf(table.table, now)
      rows.set(place, rowOf(table.table, { ...cells, ...Object.fromEntries(moved), set_number: vectorSet }))
    }
  }
}

/** Drops rows whose date is later than a time; there are none as far back as the log reaches. */
function leaveDated(then: RowsThen, at: string): void {
  then.drop(blocks, ({ createdAt }) => createdAt > at)
  leaveOccurrences(then, ({ createdAt }) => createdAt <= at)
  then.drop(edges, ({ createdAt }) => createdAt > at)
  then.drop(pairs, ({ createdAt }) => createdAt > at)
  then.drop(grounds, ({ createdAt }) => createdAt > at)
  then.drop(predictions, ({ createdAt }) => createdAt > at)
  then.drop(outcomes, (outcome) => outcome.at > at)
}

/**
 * Keeps only rows that were true at a time: blocks that held then, even if superseded since, and the edges between them. Forgotten and
 * faded blocks stay away. An edge without dates holds as long as both of its blocks do.
 */
function leaveTrue(then: RowsThen, at: string): void {
  const rows = then.of(blocks)
  leaveOccurrences(then, (occurrence) => occurrence.at <= at)
  const said = Map.groupBy(then.of(occurrences).values(), ({ blockId }) => blockId)
  for (const [key, row] of rows) {
    // The occurrence that was remembered first need not be the earliest.
    const [occurredAt = row.occurredAt] = [
      row.occurredAt,
      ...(said.get(row.id) ?? []).map((each) => each.at),
    ].sort()
    const isTrue = row.status !== 'archived' || row.archiveReason === 'superseded'
    if (!isTrue || !holdsAt({ ...row, occurredAt }, at)) rows.delete(key)
    else rows.set(key, { ...(row.status === 'archived' ? livingAgain(then, row) : row), occurredAt })
  }
  joinAgain(then)
  then.drop(
    edges,
    ({ validFrom = '', validUntil }) => validFrom > at || (validUntil !== undefined && at >= validUntil),
  )
}

/**
 * Drops occurrences that are not known, and dates their blocks by the known ones. If a dropped occurrence had brought a block back, the
 * block gets its end again.
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
    const dates = datedBy(block, left.get(block.id) ?? [])
    then.of(blocks).set(key, { ...block, ...dates, ...defined({ supersededAt }) })
  }
}

/**
 * Drops blocks as if they had never been said. A block that one of them replaced is replaced by the successor of that one; without a
 * successor it stands again as it stood before. Rows that name a dropped block are never written (`writeRows`).
 */
function leaveUnsaid(then: RowsThen, ids: ReadonlySet<string>): void {
  const gone = new Map<string, RowOf<typeof blocks>>()
  for (const row of then.of(blocks).values()) if (ids.has(row.id)) gone.set(row.id, row)
  const freed = new Set([...gone.values()].flatMap(({ supersedes = [] }) => supersedes))
  then.drop(blocks, ({ id }) => ids.has(id))
  then.drop(edges, ({ declaredBy }) => declaredBy !== undefined && ids.has(declaredBy))
  for (const [key, row] of then.of(blocks)) {
    const { supersedes: was, supersededBy: by, ...rest } = row
    const [supersedes, supersededBy] = [beyond(gone, row, 'supersedes'), beyond(gone, row, 'supersededBy')]
    const isFree = by !== supersededBy && supersededBy === undefined && row.archiveReason === 'superseded'
    if (by !== supersededBy) freed.add(row.id)
    const moved = { ...rest, ...defined({ supersedes, supersededBy }) }
    then.of(blocks).set(key, isFree ? livingAgain(then, moved) : moved)
    if (was !== undefined && supersedes !== undefined) pairAnew(then, row.id, { was, is: supersedes })
  }
  endAnew(then, freed)
  joinAgain(then)
}

/** Returns the block that a block names, or the next one that is not dropped along the dropped ones; undefined if there is none. */
function beyond(
  gone: ReadonlyMap<string, RowOf<typeof blocks>>,
  row: RowOf<typeof blocks>,
  way: 'supersedes' | 'supersededBy',
): string | undefined {
  const passed = new Set([row.id])
  let next = row[way]
  while (next !== undefined && gone.has(next) && !passed.has(next)) {
    passed.add(next)
    next = gone.get(next)?.[way]
  }
  return next === undefined || passed.has(next) ? undefined : next
}

/** Lets the pair of a block and the one that it replaced name another replaced block, unless somebody settled that pair. */
function pairAnew(
  then: RowsThen,
  id: string,
  { was, is }: { readonly was: string; readonly is: string },
): void {
  if (was === is) return
  const pairOf = (other: string) => {
    return [...then.of(pairs)].find(([, { a, b }]) => keyOf([a, b]) === keyOf([id, other]))
  }
  const [pair, known] = [pairOf(was), pairOf(is)]
  if (pair?.[1].kind !== 'supersession' || known?.[1].resolved) return
  if (known !== undefined) then.of(pairs).delete(known[0])
  const [a, b] = orderedPair(id, is)
  then.of(pairs).set(pair[0], { ...pair[1], a, b, resolved: false })
}

/** Ends blocks by the successors that are left, unless somebody settled the pair; their former ends are forgotten. */
function endAnew(then: RowsThen, ids: ReadonlySet<string>): void {
  const all = [...then.of(blocks).values()]
  const settled = new Set(
    [...then.of(pairs).values()].flatMap((pair) => (pair.resolved ? keyOf([pair.a, pair.b]) : [])),
  )
  for (const [key, { supersededAt: _end, ...older }] of then.of(blocks)) {
    if (!ids.has(older.id)) continue
    const newer = all.filter(
      ({ id, status, supersedes }) =>
        supersedes === older.id && status !== 'archived' && !settled.has(keyOf([id, older.id])),
    )
    const heir = all.find(({ id }) => id === older.supersededBy)
    const supersededAt = earlier(endBySuccessors(older, newer), heir && endBy(older, heir))
    then.of(blocks).set(key, { ...older, ...defined({ supersededAt }) })
  }
  for (const [key, { endedAt, ...row }] of then.of(occurrences))
    if (endedAt !== undefined && ids.has(row.blockId)) then.of(occurrences).set(key, row)
}

/** Returns an archived block with the status that it had before. */
function livingAgain(then: RowsThen, row: RowOf<typeof blocks>): RowOf<typeof blocks> {
  const { archiveReason: _reason, archivedAt: _at, ...living } = row
  const { previousStatus: status = 'active' } = then.of(archivedEdges).get(JSON.stringify([row.id])) ?? {}
  return { ...living, status }
}

/** Adds the edges that blocks had when they were archived, if both blocks are alive. */
function joinAgain(then: RowsThen): void {
  const living = [...then.of(blocks).values()].filter(({ status }) => status !== 'archived')
  const lives = new Map(
    living.map(({ id, arrival, scope }) => [id, { id, arrival, ...(scope && { scope }) }]),
  )
  for (const edge of [...then.of(archivedEdges).values()].flatMap((archived) => archived.edges)) {
    const [key, one, other] = [keyText(edges, edge), lives.get(edge.from), lives.get(edge.to)]
    if (one && other && !then.of(edges).has(key))
      then.of(edges).set(key, { ...edge, ...sharedScope(one, other) })
  }
  then.drop(archivedEdges, ({ blockId }) => lives.has(blockId))
}
