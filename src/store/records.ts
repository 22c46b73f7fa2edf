import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isSameText, isStorable } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'
import { orderedPair } from '../graph/edge.ts'
import { COPIES_ELSEWHERE, UNFINISHED_ERASING } from '../history/erase.ts'
import { textKey } from './blocks.ts'
import type { AnyRow, Database, Key, Range, ReadRows, Rows, Where } from './database.ts'
import {
  type Column,
  columnName,
  type Kind,
  propertiesWhere,
  type RowOf,
  type Table,
  type View,
  viewOf,
} from './description.ts'
import { REPORTS_MARK } from './log.ts'
import {
  archivedEdges,
  blocks,
  itemBlocks,
  items,
  MEMORY_ID,
  meta,
  occurrences,
  questionEvidence,
  questions,
  STATE_META,
  sessions,
  TABLES,
} from './tables.ts'
import { predictions, proposals } from './tables-to-decide.ts'
import {
  keyIn,
  keysOf,
  type RecordHead,
  type StoreRecord,
  type TakenRecords,
  type TakingSteps,
  Transaction,
  valuesIn,
} from './transaction.ts'

/** Number of rows that are read at once. */
const PAGE = 1_000

/** Keys of `meta` about this file alone: its name, vectors, packed index, other copies, reports, and what is still to be erased. */
const OF_THIS_FILE: ReadonlySet<string> = new Set([
  ...[STATE_META.vectorSet, STATE_META.shadow, MEMORY_ID],
  ...[UNFINISHED_ERASING, COPIES_ELSEWHERE, REPORTS_MARK, 'index_mark'],
])

/** Returns true if a key of `meta` describes the memory and not only this file, so that an export has it. */
function travels(key: string): boolean {
  return !OF_THIS_FILE.has(key) && !key.startsWith('index_mark ')
}

/** Returns the columns of a table that its records have, by field name; columns that are made from others are left out. */
function recordFields(table: Table): ReadonlyMap<string, [property: string, column: Column]> {
  const kept = Object.entries(table.columns).filter(([, { isDerived, isSet }]) => !isDerived && !isSet)
  return new Map(kept.map((each) => [columnName(table, each[0]), each]))
}

/** Reads rows page by page, in the order of the key, which the view must have. Other work has its turn after each page. */
export async function* pagesOf<R = AnyRow>(
  rows: ReadRows,
  view: View<R>,
  { limit = PAGE, ...condition }: Pick<Range, 'where' | 'has' | 'limit'> = {},
): AsyncGenerator<R[]> {
  const { table } = view
  for (let after: Key | undefined; ; ) {
    const place = after === undefined ? {} : { after }
    const page = await rows.scan(view, { ...condition, ...place, order: table.key, limit })
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return
    await nextTurn()
    after = keyIn(table, last as AnyRow)
  }
}

/** Returns the condition for the rows of a table that belong to the memory: of two sets of vectors only the one in use. */
async function inUse(rows: Rows, table: Table): Promise<Where> {
  const [set] = propertiesWhere(table, ({ isSet }) => isSet === true)
  return set === undefined ? {} : { [set]: (await rows.state()).vectorSet }
}

const isTravelling = ({ name }: Table, row: AnyRow) => name !== meta.name || travels(String(row.key))

/** Returns the head of an export: clock, model, and the number of records of each kind. */
export async function readHead(rows: Rows): Promise<RecordHead> {
  const settings = new Map((await rows.scan(meta, { order: ['key'] })).map(({ key, value }) => [key, value]))
  const counts: Record<string, number> = {}
  for (const table of TABLES) {
    const total =
      table.name === meta.name
        ? [...settings.keys()].filter(travels).length
        : await rows.count(table, await inUse(rows, table))
    if (total > 0) counts[table.name] = total
  }
  const model = settings.get('embedding_model')
  const dimensions = Number(settings.get('embedding_dimensions'))
  return {
    hours: (await rows.state()).clock.hours,
    ...(model === undefined ? {} : { embedding: { model, dimensions } }),
    counts,
  }
}

