import { type ErasableTable, OLD_ARCHIVED_EDGES } from '../../domain/erasure/records.ts'
import { type Column, columnName, columnsWhere, type Table } from '../../ports/store/description.ts'
import { TABLES } from '../../store/tables.ts'

const NOTHING: ErasableTable = { ends: [], isByArrival: false, words: [], notes: {}, goesWithWords: false }

/** Tables that only copies of older formats have. */
const FORMER: readonly (readonly [name: string, table: ErasableTable])[] = [
  ['spare_vectors', { ...NOTHING, isByArrival: true }],
  ['spare_missing', { ...NOTHING, isByArrival: true }],
  [OLD_ARCHIVED_EDGES, { ...NOTHING, ends: ['block_id'] }],
  [
    'block_amendments',
    {
      ...NOTHING,
      ends: ['block_id'],
      words: ['content_before', 'content_after', 'summary_before', 'summary_after', 'rationale'],
    },
  ],
]

/** The facts that erasing needs of all tables, from their description. */
export const ERASABLE_TABLES: ReadonlyMap<string, ErasableTable> = new Map([
  ...TABLES.map((table) => [table.name, erasableOf(table)] as const),
  ...FORMER,
])

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
