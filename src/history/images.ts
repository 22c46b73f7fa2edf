import { hash } from 'node:crypto'
import type { Cells, RowChanged } from '../store/database.ts'
import {
  type Column,
  codecOf,
  columnName,
  columnsWhere,
  type RowOf,
  type Table,
  type UndoRule,
  type Cell as Value,
  type View,
} from '../store/description.ts'
import { operationChanges, TABLES } from '../store/tables.ts'
import { atLast, type Transaction } from '../store/transaction.ts'

/** A cell is a value of a row, bytes as hexadecimal, because changes are kept as JSON. */
export type Cell = string | number | null | { readonly hex: string }

/** An image row is a row or a part of it, by the names of its columns in the database. */
export type ImageRow = Readonly<Record<string, Cell>>

/** An image key is the key of a row, without the number of a set. */
export type ImageKey = readonly Cell[]

/**
 * A change is that of one row in one transaction. An inserted row has no `was`: `mark` is a digest of the row, so that the log need not
 * hold all of it, and an empty `is`. A removed row has no `is`, and all columns in `was`. For a changed row both have the columns that
 * changed.
 */
export interface Change {
  readonly key: ImageKey
  readonly was?: ImageRow
  readonly is?: ImageRow
  readonly mark?: string
}

/** An image has the changes of one transaction, by table. */
export type Image = Readonly<Record<string, readonly Change[]>>

/** An undo table says how an undo treats the rows of a table; columns have their names in the database. */
export interface UndoTable {
  readonly whenChanged: UndoRule
  readonly name: string
  readonly table: Table
  /** All columns except the number of a set, in order; `key` has those of the key. */
  readonly columns: readonly string[]
  readonly key: readonly string[]
  /** Places of the values of the whole key; `setPlace` is the place of the set's number, or -1 if the table has no sets. */
  readonly keyPlaces: readonly number[]
  readonly setPlace: number
  /** Columns that name blocks. */
  readonly ends: readonly string[]
  /** Columns that must together differ from those of every other row, besides the key. */
  readonly unique: readonly string[]
  readonly isNumbered: boolean
  /** Columns that use or the bookkeeping for readers changes. */
  readonly uses: ReadonlyMap<string, Column['ofUse']>
  /** Returns true if an undo can take a change of the row back. */
  readonly isWatched: (cells: Cells) => boolean
}

/** All tables whose rows an undo can take back. Blocks come first, because other rows name them. */
export const UNDO_TABLES: ReadonlyMap<string, UndoTable> = new Map(
  TABLES.flatMap((table) =>
    table.undo === undefined ? [] : [[table.name, undoTableOf(table, table.undo)] as const],
  ),
)

function undoTableOf(table: Table, whenChanged: UndoRule): UndoTable {
  const { name, key, unique = [], isNumbered = false, undoneKeys } = table
  const named = (properties: readonly string[]) => properties.map((each) => columnName(table, each))
  return {
    ...{ name, table, whenChanged, isNumbered },
    columns: columnsWhere(table, ({ isSet }) => isSet !== true),
    key: named(key.filter((property) => table.columns[property]?.isSet !== true)),
    keyPlaces: key.map((property) => table.properties.indexOf(property)),
    setPlace: table.properties.findIndex((property) => table.columns[property]?.isSet === true),
    ends: name === 'blocks' ? ['id'] : columnsWhere(table, ({ block }) => block === 'id'),
    unique: named(unique),
    uses: new Map(
      table.properties.flatMap((each) => {
        const ofUse = table.columns[each]?.ofUse
        return ofUse === undefined ? [] : [[columnName(table, each), ofUse]]
      }),
    ),
    isWatched: ([first]) => undoneKeys?.includes(String(first).split(' ')[0] as string) ?? true,
  }
}

/** A row before and after a transaction; a side is absent if there was no row. */
interface Noted {
  readonly was?: Cells | undefined
  readonly is?: Cells | undefined
}

/** A recorder notes the changes of a transaction to the rows that an undo can take back. */
export class Recorder {
  readonly #noted = new Map<string, Map<string, Noted>>()

  /** Notes a change, in the order of events; a row that is removed and inserted again counts as changed. */
  readonly changed: RowChanged = ({ name }: Table, was, is) => {
    const table = UNDO_TABLES.get(name)
    const cells = was ?? is
    if (table === undefined || cells === undefined || !table.isWatched(cells)) return
    const rows = this.#noted.get(name) ?? new Map<string, Noted>()
    this.#noted.set(name, rows)
    const key = JSON.stringify(table.keyPlaces.map((place) => cells[place]))
    const known = rows.get(key)
    const before = known === undefined ? was : known.was
    if (before === undefined && is === undefined) rows.delete(key)
    else rows.set(key, { was: before, is })
  }

