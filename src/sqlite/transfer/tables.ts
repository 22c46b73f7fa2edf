import { COPIES_ELSEWHERE, UNFINISHED_ERASING } from '../../ports/store/erasing.ts'
import type { Connection } from '../connection/driver.ts'
import { MEMORY_ID } from '../file/bytes/stored-schema.ts'

/** A table as an export has it. */
export interface ExportedTable {
  readonly name: string
  readonly columns: readonly Column[]
  /** Columns of its key, in order. */
  readonly key: readonly string[]
  /** Columns that hold the id of a block and must. */
  readonly blockIds: readonly string[]
  /** Its one key column numbers the rows in the order they came. */
  readonly isNumbered: boolean
  /** Rows go with a block by its arrival. */
  readonly isByArrival: boolean
}

interface Column {
  readonly name: string
  readonly type: string
  /** Its text is JSON. */
  readonly isJson: boolean
}

/** Blocks come first, since others refer to them, and settings last, since triggers act on them. */
const FIRST = ['blocks', 'block_index', 'block_vectors', 'spare_vectors', 'spare_missing', 'edges', 'pairs']
const LAST = ['sessions', 'operations', 'meta']

/** Made again by triggers from what is exported. */
const DERIVED_TABLES: ReadonlySet<string> = new Set([
  'block_tags',
  'operation_blocks',
  'block_strengths',
  'scope_strengths',
  'edge_counts',
])

/** Made again from the content wherever rows come in. */
const DERIVED_COLUMN = 'text_key'

/** Every table of a memory that is no index of another, in the order of an export. */
export function exportedTables(connection: Connection): ExportedTable[] {
  const tables = connection.all<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
  )
  return tables
    .filter(({ name }) => !DERIVED_TABLES.has(name))
    .map((table) => describe(connection, table))
    .sort((one, other) => placeOf(one.name) - placeOf(other.name))
}

/** A statement that reads a table in the order of its key. */
export function selectOf({ name, columns, key }: ExportedTable): string {
  const list = columns.map((column) => quoted(column.name)).join(', ')
  return `SELECT ${list} FROM ${quoted(name)}${whereOf(name)} ORDER BY ${key.map(quoted).join(', ')}`
}

/** A statement that counts what `selectOf` reads. */
export function countOf({ name }: ExportedTable): string {
  return `SELECT count(*) AS total FROM ${quoted(name)}${whereOf(name)}`
}

/** A name in a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * True of a row of `meta` that says something of the memory, not of this file alone: of its name, its packed copies, where
 * copies of it lie and what is still to be erased of it.
 */
export const TRAVELS = `key NOT IN ('index_mark', '${MEMORY_ID}', '${UNFINISHED_ERASING}', '${COPIES_ELSEWHERE}') AND key NOT LIKE 'index_mark %'`

function whereOf(table: string): string {
  return table === 'meta' ? ` WHERE ${TRAVELS}` : ''
}

function describe(connection: Connection, { name, sql }: { name: string; sql: string }): ExportedTable {
  const json = new Set([...sql.matchAll(/json_valid\("?(\w+)"?\)/g)].map(([, column]) => column))
  const columns = connection.all<{ name: string; type: string; pk: number }>(
    `SELECT name, type, pk FROM pragma_table_info(?1) WHERE name <> '${DERIVED_COLUMN}'`,
    name,
  )
  const references = connection.all<{ field: string; parent: string; key: string }>(
    'SELECT "from" AS field, "table" AS parent, "to" AS key FROM pragma_foreign_key_list(?1) ORDER BY field',
    name,
  )
  const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
  const isByArrival = references.some(({ parent, key: field }) => parent === 'blocks' && field === 'arrival')
  return {
    name,
    columns: columns.map((column) => ({ ...column, isJson: json.has(column.name) })),
    key: key.map((column) => column.name),
    blockIds: references
      .filter(({ parent, key: field }) => parent === 'blocks' && field === 'id')
      .map(({ field }) => field),
    isNumbered: key.length === 1 && key[0]?.type === 'INTEGER' && !isByArrival,
    isByArrival,
  }
}

function placeOf(name: string): number {
  const [first, last] = [FIRST.indexOf(name), LAST.indexOf(name)]
  if (first >= 0) return first
  return last >= 0 ? 1_000 + last : 500
}
