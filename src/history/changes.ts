import { type Column, columnName, readCell, type Told } from '../store/description.ts'
import { operationChanges } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { type Change, type Image, type ImageRow, storedCell, UNDO_TABLES, type UndoTable } from './images.ts'
import { isAllOwn } from './revert.ts'

/** One value that a transaction changed, under its name in the domain; `before` or `after` is absent where there was none. */
export interface KeptChange {
  readonly of: Told['of']
  /** The block, the two ends of an edge or pair, or space, namespace and key of an item. */
  readonly names: readonly string[]
  readonly field: string
  readonly before?: unknown
  readonly after?: unknown
}

/**
 * The changes of a transaction, in the words of the description, as far as a view sees the blocks that they name; undefined if
 * nothing is kept of it, or if it was about other scopes as well.
 */
export async function readKeptChanges(tx: ReadTransaction, kept: number): Promise<KeptChange[] | undefined> {
  const [row] = await tx.whole.rows.get(operationChanges, [[kept]])
  if (row === undefined || !(await isAllOwn(tx, row))) return undefined
  const image = row.changes as Image
  const found = [...UNDO_TABLES.values()].flatMap((table) => {
    const { told } = table.table
    return told === undefined ? [] : (image[table.name] ?? []).flatMap((each) => valuesOf(table, told, each))
  })
  if (tx.scope === undefined) return found
  const at = await tx.lookUp(found.flatMap(({ of, names }) => (of === 'item' ? [] : names)))
  return found.filter(({ of, names }) => of === 'item' || names.every((id) => at(id) !== undefined))
}

/** The values that a change of a row is told by: those that changed, or those that tell of a row that came or went. */
function valuesOf(
  { table }: UndoTable,
  { of, names, whole }: Told,
  { was, is, named }: Change,
): KeptChange[] {
  const row = { ...(is ?? was), ...named }
  const valueIn = (cells: ImageRow | undefined, property: string): unknown => {
    const column = table.columns[property] as Column
    const cell = cells?.[columnName(table, property)] ?? null
    const isNone = cell === null || (column.isOptional && cell === column.blank)
    return isNone ? undefined : readCell(column, storedCell(cell))
  }
  const changed =
    was && is ? table.properties.filter((property) => columnName(table, property) in was) : whole
  return changed.flatMap((property): KeptChange[] => {
    const { called: field, former } = table.columns[property] as Column
    if (field === undefined) return []
    // A row that tells of a change has both values; it went when that was taken back.
    const sides =
      former === undefined
        ? [valueIn(was, property), valueIn(is, property)]
        : [valueIn(row, former), valueIn(row, property)]
    const [before, after] = former !== undefined && is === undefined ? sides.reverse() : sides
    const known = Object.entries({ before, after }).filter(([, value]) => !isNothing(value))
    if (known.length === 0) return []
    return [
      { of, names: names.map((name) => String(valueIn(row, name))), field, ...Object.fromEntries(known) },
    ]
  })
}

function isNothing(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0)
}
