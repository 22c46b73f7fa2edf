import { Connection } from '../../src/sqlite/connection/driver.ts'
import { makeTables, SCHEMA_VERSION } from '../../src/sqlite/migrations/schema.ts'

/** The statements that make an empty database what all migrations make it, in the order in which SQLite lists what it has. */
export function renderNewestSchema(): string {
  const empty = new Connection(':memory:')
  try {
    makeTables(empty, SCHEMA_VERSION)
    const rows = empty.all<{ sql: string }>(
      'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid',
    )
    const statements = rows.map(({ sql }) => sql)
    return `${JSON.stringify(statements, null, 2)}\n`
  } finally {
    empty.close()
  }
}
