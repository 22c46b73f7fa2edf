import { createHash } from 'node:crypto'
import { type Cell, type RowChange, readChangeset } from './changeset.ts'
import type { Connection } from './driver.ts'
import { isLoose, SEQUENCE, UNDO_TABLES, type UndoTable } from './undo-tables.ts'

export type ImageRow = Readonly<Record<string, Cell>>

/** What a transaction did to the rows of one table. */
export interface TableImage {
  /** Rows that were not there: their key, and a digest of what they were left as. */
  readonly made: { readonly key: readonly Cell[]; readonly mark: string }[]
  /** Rows that are there no more. */
  readonly gone: ImageRow[]
  /** Of other rows the columns that changed. */
  readonly changed: { readonly key: readonly Cell[]; readonly was: ImageRow; readonly is: ImageRow }[]
}

export type Image = Readonly<Record<string, TableImage>>

const TABLES = new Map(UNDO_TABLES.map((table) => [table.name, table]))

/** The log is recorded for the numbers of its new entries. */
const LOG = 'operations'
const RECORDED = new Set([...TABLES.keys(), LOG])

const KEEP = 'INSERT INTO operation_changes (operation_id, first_id, changes) VALUES (?1, ?2, ?3)'

/** Keeps what the transaction that is being recorded changed under the entries it logged; nothing when it did neither. */
export function keepImage(connection: Connection, changeset: Uint8Array): void {
  const changes = readChangeset(changeset, RECORDED)
  const logged = changes.filter(({ table, kind }) => table === LOG && kind === 'made')
  if (logged.length === 0 || logged.length === changes.length) return
  const image = imageOf(changes, (table) => connection.layout(table).columns)
  if (Object.keys(image).length === 0) return
  const ids = logged.map(({ is }) => Number(is[0]))
  connection.run(
    KEEP,
    ids.reduce((one, other) => Math.max(one, other)),
    ids.reduce((one, other) => Math.min(one, other)),
    JSON.stringify(image),
  )
}

/** A digest of what is compared of a row, so that the log need not hold the text of everything that was made. */
export function markOf(table: UndoTable, row: ImageRow): string {
  if (table.whenChanged === 'follow') return ''
  const values = Object.entries(row).filter(([column]) => !isLoose(table, column))
  return createHash('sha256').update(JSON.stringify(values)).digest('base64').slice(0, 16)
}

function imageOf(changes: readonly RowChange[], columnsOf: (table: string) => readonly string[]): Image {
  const image: Record<string, TableImage> = {}
  for (const change of changes) {
    const table = TABLES.get(change.table)
    if (table === undefined) continue
    const into = image[table.name] ?? { made: [], gone: [], changed: [] }
    if (add(into, table, change, columnsOf(table.name))) image[table.name] = into
  }
  return image
}

/** False when nothing but bookkeeping changed. */
function add(into: TableImage, table: UndoTable, change: RowChange, columns: readonly string[]): boolean {
  const { kind, isKey } = change
  const is = namedCells(columns, change.is)
  if (kind === 'made') {
    into.made.push({ key: keyOf(isKey, change.is), mark: markOf(table, is) })
    return true
  }
  const was = namedCells(columns, change.was)
  if (kind === 'gone') {
    into.gone.push(was)
    return true
  }
  const moved = Object.fromEntries(Object.entries(is).filter(([column]) => column !== SEQUENCE))
  if (Object.keys(moved).length === 0) return false
  const before = Object.fromEntries(Object.keys(moved).map((column) => [column, was[column] ?? null]))
  into.changed.push({ key: keyOf(isKey, change.was), was: before, is: moved })
  return true
}

function namedCells(columns: readonly string[], cells: readonly (Cell | undefined)[]): ImageRow {
  return Object.fromEntries(
    columns.flatMap((column, i) => (cells[i] === undefined ? [] : [[column, cells[i] as Cell] as const])),
  )
}

function keyOf(isKey: readonly boolean[], cells: readonly (Cell | undefined)[]): Cell[] {
  return cells.flatMap((cell, i) => (isKey[i] && cell !== undefined ? [cell] : []))
}
