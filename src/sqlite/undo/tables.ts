import { columnName, columnsWhere, type Table, type UndoRule } from '../../store/description.ts'
import { TABLES } from '../../store/tables.ts'

/** How rows of a table are taken back; columns have their names of the database. */
export interface UndoTable extends Pick<UndoRule, 'whenChanged' | 'madeByUse'> {
  readonly name: string
  /** All columns, and those of the key, in order. */
  readonly columns: readonly string[]
  readonly key: readonly string[]
  /** Columns that name blocks. */
  readonly ends: readonly string[]
  /** Columns that must differ from every other row's, beside the key. */
  readonly unique?: readonly string[]
  readonly isNumbered: boolean
  readonly count?: string
  readonly clock?: string
  /** SQL condition for the rows that can be taken back; all when absent. */
  readonly only?: (row: 'old' | 'new') => string
}

/** All that can be taken back; what is inserted may name blocks, so they come first. */
export const UNDO_TABLES: readonly UndoTable[] = TABLES.flatMap((table) =>
  table.undo === undefined ? [] : [undoTableOf(table, table.undo)],
)

/** The log is watched for the numbers of its new entries. */
export const RECORDED_LOG = 'operations'

/** Numbers the changes for readers; every revert is a new one. */
export const SEQUENCE = 'sequence'

/** True if use or a reader's bookkeeping changes the column; digests of rows leave it out. */
export function isLoose({ count, clock }: UndoTable, column: string): boolean {
  return column === count || column === clock || column === SEQUENCE
}

function undoTableOf(table: Table, { onlyKeys, ...rule }: UndoRule): UndoTable {
  const { name, key, unique, isNumbered = false } = table
  const named = (properties: readonly string[]) => properties.map((each) => columnName(table, each))
  const [count] = columnsWhere(table, ({ ofUse }) => ofUse === 'count')
  const [clock] = columnsWhere(table, ({ ofUse }) => ofUse === 'clock')
  return {
    ...rule,
    name,
    isNumbered,
    columns: columnsWhere(table),
    key: named(key),
    ends: name === 'blocks' ? ['id'] : columnsWhere(table, ({ block }) => block === 'id'),
    ...(unique === undefined ? {} : { unique: named(unique) }),
    ...(count === undefined ? {} : { count }),
    ...(clock === undefined ? {} : { clock }),
    ...(onlyKeys === undefined ? {} : { only: (row) => firstWordOf(`${row}.key`, onlyKeys) }),
  }
}

function firstWordOf(column: string, words: readonly string[]): string {
  const allowed = words.map((word) => `'${word}'`).join(', ')
  return `substr(${column}, 1, instr(${column} || ' ', ' ') - 1) IN (${allowed})`
}