/** Reads all records of a memory, in an order that the contents alone decide. */
export async function* readRecords(rows: Rows): AsyncGenerator<StoreRecord> {
  for (const table of TABLES) {
    const fields = [...recordFields(table)]
    const valuesOf = (row: AnyRow) =>
      fields.flatMap(([name, [property, column]]) => {
        const value = told(column, row[property])
        return value === undefined ? [] : [[name, value] as const]
      })
    for await (const page of pagesOf<AnyRow>(rows, table, { where: await inUse(rows, table) }))
      for (const row of page)
        if (isTravelling(table, row)) yield { kind: table.name, row: Object.fromEntries(valuesOf(row)) }
  }
}

/** Returns a value as a record has it: flags as 0 and 1, bytes as base64. */
function told({ kind, blank }: Column, given: unknown): unknown {
  const value = given ?? blank
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return kind === 'flag' && value !== undefined ? Number(value) : value
}

/**
 * Takes records into a memory in one transaction: all as they are if the memory is empty, unless they come `asNew`; else only blocks
 * with new ids and the rows that join or describe these alone, with hours moved to this memory's clock. Records are checked in a
 * database of their own first, so that the lock is held for the copy alone.
 *
 * @throws `INVALID_INPUT` for a record that no elfmem writes
 */
export async function takeRecords(
  database: Database,
  head: RecordHead,
  records: AsyncIterable<StoreRecord>,
  steps: TakingSteps,
): Promise<TakenRecords> {
  const waiting = await database.scratch({ isLarge: true })
  try {
    const counts = await waiting.write(
      async (rows) => {
        const filled = await fill(rows, records)
        await steps.staged(new Transaction(rows))
        return filled
      },
      { durable: false },
    )
    const taken = await waiting.read((from) =>
      database.write(async (to) => {
        const whole = !steps.asNew && (await isEmpty(to))
        if (whole) await removeSettings(to)
        const taken = whole
          ? { taken: await copy(from, to, async (_table, page) => page), asInbox: false, textsOfItems: [] }
          : await takeNew(from, to, head, steps.asNew)
        const left = Object.entries(counts).map(([kind, count]) => [kind, count - (taken.taken[kind] ?? 0)])
        const result = {
          ...{ whole, ...taken },
          left: Object.fromEntries(left.filter(([, count]) => Number(count) > 0)) as Counts,
        }
        await steps.done(new Transaction(to), result)
        return result
      }, {}),
    )
    await database.analyze?.()
    return taken
  } finally {
    await waiting.close()
  }
}

type Counts = Readonly<Record<string, number>>

/** Returns true if nothing was ever written to a memory. */
export async function isEmpty(rows: Rows): Promise<boolean> {
  const first = await rows.scan(viewOf(blocks, ['arrival']), { order: ['arrival'], limit: 1 })
  const marks = await rows.get(meta, [[STATE_META.generation], ['embedding_model']])
  return first.length === 0 && marks.length === 0 && (await rows.state()).clock.wallMs === undefined
}

/** Removes the settings that an import replaces. */
async function removeSettings(rows: Rows): Promise<void> {
  const all = await rows.scan(meta, { order: ['key'] })
  await rows.remove(meta, keysOf(all.map(({ key }) => key).filter(travels)))
}

