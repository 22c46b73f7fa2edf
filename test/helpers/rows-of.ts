import type { Database } from '../../src/ports/store/rows.ts'
import { MEMORY_ID } from '../../src/sqlite/schema.ts'
import { operationChanges } from '../../src/store/log-tables.ts'
import { TABLES } from '../../src/store/tables.ts'

type Row = Readonly<Record<string, unknown>>

/** Every row of a database by its table, but for the random name that a file has. */
export function rowsOf(database: Database): Promise<Map<string, readonly unknown[]>> {
  return database.read(async (rows) => {
    const all = new Map<string, readonly unknown[]>()
    for (const table of TABLES) {
      const found = (await rows.scan(table, { order: table.key })) as readonly Row[]
      const own = found.filter(({ key }) => key !== MEMORY_ID)
      all.set(table.name, table.name === operationChanges.name ? own.map(withSortedLists) : own)
    }
    return all
  })
}

/** What is kept for an undo, whose lists are in the order in which a database told of its rows. */
function withSortedLists(row: Row): Row {
  const changes = Object.entries(row.changes as Record<string, Row>).map(([name, image]) => [
    name,
    Object.entries(image).map(([list, each]) => [list, Array.isArray(each) ? each.map(textOf).sort() : each]),
  ])
  return { ...row, changes }
}

function textOf(each: unknown): string {
  return JSON.stringify(each)
}