  /**
   * Keeps the noted changes under the entries of the log and returns the number of the last entry. Returns undefined if there are no
   * entries, or if only bookkeeping changed.
   */
  async keep(tx: Transaction): Promise<number | undefined> {
    const { rows, logged } = tx
    const [firstId, operationId] = [logged[0], logged.at(-1)]
    if (firstId === undefined || operationId === undefined) return undefined
    const { vectorSet } = await tx.state()
    const images = [...UNDO_TABLES.values()].flatMap((table) => {
      const isInUse = ({ was, is }: Noted) =>
        table.setPlace < 0 || (was ?? is)?.[table.setPlace] === vectorSet
      const noted = [...(this.#noted.get(table.name)?.values() ?? [])].filter(isInUse)
      const changes = noted.flatMap((each) => changeOf(table, each))
      return changes.length === 0 ? [] : [[table.name, changes] as const]
    })
    if (images.length === 0) return undefined
    const changes = Object.fromEntries(images)
    atLast(rows.whole.insert(operationChanges, [{ operationId, firstId, changes }]))
    return operationId
  }
}

/** Returns the change of a row, or an empty list if only bookkeeping changed. */
function changeOf(table: UndoTable, { was, is }: Noted): Change[] {
  const [before, after] = [was && namedCells(table, was), is && namedCells(table, is)]
  const key = keyOf(table, before ?? after ?? {})
  if (after === undefined) return [{ key, was: before ?? {} }]
  if (before === undefined) return [{ key, mark: markOf(table, after), is: {} }]
  const moved = table.columns.filter(
    (column) => table.uses.get(column) !== 'sequence' && !isSameCell(before[column], after[column]),
  )
  if (moved.length === 0) return []
  // An undo never compares rows that follow others.
  const left = table.whenChanged === 'follow' ? [] : moved
  return [{ key, was: picked(before, moved), is: picked(after, left) }]
}

function picked(row: ImageRow, columns: readonly string[]): ImageRow {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))
}

/** Returns a digest of the columns of a row that an undo compares. */
export function markOf(table: UndoTable, row: ImageRow): string {
  if (table.whenChanged === 'follow') return ''
  const compared = table.columns.map((column) => (table.uses.has(column) ? undefined : row[column]))
  return hash('sha256', JSON.stringify(compared), 'base64').slice(0, 16)
}

/** Returns the values of a row's key, in the order of its columns; null for a missing value. */
export function keyOf({ key }: UndoTable, row: ImageRow): ImageKey {
  return key.map((column) => row[column] ?? null)
}

/** Returns true if two values of rows are equal; bytes are compared by content. */
export function isSameCell(one: Cell | undefined, other: Cell | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

function namedCells({ columns }: Pick<UndoTable, 'columns'>, cells: Cells): ImageRow {
  return Object.fromEntries(
    columns.map((column, place) => {
      const value = cells[place] ?? null
      return [column, value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value]
    }),
  )
}

/** Returns the row of a table that an image contains. */
export function rowOf(table: Table, image: ImageRow): Readonly<Record<string, unknown>> {
  const { names, decode } = codecOf(table)
  return decode(names.map((name) => storedCell(image[name] ?? null)))
}

/** Returns the value of a cell in the form that a database takes. */
function storedCell(cell: Cell): Value {
  return typeof cell === 'object' && cell !== null ? Buffer.from(cell.hex, 'hex') : cell
}

/** Returns a row by the names of all its columns in the database. */
export function cellsOf(table: Table, row: object): ImageRow {
  const { names, encode } = codecOf<object>(table as View<object>)
  return namedCells({ columns: names }, encode(row))
}

/** Calls `visit` with the kept changes of later transactions, the newest first, until it returns true. */
export async function eachLater(
  { rows }: Pick<Transaction, 'rows'>,
  after: number,
  visit: (kept: RowOf<typeof operationChanges>) => boolean,
): Promise<void> {
  for (let until: number | undefined = Number.MAX_SAFE_INTEGER; until !== undefined; ) {
    // Pages are short, because the changes of one transaction may be large.
    const page: RowOf<typeof operationChanges>[] = await rows.scan(operationChanges, {
      ...{ from: ['operationId', after + 1], until: ['operationId', until] },
      ...{ order: ['-operationId'], limit: 50 },
    })
    if (page.some(visit)) return
    const oldest = page.at(-1)
    until = oldest && oldest.operationId - 1
  }
}
