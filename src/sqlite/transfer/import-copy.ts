import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RecordHead, TakenRecords } from '../../ports/store/maintenance.ts'
import { questions } from '../../store/evidence-tables.ts'
import { itemBlocks, items } from '../../store/item-tables.ts'
import { proposals } from '../../store/proposal-table.ts'
import { textKey } from '../../store/rules/blocks.ts'
import { occurrences } from '../../store/tables.ts'
import type { Connection, Parameter } from '../connection/connection.ts'
import { metaOf } from './export-rows.ts'
import { EXPORTED_TABLES, type ExportedTable, quoted, TRAVELS } from './tables.ts'
import { renameTaken } from './taken-ids.ts'

/** Rows between two turns of the others, who may read meanwhile: some 20 ms. */
const ROWS_BETWEEN = 500

/** Contents that are read at once to make the keys of their texts: a few MB, as a rule. */
const KEYS_AT_ONCE = 1_000

const SELECT_KEYLESS =
  'SELECT arrival, content FROM main.blocks WHERE arrival > ?1 AND text_key IS NULL ORDER BY arrival LIMIT ?2'

const SET_KEYS = `UPDATE main.blocks SET text_key = wanted.value ->> 1
FROM json_each(?1) AS wanted WHERE blocks.arrival = wanted.value ->> 0`

const NEXT_SEQUENCE =
  'SELECT coalesce(max(sequence), 0) + 1 AS next FROM main.blocks WHERE sequence IS NOT NULL'

const IS_EMPTY = `SELECT NOT EXISTS (SELECT 1 FROM main.blocks) AND NOT EXISTS (SELECT 1 FROM main.operations)
  AND NOT EXISTS (SELECT 1 FROM main.meta WHERE key IN ('vector_generation', 'embedding_model')) AS empty`

/** Blocks that are new here, by their arrival there and here. */
const FRESH = `CREATE TEMP TABLE fresh (
  arrival INTEGER PRIMARY KEY, here INTEGER NOT NULL, id TEXT NOT NULL UNIQUE
) STRICT`

const FIND_FRESH = `INSERT INTO temp.fresh (arrival, here, id)
SELECT arrival, row_number() OVER (ORDER BY arrival)
  + coalesce((SELECT max(here) FROM temp.fresh), (SELECT max(arrival) FROM main.blocks), 0), id
FROM staged.blocks AS given
WHERE NOT EXISTS (SELECT 1 FROM main.blocks WHERE id = given.id)`

/** The condition for questions that come along with reports about new blocks. */
const ASKED_OF_FRESH = `given.id IN (SELECT question FROM staged.question_evidence
  WHERE block_id IN (SELECT id FROM temp.fresh))`

/** The condition for what names a block here of an item that is not here: its rows come before the items. */
const OF_NEW_ITEMS = `given.item NOT IN (SELECT id FROM main.items)
  AND given.block_id IN (SELECT id FROM main.blocks)`

/** Tables whose rows come over though they are about no new block. */
const OF_THEIR_OWN: ReadonlySet<string> = new Set([itemBlocks.name, items.name, proposals.name])

const KNOWN_TEXTS = `SELECT DISTINCT given.block_id AS id FROM staged.item_blocks AS given
WHERE ${OF_NEW_ITEMS} ORDER BY id`

type Counts = Readonly<Record<string, number>>

/** The records to be copied. */
interface Staged {
  readonly head: RecordHead
  /** Records of each kind that are staged. */
  readonly counts: Counts
  readonly asNew: boolean
}

/** How the rows of one table come over. */
interface Transfer {
  readonly table: ExportedTable
  /** Columns to write, each with the expression for its value. */
  readonly columns: ReadonlyMap<string, string>
  /** Clause after the name of the table that is read. */
  readonly join?: string
  readonly condition?: string
}

/** Makes ready, before the lock is taken, a connection to the memory for the records staged at `path`. */
export function attachStaged(importer: Connection, path: string): void {
  importer.run('ATTACH ?1 AS staged', path)
  importer.control('PRAGMA temp_store = MEMORY')
  importer.control(FRESH)
}

