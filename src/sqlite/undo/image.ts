import { hash } from 'node:crypto'
import type { Connection, Value } from '../connection/driver.ts'
import type { ScopedConnection } from '../connection/scoped-connection.ts'
import type { Cells, UndoRecorder, Watched } from './recorder.ts'
import { isLoose, SEQUENCE, type UndoTable } from './tables.ts'

/** A value of a row; bytes as hexadecimal, because the changes are kept as JSON. */
export type Cell = string | number | null | { readonly hex: string }

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

export type Image = Readonly<Record<string, TableImage>>

const KEEP = 'INSERT INTO operation_changes (operation_id, first_id, changes) VALUES (?1, ?2, ?3)'

/** Keeps the changes of the recorded transaction under its log entries; nothing if it lacks either. */
export function keepImage(connection: Connection, { tables, logged }: UndoRecorder): void {
  const [first, last] = [logged[0], logged.at(-1)]
  if (first === undefined || last === undefined) return
  const images = tables.flatMap((watched) => {
    const image = imageOf(watched)
    return image === undefined ? [] : [[watched.table.name, image] as const]
  })
  if (images.length > 0) connection.run(KEEP, last, first, JSON.stringify(Object.fromEntries(images)))
}

const SUM_BYTES = 'SELECT coalesce(sum(octet_length(changes)), 0) AS bytes FROM operation_changes'

const SELECT_OVER = `SELECT max(operation_id) AS dropped FROM (
  SELECT operation_id, sum(octet_length(changes)) OVER (ORDER BY operation_id DESC) AS bytes FROM operation_changes
) WHERE bytes > ?1`

/** Drops the oldest images beyond so many bytes of all; the newest entry whose image went, or 0. */
export function trimChanges({ whole }: ScopedConnection, bytes: number): number {
  if ((whole.get<{ bytes: number }>(SUM_BYTES)?.bytes ?? 0) <= bytes) return 0
  const dropped = whole.get<{ dropped: number | null }>(SELECT_OVER, bytes)?.dropped ?? 0
  whole.run('DELETE FROM operation_changes WHERE operation_id <= ?1', dropped)
  return dropped
}

/**
 * A digest of what is compared of a row, so that the log need not hold the text of everything that was made.
 *
 * @param columns of the table when the row was made: columns that came later are at its end
 */
export function markOf(table: UndoTable, columns: readonly string[], cells: Cells): string {
  if (table.whenChanged === 'follow') return ''
  const compared = columns.map((column, place) => (isLoose(table, column) ? undefined : cells[place]))
  return hash('sha256', JSON.stringify(compared), 'base64').slice(0, 16)
}

/** Returns undefined when only bookkeeping changed. */
function imageOf(watched: Watched): TableImage | undefined {
  if (watched.rows.size === 0) return undefined
  const image: TableImage = { width: watched.columns.length, made: [], gone: [], changed: [] }
  for (const { was, is } of watched.rows.values()) {
    if (was === undefined) image.made.push(madeOf(watched, is as Cells))
    else if (is === undefined) image.gone.push(named(watched.columns, was))
    else noteMoved(image, watched, { was, is })
  }
  const { made, gone, changed } = image
  return made.length + gone.length + changed.length === 0 ? undefined : image
}

function madeOf({ table, key, columns }: Watched, is: Cells) {
  return { key: keyOf(key, is), mark: markOf(table, columns, is) }
}

function noteMoved(
  { changed }: TableImage,
  { table, key, columns }: Watched,
  { was, is }: { readonly was: Cells; readonly is: Cells },
): void {
  const moved = columns.flatMap((column, place) =>
    column === SEQUENCE || isSame(was[place], is[place]) ? [] : [place],
  )
  if (moved.length === 0) return
  const of = (cells: Cells) =>
    Object.fromEntries(moved.map((place) => [columns[place] as string, cellOf(cells[place])]))
  // Rows that follow others are never compared.
  changed.push({ key: keyOf(key, was), was: of(was), is: table.whenChanged === 'follow' ? {} : of(is) })
}

function isSame(one: Value | undefined, other: Value | undefined): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0
  return one === other
}

function named(columns: readonly string[], cells: Cells): ImageRow {
  const row: Record<string, Cell> = {}
  for (const [place, column] of columns.entries()) row[column] = cellOf(cells[place])
  return row
}

function keyOf(key: readonly number[], cells: Cells): Cell[] {
  return key.map((place) => cellOf(cells[place]))
}

function cellOf(value: Value | undefined): Cell {
  if (value instanceof Uint8Array) return { hex: Buffer.from(value).toString('hex') }
  return typeof value === 'bigint' ? Number(value) : (value ?? null)
}
