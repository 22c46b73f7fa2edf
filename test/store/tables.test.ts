import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { type Column, columnName, columnsWhere, type Kind } from '../../src/ports/store/description.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { TABLES } from '../../src/store/tables.ts'
import { temporaryFolder } from '../helpers/memory.ts'

const TYPES: Readonly<Record<Kind, string>> = {
  text: 'TEXT',
  integer: 'INTEGER',
  real: 'REAL',
  flag: 'INTEGER',
  json: 'TEXT',
  bytes: 'BLOB',
}

async function newFile(): Promise<DatabaseSync> {
  const path = join(temporaryFolder(), 'memory.db')
  await (await openSqliteStore(path)).close()
  return new DatabaseSync(path, { readOnly: true })
}

function columnsIn(file: DatabaseSync, name: string) {
  const rows = file.prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?1)').all(name)
  return rows as { name: string; type: string; notnull: number; pk: number }[]
}

/** Tables that triggers make again from the others. */
const DERIVED_TABLES: readonly string[] = [
  'block_tags',
  'operation_blocks',
  'block_strengths',
  'scope_strengths',
  'edge_counts',
]

test('a new file has the described tables and those that triggers make, and no other', async () => {
  const file = await newFile()
  const names = file.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all()
  const described = [...TABLES.map(({ name }) => name), ...DERIVED_TABLES]
  expect(described.toSorted()).toEqual(names.map(({ name }) => name))
})

test.each(TABLES.map((table) => [table.name, table] as const))(
  'the description of %s has the columns, key and references of the file',
  async (name, table) => {
    const file = await newFile()
    const stored = columnsIn(file, name)
    const must = ({ isOptional, blank }: Column) => !isOptional || blank !== undefined
    const sql = String(file.prepare('SELECT sql FROM sqlite_schema WHERE name = ?1').get(name)?.sql)
    expect(
      Object.entries(table.columns).map(([property, column]) => [
        columnName(table, property),
        TYPES[column.kind],
        must(column),
        column.kind === 'json',
      ]),
    ).toEqual(
      stored.map((column) => [
        column.name,
        column.type,
        column.notnull === 1 || column.pk > 0,
        sql.includes(`json_valid(${column.name})`),
      ]),
    )
    expect(table.key.map((property) => columnName(table, property))).toEqual(
      stored
        .filter(({ pk }) => pk > 0)
        .sort((one, other) => one.pk - other.pk)
        .map((column) => column.name),
    )
    const references = file
      .prepare(`SELECT "from", "to" FROM pragma_foreign_key_list(?1) WHERE "table" = 'blocks'`)
      .all(name)
    for (const to of ['id', 'arrival'] as const)
      expect(columnsWhere(table, ({ block }) => block === to).toSorted()).toEqual(
        references
          .filter((each) => each.to === to)
          .map((each) => each.from)
          .toSorted(),
      )
  },
)
