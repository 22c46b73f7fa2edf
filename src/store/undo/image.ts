import { hash } from 'node:crypto'
import type { Ends } from '../../domain/graph/edge.ts'
import type { Table } from '../../ports/store/description.ts'
import type { Cells, RowChanged, Cell as Value } from '../../ports/store/rows.ts'
import type { Later, TouchedEdge } from '../../ports/store/undo.ts'
import { operationChanges } from '../log-tables.ts'
import type { Transaction } from '../transaction.ts'
import { SEQUENCE, UNDO_TABLES, type UndoTable } from './tables.ts'

/** A value of a row; bytes as hexadecimal, because the changes are kept as JSON. */
export type Cell = string | number | null | { readonly hex: string }

/** A row by the names of its columns in the database. */
export type ImageRow = Readonly<Record<string, Cell>>

/** Changes of one transaction to the rows of one table. */
export interface TableImage {
  /** Number of columns the table had. */
  readonly width: number
  /** Inserted rows: their key, and a digest of their state at the end of the transaction. */
  readonly made: { readonly key: readonly Cell[]; readonly mark: string }[]
  /** Removed rows. */
  readonly gone: ImageRow[]
  /** Updated rows: their key, and the columns that changed, before and after. */
  readonly changed: { readonly key: readonly Cell[]; readonly was: ImageRow; readonly is: ImageRow }[]
}

/** Changes of one transaction by table. */
export type Image = Readonly<Record<string, TableImage>>

/** A row before and after a transaction; absent where there was none. */
interface Noted {
  readonly was?: Cells | undefined
  readonly is?: Cells | undefined
}

/** Records the changes of a transaction to the rows that can be taken back. */
export class Recorder {
  readonly #noted = new Map<string, Map<string, Noted>>()

  /** Notes a change in the order of events: a row that goes and comes again was changed. */
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
   * Keeps what was noted under the entries of the log and returns the number of the last; nothing if there are none, or if only
   * bookkeeping changed.
   */
  async keep(tx: Transaction): Promise<number | undefined> {
    const { rows, logged } = tx
    const [firstId, operationId] = [logged[0], logged.at(-1)]
    if (firstId === undefined || operationId === undefined) return undefined
    const { vectorSet } = await tx.state()
    const images = [...UNDO_TABLES.values()].flatMap((table) => {
      const noted = this.#noted.get(table.name)
      if (noted === undefined) return []
      const isInUse = ({ was, is }: Noted) =>
        table.setPlace < 0 || (was ?? is)?.[table.setPlace] === vectorSet
      const image = imageOf(table, [...noted.values()].filter(isInUse))
      return image === undefined ? [] : [[table.name, image] as const]
    })
    if (images.length === 0) return undefined
    await rows.whole.insert(operationChanges, [{ operationId, firstId, changes: Object.fromEntries(images) }])
    return operationId
  }
}

/**
 * A digest of what is compared of a row, so that the log need not hold the text of everything that was made.
 *
 * @param cells of the columns that the table had when the row was made: those that came later are at its end
 */
export function markOf(table: UndoTable, cells: readonly (Cell | Value | undefined)[]): string {
  if (table.whenChanged === 'follow') return ''
  const compared = cells.map((cell, place) => (table.isLoose[place] === true ? undefined : cellOf(cell)))
  return hash('sha256', JSON.stringify(compared), 'base64').slice(0, 16)
}

/** Returns undefined when only bookkeeping changed. */
function imageOf(table: UndoTable, rows: readonly Noted[]): TableImage | undefined {
  const image: TableImage = { width: table.columns.length, made: [], gone: [], changed: [] }
  for (const { was, is } of rows) {
    if (was === undefined)
      image.made.push({ key: keyOf(table, is as Cells), mark: markOf(table, is as Cells) })
    else if (is === undefined) image.gone.push(namedCells(table, was))
    else noteMoved(image, table, { was, is })
  }
  const { made, gone, changed } = image
  return made.length + gone.length + changed.length === 0 ? undefined : image
}

function noteMoved(
  { changed }: TableImage,
  table: UndoTable,
  { was, is }: { readonly was: Cells; readonly is: Cells },
): void {
  const { columns } = table
  const moved = columns.flatMap((column, place) =>
    column === SEQUENCE || isSame(was[place], is[place]) ? [] : [place],
  )
  if (moved.length === 0) return
  const of = (cells: Cells) =>
    Object.fromEntries(moved.map((place) => [columns[place] as string, cellOf(cells[place])]))
  // Rows that follow others are never compared.
  changed.push({ key: keyOf(table, was), was: of(was), is: table.whenChanged === 'follow' ? {} : of(is) })
}

function isSame(one: Value | undefined, other: Value | undefined): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0
  return one === other
}

/** A row by the names of its columns. */
export function namedCells({ columns }: UndoTable, cells: Cells): ImageRow {
  const row: Record<string, Cell> = {}
  for (const [place, column] of columns.entries()) row[column] = cellOf(cells[place])
  return row
}

function keyOf({ keyPlaces, setPlace }: UndoTable, cells: Cells): Cell[] {
  return keyPlaces.flatMap((place) => (place === setPlace ? [] : [cellOf(cells[place])]))
}

/** True if two values of rows are the same, bytes by what they are. */
export function isSameCell(one: Cell | undefined, other: Cell | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

function cellOf(value: Cell | Value | undefined): Cell {
  return value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : (value ?? null)
}

/** Transactions whose changes are held at once. */
const PAGE = 50

/**
 * Which of the edges later transactions changed whose changes are kept, and the last that did. One look through all that is
 * kept of them, which is done only where something is not as it was left.
 */
export async function readTouchedEdges(
  { whole: { rows } }: Transaction,
  edges: readonly Ends[],
  { after, except }: Later,
): Promise<TouchedEdge[]> {
  if (edges.length === 0) return []
  const wanted = new Set(edges.map((ends) => JSON.stringify(ends)))
  const touched = new Map<string, TouchedEdge>()
  for (let from = after; ; ) {
    const later = await rows.scan(operationChanges, { order: ['operationId'], after: [from], limit: PAGE })
    for (const { operationId: by, changes } of later) {
      const ends = except.includes(by) ? [] : edgesIn(changes as Image)
      for (const [from, to] of ends) touched.set(JSON.stringify([from, to]), { from, to, by })
    }
    if (later.length < PAGE) return [...touched].flatMap(([key, edge]) => (wanted.has(key) ? [edge] : []))
    from = (later.at(-1) as { operationId: number }).operationId
  }
}

function edgesIn({ edges }: Image): (readonly [string, string])[] {
  if (edges === undefined) return []
  const keys = [...edges.made, ...edges.changed].map(({ key }) => key)
  const all = [...keys, ...edges.gone.map(({ from_id, to_id }) => [from_id, to_id])]
  return all.map(([from, to]) => [String(from), String(to)])
}
