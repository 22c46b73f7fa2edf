import { type Column, columnName, type Told } from '../../ports/store/description.ts'
import type { KeptChange } from '../../ports/store/undo.ts'
import { readCell } from '../codec.ts'
import { operationChanges } from '../log-tables.ts'
import type { Transaction } from '../transaction.ts'
import {
  type Image,
  type ImageRow,
  storedCell,
  type TableImage,
  UNDO_TABLES,
  type UndoTable,
} from './images.ts'
import { isAllOwn } from './revert.ts'

/** A change of a row: as it was and as it became, as far as kept; absent where it was not there. */
interface Moved {
  readonly was?: ImageRow
  readonly is?: ImageRow
  /** Properties that changed; of a row that came or went those that tell of it. */
  readonly properties: readonly string[]
}

/**
 * The changes of a transaction, in the words of the description, as far as a view sees the blocks that they name; undefined if
 * nothing is kept of it, or if it was about other scopes as well.
 */
export async function readKeptChanges(tx: Transaction, kept: number): Promise<KeptChange[] | undefined> {
  const [row] = await tx.whole.rows.get(operationChanges, [[kept]])
  if (row === undefined || !(await isAllOwn(tx, row))) return undefined
  const images = row.changes as Image
  const changes = [...UNDO_TABLES.values()].flatMap((table) => {
    const [image, { told }] = [images[table.name], table.table]
    if (image === undefined || told === undefined) return []
    return movedIn(table, told, image).flatMap((moved) => changesOf(table, told, moved))
  })
  if (tx.scope === undefined) return changes
  const at = await tx.lookUp(changes.flatMap(({ of, names }) => (of === 'item' ? [] : names)))
  return changes.filter(({ of, names }) => of === 'item' || names.every((id) => at(id) !== undefined))
}

function movedIn({ table }: UndoTable, { whole }: Told, { made, changed, gone }: TableImage): Moved[] {
  return [
    ...made.map(({ said = {} }): Moved => ({ is: said, properties: whole })),
    ...changed.map(
      ({ was, is, said = {} }): Moved => ({
        ...{ was: { ...said, ...was }, is: { ...said, ...is } },
        properties: table.properties.filter((each) => columnName(table, each) in was),
      }),
    ),
    ...gone.map((row): Moved => ({ was: row, properties: whole })),
  ]
}

function changesOf({ table }: UndoTable, told: Told, { was, is, properties }: Moved): KeptChange[] {
  const valueIn = (row: ImageRow | undefined, property: string): unknown => {
    const column = table.columns[property] as Column
    const cell = row?.[columnName(table, property)] ?? null
    return cell === null || (column.isOptional && cell === column.blank)
      ? undefined
      : readCell(column, storedCell(cell))
  }
  const names = told.names.map((name) => String(valueIn(is ?? was, name)))
  return properties.flatMap((property): KeptChange[] => {
    const { called: field, former } = table.columns[property] as Column
    if (field === undefined) return []
    // A row that tells of a change has both values, and went when that was taken back.
    const row = is ?? was
    const sides =
      former === undefined
        ? [valueIn(was, property), valueIn(is, property)]
        : [valueIn(row, former), valueIn(row, property)]
    const [before, after] = former !== undefined && is === undefined ? sides.reverse() : sides
    const known = Object.entries({ before, after }).filter(([, value]) => !isNothing(value))
    return known.length === 0 ? [] : [{ of: told.of, names, field, ...Object.fromEntries(known) }]
  })
}

function isNothing(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0)
}
