import { DatabaseSync } from 'node:sqlite'

/** Clock, log, days, what was asked beside its entries, sessions, accounts and the numbers of changes are never set back. */
const APART = new Set([
  'operations',
  'operation_blocks',
  'operation_changes',
  'days',
  'recent_questions',
  'sessions',
  'meta',
  'usage',
])

/** Everything a file holds, row by row, what triggers keep included. */
export function dumpOf(path: string): Record<string, unknown[]> {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    const names = tables.map(({ name }) => String(name)).filter((name) => !APART.has(name))
    return Object.fromEntries(names.map((name) => [name, rowsOf(database, name)]))
  } finally {
    database.close()
  }
}

/** Vectors of blocks that wait are made whenever there is time, and no operation makes them. */
const OF_OPERATIONS: Readonly<Record<string, string>> = {
  block_vectors: `WHERE arrival NOT IN (SELECT arrival FROM blocks WHERE status = 'inbox')`,
}

function rowsOf(database: DatabaseSync, table: string): unknown[] {
  const rows = database.prepare(`SELECT * FROM ${table} ${OF_OPERATIONS[table] ?? ''}`).all()
  return rows
    .map((row) => JSON.stringify(Object.entries(row).filter(([column]) => column !== 'sequence')))
    .sort()
}
