import { type Column, columnName, columnsWhere, type Table } from '../../ports/store/description.ts'
import { COPIES_ELSEWHERE, UNFINISHED_ERASING } from '../../ports/store/erasing.ts'
import { STATE_META } from '../../store/log-tables.ts'
import { REPORTS_MARK } from '../../store/rules/evidence.ts'
import { blockVectors, TABLES } from '../../store/tables.ts'
import { SELECT_SET } from '../queries/changes.ts'
import { MEMORY_ID } from '../schema.ts'

/** A table as an export has it; columns have their names of the database. */
export interface ExportedTable {
  /** The kind of its records. */
  readonly kind: string
  readonly name: string
  /** The set its rows are of, and an expression for the number of that set; absent where there are no sets. */
  readonly set?: { readonly number: 0 | 1; readonly expression: string }
  readonly columns: readonly ExportedColumn[]
  /** Columns of its key, in order. */
  readonly key: readonly string[]
  /** Columns that hold the id of a block and must. */
  readonly blockIds: readonly string[]
  /** Columns that hold a point on the memory's own clock. */
  readonly hours: readonly string[]
  /** Its one key column numbers the rows in the order they came, and nothing refers to it. */
  readonly isNumbered: boolean
  /** Rows go with a block by its arrival. */
  readonly isByArrival: boolean
  /** Not taken into a memory that is not empty. */
  readonly staysHome: boolean
}

/** A column as an export has it, under its name in the database. */
export interface ExportedColumn extends Pick<Column, 'kind' | 'isTime' | 'isList'> {
  readonly name: string
}

/** Shadow vectors, as exports call them. */
const SHADOW_KIND = 'spare_vectors'

/** Every stored table, in the order of an export; what is made again from the rest is left out. */
export const EXPORTED_TABLES: readonly ExportedTable[] = TABLES.flatMap((table) => {
  const exported = exportedOf(table)
  if (table.name !== blockVectors.name) return [exported]
  // What a memory is taken in from has the set in use as its first.
  return [
    { ...exported, set: { number: 0 as const, expression: SELECT_SET } },
    {
      ...{ ...exported, kind: SHADOW_KIND, staysHome: true },
      set: { number: 1 as const, expression: `1 - ${SELECT_SET}` },
    },
  ]
})

function exportedOf(table: Table): ExportedTable {
  const { name, key, isNumbered = false, staysHome = false } = table
  const isNoSet = (property: string) => table.columns[property]?.isSet !== true
  return {
    kind: name,
    name,
    columns: Object.entries(table.columns)
      .filter(([property, { isDerived }]) => isDerived !== true && isNoSet(property))
      .map(([property, column]) => ({ ...column, name: columnName(table, property) })),
    key: key.filter(isNoSet).map((property) => columnName(table, property)),
    blockIds: columnsWhere(table, ({ block }) => block === 'id'),
    hours: columnsWhere(table, ({ isHours }) => isHours === true),
    isNumbered,
    isByArrival: columnsWhere(table, ({ block }) => block === 'arrival').length > 0,
    staysHome,
  }
}

/** A statement that reads a table in the order of its key. */
export function selectOf(table: ExportedTable): string {
  const { name, columns, key } = table
  const list = columns.map((column) => quoted(column.name)).join(', ')
  return `SELECT ${list} FROM ${quoted(name)}${whereOf(table)} ORDER BY ${key.map(quoted).join(', ')}`
}

/** A statement that counts what `selectOf` reads. */
export function countOf(table: ExportedTable): string {
  return `SELECT count(*) AS total FROM ${quoted(table.name)}${whereOf(table)}`
}

/** A name in a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * True of a row of `meta` that says something of the memory, not of this file alone: of its name, its packed copies, where
 * copies of it lie, what is still to be erased of it, and when its processes last read what was reported.
 */
export const TRAVELS = `key NOT IN ('index_mark', '${STATE_META.vectorSet}', '${MEMORY_ID}', '${UNFINISHED_ERASING}', '${COPIES_ELSEWHERE}', '${REPORTS_MARK}') AND key NOT LIKE 'index_mark %'`

function whereOf({ name, set }: ExportedTable): string {
  if (set !== undefined) return ` WHERE set_number = ${set.expression}`
  return name === 'meta' ? ` WHERE ${TRAVELS}` : ''
}