/**
 * Copies the staged records within the open transaction: into an empty memory all as they are, unless they come as new
 * ones; else what is not there yet. Others have their turn between the slices.
 */
export async function copyStaged(
  importer: Connection,
  { head, counts, asNew }: Staged,
): Promise<TakenRecords> {
  const whole = !asNew && importer.get<{ empty: number }>(IS_EMPTY)?.empty === 1
  if (whole) {
    importer.run(`DELETE FROM main.meta WHERE ${TRAVELS}`)
    const taken = await transferAll(importer, (table) => ({ table, columns: allOf(table) }))
    fillTextKeys(importer)
    return { whole, ...talliesOf(counts, taken), asInbox: false, textsOfItems: [] }
  }
  renameTaken(importer)
  for (const table of EXPORTED_TABLES.filter(({ name }) => name === 'blocks'))
    await eachSlice(importer, table, (range, bounds) => importer.run(`${FIND_FRESH} AND ${range}`, ...bounds))
  const asInbox = asNew || isOfOtherModel(importer, head)
  const clock = importer.get<{ hours: number }>('SELECT hours FROM main.operations ORDER BY id DESC LIMIT 1')
  const place: Place = {
    asInbox,
    shift: (clock?.hours ?? 0) - head.hours,
    sequence: importer.get<{ next: number }>(NEXT_SEQUENCE)?.next ?? 1,
  }
  const textsOfItems = importer.all<{ id: string }>(KNOWN_TEXTS).map(({ id }) => id)
  const taken = await transferAll(importer, (table) => plannedFor(table, place))
  fillTextKeys(importer)
  return { whole, ...talliesOf(counts, taken), asInbox, textsOfItems }
}

function talliesOf(counts: Counts, taken: Counts): Pick<TakenRecords, 'taken' | 'left'> {
  const left = Object.entries(counts).map(([kind, count]) => [kind, count - (taken[kind] ?? 0)] as const)
  return { taken, left: Object.fromEntries(left.filter(([, count]) => count > 0)) }
}

function isOfOtherModel(importer: Connection, { embedding }: RecordHead): boolean {
  if (embedding === undefined) return false
  return (
    metaOf(importer, 'embedding_model') !== embedding.model ||
    metaOf(importer, 'embedding_dimensions') !== String(embedding.dimensions)
  )
}

/** Values that fit new rows into the memory that takes them in. */
interface Place {
  readonly asInbox: boolean
  /** Shift from the clock there to the clock here, in hours. */
  readonly shift: number
  /** The number of this change. */
  readonly sequence: number
}

/** Returns how the new rows of a table come over; undefined when none of them do. */
function plannedFor(table: ExportedTable, place: Place): Transfer | undefined {
  const { name, isByArrival, isNumbered, blockIds, key } = table
  if (table.staysHome) return undefined
  const columns = allOf(table)
  for (const column of table.hours) columns.set(column, `given.${quoted(column)} + (${place.shift})`)
  if (name === 'sessions') return { table, columns }
  const byArrival = 'CROSS JOIN temp.fresh AS fresh ON fresh.arrival = given.arrival'
  if (name === 'blocks') return { table, columns: placed(columns, place), join: byArrival }
  if (OF_THEIR_OWN.has(name)) {
    columns.delete(key[0] as string)
    return { table, columns, condition: name === itemBlocks.name ? OF_NEW_ITEMS : 'true' }
  }
  if (place.asInbox && name !== occurrences.name) return undefined
  if (isByArrival) {
    columns.set('arrival', 'fresh.here')
    if (columns.has('sequence')) columns.set('sequence', String(place.sequence))
    return { table, columns, join: byArrival }
  }
  if (name === questions.name) return { table, columns, condition: ASKED_OF_FRESH }
  // Nothing joins a new block to one that was here: an edge between them could evict that one's edges.
  if (blockIds.length === 0) return undefined
  if (isNumbered) columns.delete(key[0] as string)
  // The plus keeps the range in charge: led by the set, a slice takes as long as the whole table.
  const areFresh = blockIds.map((column) => `+given.${quoted(column)} IN (SELECT id FROM temp.fresh)`)
  return { table, columns, condition: areFresh.join(' AND ') }
}

