import { type Fields, OLD_ARCHIVED_EDGES } from '../../domain/erasure/records.ts'
import type { Connection, Row } from '../connection/driver.ts'

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
