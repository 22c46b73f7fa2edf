import { COPIES_ELSEWHERE, UNFINISHED_ERASING } from '../../ports/store/erasing.ts'
import { columnName, columnsWhere, type Kind } from '../../store/description.ts'
import { TABLES } from '../../store/tables.ts'
import { MEMORY_ID } from '../file/bytes/stored-schema.ts'
import { SOUND_FILE } from '../file/sound-pages.ts'

/** A table as an export has it; columns have their names of the database. */
export interface ExportedTable {
  readonly name: string
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

interface ExportedColumn {
  readonly name: string
  readonly kind: Kind
}

/** Every stored table, in the order of an export; what is made again from the rest is left out. */
export const EXPORTED_TABLES: readonly ExportedTable[] = TABLES.map((table) => {
  const { name, key, isNumbered = false, staysHome = false } = table
  return {
    name,
    columns: Object.entries(table.columns)
      .filter(([, { isDerived }]) => isDerived !== true)
      .map(([property, { kind }]) => ({ name: columnName(table, property), kind })),
    key: key.map((property) => columnName(table, property)),
    blockIds: columnsWhere(table, ({ block }) => block === 'id'),
    hours: columnsWhere(table, ({ isHours }) => isHours === true),
    isNumbered,
    isByArrival: columnsWhere(table, ({ block }) => block === 'arrival').length > 0,
    staysHome,
  }
})

/** A statement that reads a table in the order of its key. */
export function selectOf({ name, columns, key }: ExportedTable): string {
  const list = columns.map((column) => quoted(column.name)).join(', ')
  return `SELECT ${list} FROM ${quoted(name)}${whereOf(name)} ORDER BY ${key.map(quoted).join(', ')}`
}

/** A statement that counts what `selectOf` reads. */
export function countOf({ name }: ExportedTable): string {
  return `SELECT count(*) AS total FROM ${quoted(name)}${whereOf(name)}`
}

/** A name in a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * True of a row of `meta` that says something of the memory, not of this file alone: of its name, its packed copies, where
 * copies of it lie and what is still to be erased of it.
 */
export const TRAVELS = `key NOT IN ('index_mark', '${MEMORY_ID}', '${SOUND_FILE}', '${UNFINISHED_ERASING}', '${COPIES_ELSEWHERE}') AND key NOT LIKE 'index_mark %'`

function whereOf(table: string): string {
  return table === 'meta' ? ` WHERE ${TRAVELS}` : ''
}
