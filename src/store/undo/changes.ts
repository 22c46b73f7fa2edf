import { type Column, columnName, type Told, viewOf } from '../../ports/store/description.ts'
import type { Key, Rows } from '../../ports/store/rows.ts'
import type { KeptChange } from '../../ports/store/undo.ts'
import { operationChanges, operations } from '../log-tables.ts'
import type { Transaction } from '../transaction.ts'
import { keyOf } from './check.ts'
import { type Cell, type Image, type ImageRow, markOf, type TableImage } from './image.ts'
import { cellsOf, rowOf } from './revert.ts'
import { UNDO_TABLES, type UndoTable } from './tables.ts'

/** Later transactions that are looked through for what became of rows since. */
const LATER_MOST = 40

const ENTRY = viewOf(operations, ['id', 'blockIds'])

type Row = Readonly<Record<string, unknown>>

/** A change of a row: as it was and as it became; absent where it was not there. */
interface Moved {
  readonly was?: Row | undefined
  readonly is?: Row | undefined
  /** Columns that changed; of a row that came or went what tells of it. */
  readonly properties: readonly string[]
}

/** The changes of a transaction, in the words of the description; undefined if nothing is kept of it. */
export async function readKeptChanges(tx: Transaction, kept: number): Promise<KeptChange[] | undefined> {
  const { rows } = tx.whole
  const [row] = await rows.get(operationChanges, [[kept]])
  if (row === undefined) return undefined
  const range = { order: ['id'], from: ['id', row.firstId], until: ['id', kept] } as const
  const named = (await rows.scan(ENTRY, range)).flatMap(({ blockIds }) => blockIds)
  const later = await laterImages(rows, kept, named)
  const found: KeptChange[] = []
  for (const table of UNDO_TABLES.values()) {
    const image = (row.changes as Image)[table.name]
    const { told } = table.table
    if (image === undefined || told === undefined) continue
    const moved = await movedRows(rows, { ...table, told }, image, later)
    const own = await ownIn(tx, { ...table, told }, moved)
    found.push(...own.flatMap((each) => changesOf({ ...table, told }, each)))
  }
  return found
}

type ToldTable = UndoTable & { readonly told: Told }

/** The images of later transactions that name the same blocks, oldest first. */
async function laterImages(rows: Rows, kept: number, blockIds: readonly string[]): Promise<Image[]> {
  const entries = await rows.queries.operations({ changing: blockIds, after: kept, limit: LATER_MOST })
  const changes = await rows.get(
    operationChanges,
    entries.map(({ id }) => [id]),
  )
  return changes.map((each) => each.changes as Image)
}

async function movedRows(
  rows: Rows,
  table: ToldTable,
  image: TableImage,
  later: readonly Image[],
): Promise<readonly Moved[]> {
  const { whole } = table.told
  const then = await rowsThen(rows, table, image, later)
  const asRow = (cells: ImageRow) => rowOf(table.table, cells) as Row
  const made = image.made.flatMap(({ key }): Moved[] => {
    const cells = then.get(textOf(key))
    return cells === undefined ? [] : [{ is: asRow(cells), properties: whole }]
  })
  const changed = image.changed.flatMap(({ key, was, is }): Moved[] => {
    const cells = then.get(textOf(key))
    if (cells === undefined) return []
    const properties = table.table.properties.filter((each) => columnName(table.table, each) in was)
    return [{ was: asRow({ ...cells, ...was }), is: asRow({ ...cells, ...is }), properties }]
  })
  const gone = image.gone.map((cells): Moved => ({ was: asRow(cells), properties: whole }))
  return [...made, ...changed, ...gone]
}

/**
 * The rows that a transaction made or changed as it left them, by their keys: as they are now, set back by what later
 * transactions changed. Of one that it made there is none unless that gives the very row: what is kept may have gaps.
 */
async function rowsThen(
  rows: Rows,
  table: ToldTable,
  { made, changed, width }: TableImage,
  later: readonly Image[],
): Promise<ReadonlyMap<string, ImageRow>> {
  const keys = [...made, ...changed].map(({ key }) => key)
  const now = new Map(
    (await rows.get(table.table, keys as unknown as Key[])).map((row) => {
      const cells = cellsOf(table.table, row as Row)
      return [textOf(keyOf(table, cells)), cells] as const
    }),
  )
  const since = sinceThen(table, new Set(keys.map(textOf)), later)
  const then = (key: string) => {
    const { ended = now.get(key), was = {} } = since.get(key) ?? {}
    return ended === undefined ? [] : [[key, { ...ended, ...was }] as const]
  }
  const marks = new Map(made.map(({ key, mark }) => [textOf(key), mark]))
  const columns = table.columns.slice(0, width)
  return new Map(
    keys
      .map(textOf)
      .flatMap(then)
      .filter(([key, cells]) => {
        const mark = marks.get(key)
        return (
          mark === undefined ||
          markOf(
            table,
            columns.map((each) => cells[each]),
          ) === mark
        )
      }),
  )
}

/** The story of a row since: its values before the first change of each, and the row that went. */
interface Since {
  readonly was: ImageRow
  readonly ended?: ImageRow
}

function sinceThen(
  table: ToldTable,
  keys: ReadonlySet<string>,
  later: readonly Image[],
): ReadonlyMap<string, Since> {
  const since = new Map<string, Since>()
  const note = (key: readonly Cell[], told: (known: ImageRow) => Since) => {
    const text = textOf(key)
    const known = since.get(text)
    if (keys.has(text) && known?.ended === undefined) since.set(text, told(known?.was ?? {}))
  }
  for (const { [table.name]: image } of later) {
    for (const { key, was } of image?.changed ?? []) note(key, (known) => ({ was: { ...was, ...known } }))
    for (const row of image?.gone ?? []) note(keyOf(table, row), (known) => ({ was: known, ended: row }))
  }
  return since
}

/** Those that a view sees: rows of its scope, or about its blocks. */
async function ownIn(
  tx: Transaction,
  { table, told }: ToldTable,
  moved: readonly Moved[],
): Promise<readonly Moved[]> {
  const { scope } = tx
  if (scope === undefined) return moved
  const rowIn = ({ is, was }: Moved): Row => is ?? was ?? {}
  if ('scope' in table.columns) return moved.filter((each) => rowIn(each).scope === scope)
  const namesIn = (each: Moved) => told.names.map((name) => String(rowIn(each)[name]))
  const at = await tx.lookUp(moved.flatMap(namesIn))
  return moved.filter((each) => namesIn(each).every((id) => at(id) !== undefined))
}

function changesOf({ table, told }: ToldTable, { was, is, properties }: Moved): KeptChange[] {
  const row = is ?? was ?? {}
  const names = told.names.map((name) => String(row[name]))
  return properties.flatMap((property): KeptChange[] => {
    const { called: field, former } = table.columns[property] as Column
    if (field === undefined) return []
    const [before, after] =
      former === undefined ? [was?.[property], is?.[property]] : bothIn(row, [former, property])
    // A row that tells of a change went when that was taken back.
    const sides =
      former !== undefined && is === undefined ? { before: after, after: before } : { before, after }
    const known = Object.entries(sides).filter(([, value]) => !isNothing(value))
    return known.length === 0 ? [] : [{ of: told.of, names, field, ...Object.fromEntries(known) }]
  })
}

function bothIn(row: Row, [one, other]: readonly [string, string]): readonly [unknown, unknown] {
  return [row[one], row[other]]
}

function isNothing(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

function textOf(key: readonly Cell[]): string {
  return JSON.stringify(key)
}
