import type { RecordHead, StoreRecord } from '../../ports/store/maintenance.ts'
import { Connection, type Row } from '../connection/connection.ts'
import { countOf, EXPORTED_TABLES, type ExportedTable, selectOf } from './tables.ts'

/** Reads everything on a connection of its own, so that neither writers nor readers of the store wait. */
export async function exportRows<T>(
  location: string,
  work: (head: RecordHead, records: AsyncIterable<StoreRecord>) => Promise<T>,
): Promise<T> {
  const connection = new Connection(location, { readOnly: true })
  try {
    connection.control('BEGIN')
    return await work(headOf(connection), rowsOf(connection))
  } finally {
    connection.close()
  }
}

/** Returns the head of an export, for its first line. */
function headOf(connection: Connection): RecordHead {
  const totals = EXPORTED_TABLES.map(
    (table) => [table.kind, connection.get<{ total: number }>(countOf(table))?.total ?? 0] as const,
  )
  const clock = connection.get<{ hours: number }>('SELECT hours FROM operations ORDER BY id DESC LIMIT 1')
  const model = metaOf(connection, 'embedding_model')
  const dimensions = Number(metaOf(connection, 'embedding_dimensions'))
  return {
    hours: clock?.hours ?? 0,
    ...(model === undefined ? {} : { embedding: { model, dimensions } }),
    counts: Object.fromEntries(totals.filter(([, total]) => total > 0)),
  }
}

/** One setting of a memory. */
export function metaOf(connection: Connection, key: string): string | undefined {
  return connection.get<{ value: string }>('SELECT value FROM meta WHERE key = ?1', key)?.value
}

async function* rowsOf(connection: Connection): AsyncGenerator<StoreRecord> {
  for (const table of EXPORTED_TABLES)
    for (const row of connection.each(selectOf(table))) yield { kind: table.kind, row: plainOf(table, row) }
}

function plainOf({ columns }: ExportedTable, row: Row): Record<string, unknown> {
  const plain: Record<string, unknown> = {}
  for (const { name, kind } of columns) {
    const value = row[name]
    if (value === null || value === undefined) continue
    if (value instanceof Uint8Array) plain[name] = Buffer.from(value).toString('base64')
    else plain[name] = kind === 'json' ? JSON.parse(String(value)) : value
  }
  return plain
}
