import type { Ends } from '../../domain/graph/edge.ts'
import { ElfmemError } from '../../errors.ts'
import type { Key } from '../../ports/store/rows.ts'
import type { Later } from '../../ports/store/undo.ts'
import { codecOf } from '../codec.ts'
import type { Transaction } from '../transaction.ts'
import {
  type Cell,
  type ImageRow,
  isSameCell,
  markOf,
  namedCells,
  readTouchedEdges,
  type TableImage,
} from './image.ts'
import { SEQUENCE, type UndoTable } from './tables.ts'

/** Plan for the rows of one table. */
export interface TablePlan {
  readonly table: UndoTable
  /** Keys of rows to remove. */
  readonly removed: readonly (readonly Cell[])[]
  readonly inserted: readonly ImageRow[]
  readonly updated: readonly { readonly key: readonly Cell[]; readonly row: ImageRow }[]
  /** Ids of all blocks the plan is about. */
  readonly blockIds: readonly string[]
  /** Removed rows as they are now. */
  readonly lost: readonly ImageRow[]
  /** Rows of use that are removed, because another comes back in their place. */
  readonly dropped: readonly ImageRow[]
}

/** Returns the plan of an undo; throws `CONFLICT` when a row was changed by more than use. */
export async function planOf(
  tx: Transaction,
  table: UndoTable,
  image: TableImage,
  later: Later,
): Promise<TablePlan> {
  if (table.whenChanged === 'follow') return planFollowing(table, image)
  const now = await currentRows(tx, table, image)
  const used = table.madeByUse === undefined ? NO_USE : await usedSince(tx, table, { image, now, later })
  const lost = image.made.flatMap(({ key, mark }) => {
    const row = now.get(textOf(key))
    if (row !== undefined && markNow(table, row, image) === mark) return [row]
    return used.has(textOf(key)) ? [] : refused(table, { row, key, by: used.by(key) })
  })
  const changed = image.changed.flatMap((change) => {
    const { key } = change
    const row = now.get(textOf(key))
    if (row !== undefined && isAsLeft(table, row, change.is))
      return [{ key, row: setBack(table, row, change), now: row }]
    return used.has(textOf(key)) ? [] : refused(table, { row, key, by: used.by(key) })
  })
  const dropped = image.gone.flatMap((row): ImageRow[] => {
    const key = textOf(keyOf(table, row))
    const standing = used.has(key) ? now.get(key) : undefined
    if (standing !== undefined) now.delete(key)
    return standing === undefined ? [] : [standing]
  })
  // Rows may have taken each other's numbers, and come back one after the other only when all have gone.
  const replaced = table.isNumbered ? changed : []
  const back = [
    ...image.gone.flatMap((row) => placed(table, row, now, used)),
    ...replaced.map((each) => ({ ...each.now, ...each.row })),
  ]
  // A row that gets a new number must not get one that another brings along.
  const isNumbered = (row: ImageRow) => !keyOf(table, row).includes(null)
  const inserted = [...back.filter(isNumbered), ...back.filter((row) => !isNumbered(row))]
  return {
    table,
    removed: [...[...lost, ...dropped].map((row) => keyOf(table, row)), ...replaced.map(({ key }) => key)],
    inserted,
    updated: table.isNumbered ? [] : changed,
    lost,
    dropped,
    blockIds: endsOf(table, [...lost, ...inserted, ...changed.map((each) => each.now)]),
  }
}

/** As when the row was made: columns that came since are left out. */
function markNow(table: UndoTable, row: ImageRow, { width }: TableImage): string {
  return markOf(
    table,
    table.columns.slice(0, width).map((column) => row[column]),
  )
}

/** Plans rows that follow their block: whatever stands in their place is replaced. */
function planFollowing(table: UndoTable, { made, gone, changed }: TableImage): TablePlan {
  return {
    table,
    removed: [...made.map(({ key }) => key), ...gone.map((row) => keyOf(table, row))],
    inserted: gone,
    updated: changed.map(({ key, was }) => ({ key, row: was })),
    lost: [],
    dropped: [],
    blockIds: [],
  }
}

/** Keys of rows that are there, or are gone, only because of use. */
interface Used {
  has(key: string): boolean
  /** Returns the later transaction that changed a row instead. */
  by(key: readonly Cell[]): number | undefined
}

const NO_USE: Used = { has: () => false, by: () => undefined }

/** Returns which rows are gone, or made by use, without a later transaction that changed them. */
async function usedSince(
  tx: Transaction,
  table: UndoTable,
  {
    image,
    now,
    later: given,
  }: {
    readonly image: TableImage
    readonly now: ReadonlyMap<string, ImageRow>
    readonly later: Later
  },
): Promise<Used> {
  const { madeByUse } = table
  const isOfUse = (row: ImageRow): boolean => madeByUse !== undefined && row[madeByUse[0]] === madeByUse[1]
  const left = [...image.made, ...image.changed].map(({ key }) => key)
  const missing = left.filter((key) => !now.has(textOf(key)))
  const gone = image.gone.map((row) => keyOf(table, row))
  const standing = [...left, ...gone].filter((key) => {
    const row = now.get(textOf(key))
    return row !== undefined && isOfUse(row)
  })
  const suspects = [...missing, ...standing]
  const later = await readTouchedEdges(tx, suspects as unknown as Ends[], given)
  const touched = new Map(later.map(({ from, to, by }) => [textOf([from, to]), by]))
  const used = new Set(suspects.map(textOf).filter((key) => !touched.has(key)))
  return { has: (key) => used.has(key), by: (key) => touched.get(textOf(key)) }
}

