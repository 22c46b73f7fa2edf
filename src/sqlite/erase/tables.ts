import type { ErasableTable } from '../../history/erase.ts'
import { type Column, columnName, columnsWhere, type Table } from '../../store/description.ts'
import { TABLES } from '../../store/tables.ts'

/** The facts that erasing needs of all tables, from their description. */
export const ERASABLE_TABLES: ReadonlyMap<string, ErasableTable> = new Map(
  TABLES.map((table) => [table.name, erasableOf(table)]),
)

/** The columns of each table whose text is JSON. */
export const JSON_COLUMNS: ReadonlyMap<string, readonly string[]> = new Map(
  TABLES.map((table) => [table.name, columnsWhere(table, ({ kind }) => kind === 'json')]),
)

/** The columns that hold texts, as JSON or as they are, of each table that has some. */
export const TEXT_COLUMNS: ReadonlyMap<string, readonly string[]> = new Map(
  TABLES.flatMap((table) => {
    const columns = columnsWhere(table, ({ kind }) => kind === 'json' || kind === 'text')
    return columns.length === 0 ? [] : [[table.name, columns.map((each) => `"${each}"`)] as const]
  }),
)

function erasableOf(table: Table): ErasableTable {
  const columns = Object.entries(table.columns) as [string, Column][]
  return {
    ends: table.name === 'blocks' ? ['id'] : columnsWhere(table, ({ block }) => block === 'id'),
    isByArrival: columnsWhere(table, ({ block }) => block === 'arrival').length > 0,
    words: columnsWhere(table, ({ holdsWords }) => holdsWords === true),
    notes: Object.fromEntries(
      columns.flatMap(([property, { erasedTo }]) =>
        erasedTo === undefined ? [] : [[columnName(table, property), erasedTo] as const],
      ),
    ),
    goesWithWords: table.goesWithWords === true,
  }
}