/** Inserts records into an empty memory; returns their numbers by kind. */
async function fill(rows: Rows, records: AsyncIterable<StoreRecord>): Promise<Counts> {
  const kinds = new Map(TABLES.map((table) => [table.name, { table, fields: recordFields(table) }]))
  const counts: Record<string, number> = {}
  await removeSettings(rows)
  for await (const { kind, row, line } of records) {
    const known = kinds.get(kind)
    if (known === undefined) throw badRecord(line, `"${kind}" is no kind of record`)
    const filled = rowOf(known.table, known.fields, row, line)
    try {
      await rows.put(known.table, [filled as never], [])
    } catch (error) {
      // A failure other than a refused record, such as a full disk or a lock, is thrown on unchanged.
      if (!ElfmemError.is(error) || error.details.refused !== true) throw error
      throw badRecord(line, String(error.details.sqlite), error)
    }
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

/** Returns the row of a record; throws for unknown fields and for values that no elfmem writes. */
function rowOf(
  table: Table,
  fields: ReturnType<typeof recordFields>,
  record: AnyRow,
  line: number | undefined,
): AnyRow {
  const row: Record<string, unknown> = {}
  for (const property of propertiesWhere(table, ({ isSet }) => isSet === true)) row[property] = 0
  for (const [name, given] of Object.entries(record)) {
    const [property, column] = fields.get(name) ?? []
    if (!property || !column) throw badRecord(line, `there is no field "${name}"`)
    const value = READ[column.kind](given, column)
    if (value === undefined) throw badRecord(line, `"${name}" is no value of its kind`)
    row[property] = value === column.blank ? undefined : value
  }
  return table.name === blocks.name ? { ...row, textKey: textKey(String(row.content)) } : row
}

/** A bound far above all numbers that elfmem computes. */
const LARGEST = 1e300

/** Readers of a record's value by the kind of its column; they return undefined for a value that no elfmem writes. */
const READ: Readonly<Record<Kind, (value: unknown, column: Column) => unknown>> = {
  text: (value, { isTime }) => (isText(value) && (!isTime || isInstant(value)) ? value : undefined),
  integer: (value) => (Number.isSafeInteger(value) ? value : undefined),
  real: (value) => (typeof value === 'number' && Math.abs(value) <= LARGEST ? value : undefined),
  flag: (value, { blank }) =>
    value === 0 || value === 1 ? (value === blank ? value : value === 1) : undefined,
  json: (value, { isList }) => (isList === undefined || isListOf(isList, value) ? value : undefined),
  // Buffer skips signs that are no base64, so the bytes are compared with the text.
  bytes: (value) => {
    const bytes = Buffer.from(String(value), 'base64')
    return bytes.toString('base64') === value ? bytes : undefined
  },
}

function isListOf(kind: 'text' | 'object', value: unknown): boolean {
  const isObject = (each: unknown) => typeof each === 'object' && each !== null && !Array.isArray(each)
  return Array.isArray(value) && value.every(kind === 'text' ? isText : isObject)
}

/** Returns true if a value is a text that a store can return unchanged. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && isStorable(value)
}

/** Matches a time of day with its date in ISO-8601, as JavaScript writes it. */
const INSTANT = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?$/

function isInstant(text: string): boolean {
  return INSTANT.test(text) && !Number.isNaN(Date.parse(text))
}

function badRecord(line: number | undefined, what: string, cause?: unknown): ElfmemError {
  const place = line === undefined ? 'A record' : `Line ${line}`
  return new ElfmemError('INVALID_INPUT', `${place} cannot be taken in: ${what}.`, {
    recovery: 'Correct the line, or export() again; nothing was taken in.',
    details: line === undefined ? {} : { line },
    cause,
  })
}

/** Copies the rows that `choose` returns, table by table in pages. Returns their numbers. */
async function copy(
  from: Rows,
  to: Rows,
  choose: (table: Table, page: AnyRow[]) => Promise<AnyRow[]>,
): Promise<Counts> {
  const counts: Record<string, number> = {}
  for (const table of TABLES)
    for await (const page of pagesOf<AnyRow>(from, table)) {
      const rows = await choose(
        table,
        page.filter((row) => isTravelling(table, row)),
      )
      if (rows.length > 0) {
        const isNumberedHere = rows[0]?.[table.key[0] as string] === undefined
        await (isNumberedHere ? to.insert(table, rows as never) : to.put(table, rows as never, []))
        counts[table.name] = (counts[table.name] ?? 0) + rows.length
      }
    }
  return counts
}

/** The tables from which an import takes rows if its blocks wait in the inbox. */
const WORDS: ReadonlySet<string> = new Set(
  [blocks, occurrences, sessions, itemBlocks, items, proposals, predictions].map(({ name }) => name),
)

/**
 * Takes in new blocks, rows that join or describe only new blocks, and missing rows that name no block. No row joins a new block to a
 * block that was here. In the order of `TABLES` the blocks of items come before the items, and evidence before its questions.
 */
async function takeNew(
  from: Rows,
  to: Rows,
  head: RecordHead,
  asNew: boolean,
): Promise<Pick<TakenRecords, 'taken' | 'asInbox' | 'textsOfItems'>> {
  const asInbox = asNew || (await isOfOtherModel(to, head))
  const coming = await findNew(from, to)
  const move = await moving(to, head, coming, asInbox)
  const textsOfItems = new Set<string>()
  const asked = new Set<unknown>()
  /** Returns the rows for texts of new items whose blocks are here; such a block may be new or older. */
  const named = async (rows: readonly AnyRow[]): Promise<AnyRow[]> => {
    const ofNew = await notThere(to, items, rows, ({ item }) => [String(item)])
    const held = await to.get(TOLD, keysOf(ofNew.map(({ blockId }) => String(blockId))), 'unique')
    const known = new Set<unknown>(held.map(({ id }) => id))
    const kept = ofNew.filter(({ blockId }) => known.has(blockId))
    for (const { blockId } of kept) if (!coming.fresh.has(blockId)) textsOfItems.add(String(blockId))
    return kept
  }
  const joining = (table: Table, ends: readonly string[], rows: readonly AnyRow[]): AnyRow[] => {
    const fresh = rows.filter((row) => ends.every((end) => coming.fresh.has(row[end])))
    if (table.name === questionEvidence.name) for (const { question } of fresh) asked.add(question)
    return fresh
  }
  const taken = await copy(from, to, async (table, page): Promise<AnyRow[]> => {
    if (table.staysHome || (asInbox && !WORDS.has(table.name))) return []
    const moved = page.map((row) => move(table, row)).filter((row) => row !== undefined)
    if (table.name === itemBlocks.name) return named(moved)
    const ends = propertiesWhere(table, ({ block }) => block === 'id')
    if (ends.length > 0) return joining(table, ends, moved)
    if (table.name === blocks.name || table.columns.arrival?.block === 'arrival') return moved
    const wanted = table.name === questions.name ? moved.filter(({ id }) => asked.has(id)) : moved
    return notThere(to, table, wanted, (row) => valuesIn(table.unique ?? table.key, row))
  })
  return { taken, asInbox, textsOfItems: [...textsOfItems].sort() }
}

/** Returns the rows that have no counterpart in a table, by its unique properties or its key. */
async function notThere(
  to: Rows,
  table: Table,
  rows: readonly AnyRow[],
  keyOf: (row: AnyRow) => Key,
): Promise<AnyRow[]> {
  const there = (await to.get(table, rows.map(keyOf), 'unique')) as AnyRow[]
  const known = new Set(there.map((row) => valuesIn(table.unique ?? table.key, row).join('\n')))
  return rows.filter((row) => !known.has(keyOf(row).join('\n')))
}

async function isOfOtherModel(to: Rows, { embedding }: RecordHead): Promise<boolean> {
  if (embedding === undefined) return false
  const here = await to.get(meta, [['embedding_model'], ['embedding_dimensions']])
  return here.map(({ value }) => value).join('\n') !== `${embedding.model}\n${embedding.dimensions}`
}

const TOLD = viewOf(blocks, ['id', 'arrival', 'content', 'scope'])

/** A block with its text and scope. */
type Told = NonNullable<typeof TOLD.row>

/** Incoming blocks: their ids here if these differ, the arrivals of the new blocks by their old ones, and the ids of the new blocks. */
interface Coming {
  readonly renamed: ReadonlyMap<string, string>
  readonly arrivals: ReadonlyMap<unknown, number>
  readonly fresh: ReadonlySet<unknown>
}

/** Finds the blocks that are new here. A block whose id has another text here gets a fixed other id, so the next import adds nothing. */
async function findNew(from: Rows, to: Rows): Promise<Coming> {
  const [renamed, arrivals, fresh] = [new Map<string, string>(), new Map<unknown, number>(), new Set()]
  const held = async (ids: string[]) =>
    new Map((await to.get(TOLD, keysOf(ids), 'unique')).map((each) => [each.id, each]))
  const [last] = await to.scan(TOLD, { order: ['-arrival'], limit: 1 })
  let arrival = last?.arrival ?? 0
  for await (const coming of pagesOf(from, TOLD)) {
    const there = await held(coming.map(({ id }) => id))
    for (const block of coming) {
      const other = there.get(block.id)
      if (other !== undefined && !saysSame(block, other))
        renamed.set(
          block.id,
          hash('sha256', `${block.content}\0${block.scope ?? ''}\0${block.id}`).slice(0, 16),
        )
    }
    const ids = coming.map(({ id }) => renamed.get(id) ?? id)
    const known = await held(ids)
    for (const [i, block] of coming.entries()) {
      if (known.has(ids[i] as string)) continue
      arrival += 1
      arrivals.set(block.arrival, arrival)
      fresh.add(ids[i])
    }
  }
  return { renamed, arrivals, fresh }
}

/** Returns a function that gives a row the ids, arrivals, numbers and hours it has here, or undefined for a row of a known block. */
async function moving(to: Rows, head: RecordHead, { renamed, arrivals }: Coming, asInbox: boolean) {
  const { clock, sequence, vectorSet } = await to.state()
  const valueHere = (value: unknown, { block, isHours, isSet, ofUse }: Column): unknown => {
    if (value === undefined) return undefined
    if (isHours) return Number(value) + clock.hours - head.hours
    if (isSet) return vectorSet
    if (ofUse === 'sequence') return sequence + 1
    if (block === 'arrival') return arrivals.get(value)
    return block === undefined ? value : (renamed.get(String(value)) ?? value)
  }
  /** Returns a block as the newest here; it waits in the inbox if its vectors are not usable. */
  const blockHere = (row: Record<string, unknown>): AnyRow | undefined => {
    const status = asInbox && row.status === 'active' ? 'inbox' : row.status
    const number = status === 'archived' ? row.sequence : sequence + 1
    const here = { arrival: arrivals.get(row.arrival), id: renamed.get(String(row.id)) ?? row.id }
    return here.arrival === undefined ? undefined : { ...row, ...here, status, sequence: number }
  }
  return (table: Table, given: AnyRow): AnyRow | undefined => {
    const columns = Object.entries(table.columns)
    const row = Object.fromEntries(columns.map(([name, column]) => [name, valueHere(given[name], column)]))
    if (table.name === blocks.name) return blockHere(row)
    if (table.columns.arrival?.block === 'arrival') return row.arrival === undefined ? undefined : row
    if (table.name === archivedEdges.name) renameArchived(row, renamed)
    if (table.isUndirected) inOrder(row, table.unique ?? table.key)
    if (table.isNumbered) delete row[table.key[0] as string]
    return row
  }
}

/** Renames the blocks in the archived edges and pairs of a row to their ids here. */
function renameArchived(row: Record<string, unknown>, renamed: ReadonlyMap<string, string>): void {
  const { edges = [], pairs = [] } = row as Partial<RowOf<typeof archivedEdges>>
  const now = (one: string, other: string) =>
    orderedPair(renamed.get(one) ?? one, renamed.get(other) ?? other)
  row.edges = edges.map((edge) => {
    const [from, to] = now(edge.from, edge.to)
    return { ...edge, from, to }
  })
  row.pairs = pairs.map((pair) => {
    const [a, b] = now(pair.a, pair.b)
    return { ...pair, a, b }
  })
}

/** Puts the two ends of a row without a direction in the order of their ids. */
function inOrder(row: Record<string, unknown>, [one = '', other = '']: readonly string[]): void {
  const ends = orderedPair(String(row[one]), String(row[other]))
  row[one] = ends[0]
  row[other] = ends[1]
}

function saysSame(block: Told, other: Told): boolean {
  return block.scope === other.scope && isSameText(block.content, other.content)
}