/** Returns the ids of the blocks that rows name. */
export function endsOf({ ends }: UndoTable, rows: readonly ImageRow[]): string[] {
  return [...new Set(rows.flatMap((row) => ends.flatMap((end) => (row[end] ? [String(row[end])] : []))))]
}

/** The values of a row's key, in the order of its columns; null for one that is missing. */
export function keyOf({ key }: UndoTable, row: ImageRow): Cell[] {
  return key.map((column) => row[column] ?? null)
}

/** Throws `CONFLICT`, except for a table that use goes on changing. */
function refused(
  table: UndoTable,
  {
    row,
    key,
    by,
  }: {
    readonly row: ImageRow | undefined
    readonly key: readonly Cell[]
    readonly by?: number | undefined
  },
): [] {
  if (table.whenChanged === 'leave') return []
  throw conflict(row === undefined ? [...blocksIn(table, key)] : endsOf(table, [row]), by)
}

/** Where blocks are the key, the ids are known even of a row that is gone. */
function blocksIn({ ends, key }: UndoTable, cells: readonly Cell[]): string[] {
  return key.flatMap((column, i) => (ends.includes(column) ? [String(cells[i])] : []))
}

/** @param changedBy the later transaction that did, where it is known */
export function conflict(blockIds: readonly string[], changedBy?: number): ElfmemError {
  return new ElfmemError('CONFLICT', 'What this changed was changed again since.', {
    recovery: 'Undo what came later first; history() shows it.',
    details: { blockIds, ...(changedBy === undefined ? {} : { changedBy }) },
  })
}

function isAsLeft(table: UndoTable, now: ImageRow, is: ImageRow): boolean {
  return Object.entries(is).every(
    ([column, value]) =>
      ((column === table.count || column === table.clock) && table.whenChanged === 'refuse') ||
      isSameCell(now[column], value),
  )
}

/** Returns the former row with later use: the count keeps the difference, a clock that moved on stays. */
function setBack(
  { count, clock }: UndoTable,
  now: ImageRow,
  { was, is }: { readonly was: ImageRow; readonly is: ImageRow },
): ImageRow {
  const row: Record<string, Cell> = { ...was }
  if (count !== undefined && count in was)
    row[count] = Math.max(0, Number(was[count]) + Number(now[count]) - Number(is[count]))
  if (clock !== undefined && clock in was && now[clock] !== is[clock]) row[clock] = now[clock] ?? null
  return row
}

/** Returns the row as it can come back; none when another took its place. */
function placed(table: UndoTable, row: ImageRow, now: ReadonlyMap<string, ImageRow>, used: Used): ImageRow[] {
  const key = keyOf(table, row)
  const holder = now.get(textOf(key))
  const rival = now.get(uniqueOf(table, row)) ?? (table.isNumbered ? undefined : holder)
  if (rival !== undefined) return refused(table, { row: rival, key: [], by: used.by(key) })
  if (holder === undefined) return [row]
  return [{ ...row, ...Object.fromEntries(table.key.map((column) => [column, null])) }]
}

/** All rows the image names by key, and those that stand where a row is to come back. */
async function currentRows(
  { rows }: Transaction,
  undoTable: UndoTable,
  { made, gone, changed }: TableImage,
): Promise<Map<string, ImageRow>> {
  const { table, unique } = undoTable
  const { encode } = codecOf(table)
  const keys = [...made, ...changed, ...gone.map((row) => ({ key: keyOf(undoTable, row) }))].map(
    ({ key }) => key,
  )
  const found = new Map<string, ImageRow>()
  for (const row of await rows.get(table, keys as unknown as Key[])) {
    const cells = namedCells(undoTable, encode(row))
    found.set(textOf(keyOf(undoTable, cells)), cells)
  }
  if (unique === undefined) return found
  const leaving = new Set([...made, ...changed].map((each) => textOf(each.key)))
  const places = gone.map((row) => unique.map((column) => row[column] ?? null))
  for (const row of await rows.get(table, places as unknown as Key[], 'unique')) {
    const cells = namedCells(undoTable, encode(row))
    if (!leaving.has(textOf(keyOf(undoTable, cells)))) found.set(uniqueOf(undoTable, cells), cells)
  }
  return found
}

function textOf(key: readonly Cell[]): string {
  return JSON.stringify(key)
}

function uniqueOf({ unique = [] }: UndoTable, row: ImageRow): string {
  return `unique ${JSON.stringify(unique.map((column) => row[column]))}`
}

/** True if a reader may have the block in memory. */
export function wasSeen(row: ImageRow): boolean {
  return row[SEQUENCE] !== null && row[SEQUENCE] !== undefined
}
