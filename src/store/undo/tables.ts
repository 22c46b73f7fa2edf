import { columnName, columnsWhere, type Table, type UndoRule } from '../../ports/store/description.ts'
import type { Cells } from '../../ports/store/rows.ts'
import { TABLES } from '../tables.ts'

/** How rows of a table are taken back; columns have their names of the database. */
export interface UndoTable extends Pick<UndoRule, 'whenChanged' | 'madeByUse'> {
  readonly name: string
  readonly table: Table
  /** All columns but the number of a set, and those of the key, in order. */
  readonly columns: readonly string[]
  readonly key: readonly string[]
  /** Places of the values of its whole key, and of the number of its set; -1 if it has none. */
  readonly keyPlaces: readonly number[]
  readonly setPlace: number
  /** Columns that name blocks. */
  readonly ends: readonly string[]
  /** Columns that must differ from every other row's, beside the key. */
  readonly unique?: readonly string[]
  readonly isNumbered: boolean
  readonly count?: string
  readonly clock?: string
  /** True for each column that use or a reader's bookkeeping changes; digests of rows leave it out. */
  readonly isLoose: readonly boolean[]
  /** True if the row can be taken back. */
  readonly isWatched: (cells: Cells) => boolean
}

/** Numbers the changes for readers; every revert is a new one. */
export const SEQUENCE = 'sequence'

/** All that can be taken back; what is inserted may name blocks, so they come first. */
export const UNDO_TABLES: ReadonlyMap<string, UndoTable> = new Map(
  TABLES.flatMap((table) =>
    table.undo === undefined ? [] : [[table.name, undoTableOf(table, table.undo)] as const],
  ),
)

function undoTableOf(table: Table, { onlyKeys, ...rule }: UndoRule): UndoTable {
  const { name, key, unique, isNumbered = false } = table
  const named = (properties: readonly string[]) => properties.map((each) => columnName(table, each))
  const [count] = columnsWhere(table, ({ ofUse }) => ofUse === 'count')
  const [clock] = columnsWhere(table, ({ ofUse }) => ofUse === 'clock')
  const columns = columnsWhere(table, ({ isSet }) => isSet !== true)
  return {
    ...rule,
    name,
    table,
    isNumbered,
    columns,
    isLoose: columns.map((column) => column === count || column === clock || column === SEQUENCE),
    key: named(key.filter((property) => table.columns[property]?.isSet !== true)),
    keyPlaces: key.map((property) => table.properties.indexOf(property)),
    setPlace: table.properties.findIndex((property) => table.columns[property]?.isSet === true),
    ends: name === 'blocks' ? ['id'] : columnsWhere(table, ({ block }) => block === 'id'),
    ...(unique === undefined ? {} : { unique: named(unique) }),
    ...(count === undefined ? {} : { count }),
    ...(clock === undefined ? {} : { clock }),
    isWatched:
      onlyKeys === undefined
        ? () => true
        : ([first]) => onlyKeys.includes(String(first).split(' ')[0] as string),
  }
}
