import type { Database } from '../../src/ports/store/rows.ts'
import { MEMORY_ID } from '../../src/sqlite/file/bytes/stored-schema.ts'
import { TABLES } from '../../src/store/tables.ts'

/** Every row of a database by its table, but for the random name that a file has. */
export function rowsOf(database: Database): Promise<Map<string, readonly unknown[]>> {
  return database.read(async (rows) => {
    const all = new Map<string, readonly unknown[]>()
    for (const table of TABLES) {
      const found = (await rows.scan(table, { order: table.key })) as readonly Record<string, unknown>[]
      all.set(
        table.name,
        found.filter(({ key }) => key !== MEMORY_ID),
      )
    }
    return all
  })
}
