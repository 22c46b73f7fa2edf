import type { Finder } from '../../domain/erasure/finder.ts'
import { type Fields, OLD_ARCHIVED_EDGES, wordsIn } from '../../domain/erasure/records.ts'
import type { Connection, Row } from '../connection/driver.ts'

/** Texts and stems of blocks that are to be erased. */
export interface Words {
  readonly texts: Set<string>
  readonly terms: Set<string>
}

/** Which blocks, and the numbers of their rows in one file. */
export interface Whose {
  readonly ids: ReadonlySet<string>
  readonly arrivals: ReadonlySet<number>
}

/** Where words of a block may stand besides its own row: statements that take the ids, or the numbers, as one list. */
const OF_BLOCKS: readonly (readonly [table: string, by: 'ids' | 'arrivals', condition: string])[] = [
  ['blocks', 'ids', 'id IN list'],
  ['block_index', 'arrivals', 'arrival IN list'],
  ['edges', 'ids', 'note IS NOT NULL AND (from_id IN list OR to_id IN list)'],
  ['pending_connections', 'ids', 'note IS NOT NULL AND (source IN list OR target IN list)'],
  ['disconnections', 'ids', 'reason IS NOT NULL AND (from_id IN list OR to_id IN list)'],
  ['block_amendments', 'ids', 'block_id IN list'],
]

/** Read as a whole: lists within their rows may name a block. */
const WHOLE = ['archived_edges', 'tombstones', 'operations', 'operation_changes']

const SELECT_ARRIVALS = 'SELECT arrival FROM blocks WHERE id IN (SELECT value FROM json_each(?1))'
const SELECT_GONE_ARRIVALS = `SELECT DISTINCT gone.value ->> 'arrival' AS arrival
FROM operation_changes, json_each(changes, '$.blocks.gone') AS gone
WHERE gone.value ->> 'id' IN (SELECT value FROM json_each(?1))`

/** The numbers of the blocks' rows; of those that are gone the numbers they had. */
export function whoseIn(connection: Connection, ids: readonly string[]): Whose {
  const list = JSON.stringify(ids)
  const rows = connection.all<{ arrival: number }>(SELECT_ARRIVALS, list)
  const gone = hasTable(connection, 'operation_changes')
    ? connection.all<{ arrival: number }>(SELECT_GONE_ARRIVALS, list)
    : []
  return { ids: new Set(ids), arrivals: new Set([...rows, ...gone].map(({ arrival }) => arrival)) }
}

/** Adds all words of the blocks that a database holds, those of before as well. */
export function collectWords(connection: Connection, whose: Whose, into: Words): void {
  const lists = { ids: JSON.stringify([...whose.ids]), arrivals: JSON.stringify([...whose.arrivals]) }
  for (const [table, by, condition] of OF_BLOCKS) {
    if (!hasTable(connection, table)) continue
    const where = condition.replaceAll('list', '(SELECT value FROM json_each(?1))')
    for (const row of connection.all(`SELECT * FROM ${table} WHERE ${where}`, lists[by]))
      addWords(into, wordsIn(table, row, whose))
  }
  for (const table of WHOLE) {
    if (!hasTable(connection, table)) continue
    for (const row of connection.each(`SELECT * FROM ${table}`))
      addWords(into, wordsIn(table, fieldsOf(table, row), whose))
  }
}

/** What a row of a block says that is somebody's words. */
const SAID = ['content', 'summary', 'cue', 'tags', 'source', 'session']

/** True if a block, as a copy has it, holds any of the words. */
export function isHolder(row: Fields, finder: Finder): boolean {
  const said = SAID.map((column) => row[column])
  return said.some((text) => text !== null && text !== undefined && finder.isIn(String(text)))
}

/** Adds words to words. */
export function addWords(into: Words, { texts, terms }: Record<keyof Words, readonly string[]>): void {
  for (const text of texts) into.texts.add(text)
  for (const term of terms) into.terms.add(term)
}

/** True if the file has the table; copies may be of an older format. */
export function hasTable(connection: Connection, table: string): boolean {
  return connection.layout(table).columns.length > 0
}

/** Columns whose text is JSON, by table; older formats have the second table of edges. */
const JSON_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  archived_edges: ['edges', 'pairs'],
  [OLD_ARCHIVED_EDGES]: ['edges', 'pairs'],
  operations: ['block_ids', 'before'],
  operation_changes: ['changes'],
}

/** A row with its JSON read. */
export function fieldsOf(table: string, row: Row): Fields {
  const columns = JSON_COLUMNS[table]
  if (columns === undefined) return row
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      columns.includes(column) && typeof value === 'string' ? (JSON.parse(value) as unknown) : value,
    ]),
  )
}

/** The value of a column as the file keeps it. */
export function cellOf(value: unknown): string | number | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'object') return JSON.stringify(value)
  return typeof value === 'number' ? value : String(value)
}
