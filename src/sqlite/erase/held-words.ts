import type { Finder } from '../../domain/erasure/finder.ts'
import { type Fields, OLD_ARCHIVED_EDGES, type Whose, wordsIn } from '../../domain/erasure/records.ts'
import type { Connection, Row } from '../connection/driver.ts'
import { ERASABLE_TABLES } from './tables.ts'

/** Texts and stems of blocks that are to be erased. */
export interface Words {
  readonly texts: Set<string>
  readonly terms: Set<string>
}

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
  const arrivals = new Set([...rows, ...gone].map(({ arrival }) => arrival))
  return { ids: new Set(ids), arrivals, tables: ERASABLE_TABLES }
}

/** Adds all words of the blocks that a database holds, those of before as well. */
export function collectWords(connection: Connection, whose: Whose, into: Words): void {
  const [ids, arrivals] = [whose.ids, whose.arrivals].map((each) => JSON.stringify([...each])) as [
    string,
    string,
  ]
  const add = (table: string, condition: string, list: string) => {
    for (const row of connection.all(`SELECT * FROM ${table} WHERE ${condition}`, list))
      addWords(into, wordsIn(table, row, whose))
  }
  for (const [table, { ends, words }] of ERASABLE_TABLES) {
    const said = columnsThere(connection, table, words)
    if (said.length === 0 || ends.length === 0) continue
    const isTheirs = ends.map((end) => `${end} IN (SELECT value FROM json_each(?1))`)
    add(table, `(${notEmpty(said)}) AND (${isTheirs.join(' OR ')})`, ids)
  }
  if (hasTable(connection, 'block_index'))
    add('block_index', 'arrival IN (SELECT value FROM json_each(?1))', arrivals)
  for (const table of WHOLE) {
    if (!hasTable(connection, table)) continue
    for (const row of connection.each(`SELECT * FROM ${table}`))
      addWords(into, wordsIn(table, fieldsOf(table, row), whose))
  }
}

/** The columns of a block that hold somebody's words. */
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

/** Those of the columns that the file has; copies may be of an older format. */
export function columnsThere(connection: Connection, table: string, wanted: readonly string[]): string[] {
  const { columns } = connection.layout(table)
  return wanted.filter((column) => columns.includes(column))
}

/** Condition that any of the columns has a value. */
export function notEmpty(columns: readonly string[]): string {
  return columns.map((column) => `${column} IS NOT NULL`).join(' OR ')
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
  items: ['value'],
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