/** Blocks come as the newest; those without a usable vector wait. */
function placed(columns: Map<string, string>, { asInbox, sequence }: Place): Map<string, string> {
  columns.set('arrival', 'fresh.here')
  const isChanged = `given.status <> 'archived' OR given.sequence IS NOT NULL`
  columns.set('sequence', `CASE WHEN ${isChanged} THEN ${sequence} END`)
  if (asInbox) columns.set('status', `CASE given.status WHEN 'active' THEN 'inbox' ELSE given.status END`)
  return columns
}

function allOf({ columns, set }: ExportedTable): Map<string, string> {
  const all = new Map(columns.map(({ name }) => [name, `given.${quoted(name)}`]))
  return set === undefined ? all : all.set('set_number', set.expression)
}

async function transferAll(
  importer: Connection,
  planOf: (table: ExportedTable) => Transfer | undefined,
): Promise<Record<string, number>> {
  const taken: Record<string, number> = {}
  for (const table of EXPORTED_TABLES) {
    const plan = planOf(table)
    const rows = plan === undefined ? 0 : await transfer(importer, plan)
    if (rows > 0) taken[table.kind] = rows
  }
  return taken
}

/** Copies rows slice by slice and returns how many came: a row of the same key that is there stays. */
async function transfer(
  importer: Connection,
  { table, columns, join = '', condition = 'true' }: Transfer,
): Promise<number> {
  const name = quoted(table.name)
  const ofSet = table.set === undefined ? '' : `AND given.set_number = ${table.set.number}`
  const into = [...columns.keys()].map(quoted).join(', ')
  const order = table.key.map((column) => `given.${quoted(column)}`).join(', ')
  return eachSlice(importer, table, (range, bounds) =>
    importer.run(
      `INSERT INTO main.${name} (${into}) SELECT ${[...columns.values()].join(', ')}
      FROM staged.${name} AS given ${join} WHERE ${condition} ${ofSet} AND ${range} ORDER BY ${order}
      ON CONFLICT DO NOTHING`,
      ...bounds,
    ),
  )
}

/** Does something for all staged rows of a table, some at a time by their key; returns the sum of what it returns. */
async function eachSlice(
  importer: Connection,
  { name, key }: ExportedTable,
  work: (range: string, bounds: readonly Parameter[]) => number,
): Promise<number> {
  const names = key.map((column) => `given.${quoted(column)}`)
  const bound = (than: string, first: number) =>
    `(${names.join(', ')}) ${than} (${key.map((_, i) => `?${first + i}`).join(', ')})`
  const after = bound('>', 1)
  const last = (range: string) =>
    `SELECT ${names.join(', ')} FROM staged.${quoted(name)} AS given WHERE ${range}
    ORDER BY ${names.join(', ')} LIMIT 1 OFFSET ${ROWS_BETWEEN - 1}`
  let sum = 0
  for (let from: readonly Parameter[] | undefined; ; ) {
    const [range, lower] = from === undefined ? ['true', []] : [after, from]
    const [until] = importer.values(last(range), ...lower) as Parameter[][]
    if (until === undefined) return sum + work(range, lower)
    sum += work(`${range} AND ${bound('<=', lower.length + 1)}`, [...lower, ...until])
    from = until
    await nextTurn()
  }
}

/** Writes the keys of texts that are missing, since an export has none. Reads the table once. */
function fillTextKeys(importer: Connection): void {
  for (let after = 0; ; ) {
    const rows = importer.values(SELECT_KEYLESS, after, KEYS_AT_ONCE)
    const last = rows.at(-1)
    if (last === undefined) return
    after = Number(last[0])
    const keys = rows.map(([arrival, content]) => [arrival, textKey(String(content))])
    importer.run(SET_KEYS, JSON.stringify(keys))
  }
}
