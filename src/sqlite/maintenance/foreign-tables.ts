import { existsSync, statSync } from 'node:fs'
import { Connection, type Row } from '../connection/connection.ts'
import { APPLICATION_ID, isHeld, mustBeDatabase } from '../file/own-file.ts'
import { bytesOf } from './paths.ts'

/** Lists real tables alone, because views and virtual tables run code. */
const SELECT_TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0`

/** Lists stored columns alone, because generated ones run code. */
const SELECT_COLUMNS = 'SELECT name FROM pragma_table_info(?1)'

/**
 * Opens a database of another program to read its tables, with the log beside it if there is one. Nothing of its schema
 * runs. Without a log nothing is made beside it.
 *
 * @throws `STORE_FOREIGN` or `STORE_CORRUPT`
 */
export function openForeignTables(path: string) {
  // Opening and closing it would take away the locks that a store of this process has on the file.
  if (mustBeDatabase(path) === APPLICATION_ID || isHeld(statSync(path))) return OUR_OWN
  const isFrozen = bytesOf(`${path}-wal`) === 0 && !existsSync(`${path}-journal`)
  const database = new Connection(path, { readOnly: true, isFrozen, readBigInts: true })
  try {
    const names = database.all<{ name: string }>(SELECT_TABLES).map(({ name }) => name)
    const columns = new Map(names.map((name) => [name, columnsOf(database, name)]))
    return {
      columns,
      isOurs: false,
      *rows(table: string) {
        const known = columns.get(table)
        if (known === undefined || known.length === 0) return
        for (const row of database.each(`SELECT ${known.map(quoted).join(', ')} FROM ${quoted(table)}`))
          yield plainOf(row)
      },
      close: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

/** The answer for a memory of elfmem, which is not read here. */
const OUR_OWN = {
  columns: new Map<string, string[]>(),
  isOurs: true,
  rows: () => [],
  close: () => undefined,
}

function columnsOf(database: Connection, table: string): string[] {
  return database.all<{ name: string }>(SELECT_COLUMNS, table).map(({ name }) => name)
}

/** Returns a row without its NULLs; whole numbers are numbers where JavaScript has them. */
function plainOf(row: Row): Record<string, Exclude<Row[string], null>> {
  const plain: Record<string, Exclude<Row[string], null>> = {}
  for (const [name, value] of Object.entries(row)) {
    if (value === null) continue
    plain[name] = typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
  }
  return plain
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
