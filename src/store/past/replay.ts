import { type RowOf, viewOf } from '../../ports/store/description.ts'
import type { Rows } from '../../ports/store/rows.ts'
import { meta, operationChanges, operations } from '../log-tables.ts'
import { KNOWN_SINCE } from '../rules/log.ts'
import { blocks, blockVectors, edges, grounds, outcomes, pairs } from '../tables.ts'
import type { Cell, Image, ImageRow, TableImage } from '../undo/image.ts'
import { cellsOf, rowOf } from '../undo/revert.ts'
import { UNDO_TABLES, type UndoTable } from '../undo/tables.ts'
import { leaveOccurrences } from './occurrences-then.ts'
import type { Row, RowsThen } from './rows-then.ts'
import { backAgain, joinAgain } from './true-then.ts'

const ENTRY = viewOf(operations, ['id', 'at', 'operation'])

/** Changes of so many transactions are held at once. */
const PAGE = 50

/** The operations that change rows without keeping the previous ones. */
const UNKEPT: ReadonlySet<string> = new Set(['import', 'restore_backup', 'doctor'])

/**
 * Sets rows back to what was known at a time, as far as the log keeps how they were, newest change first; beyond that as
 * far as their own dates tell. What use alone moves stays. Returns from when on all is as it was; undefined if it always is.
 *
 * @param then rows of now, changed in place
 */
export async function setBack(rows: Rows, then: RowsThen, knownAt: string): Promise<string | undefined> {
  const entries = await rows.scan(ENTRY, { from: ['id', 0], order: ['id'] })
  const last = entries.findLast(({ at }) => at <= knownAt)?.id ?? 0
  const reembedded = entries.findLast(({ operation }) => operation === 'reembed')?.id ?? 0
  const { vectorSet } = await rows.state()
  for (let from = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await rows.scan(operationChanges, {
      ...{
        from: ['operationId', last + 1],
        until: ['operationId', from],
        order: ['-operationId'],
        limit: PAGE,
      },
    })
    for (const { operationId, changes } of page)
      for (const [name, image] of Object.entries(changes as Image)) {
        const table = UNDO_TABLES.get(name)
        if (table !== undefined)
          takeBack(then, { table, image, vectorSet, isOtherModel: operationId < reembedded })
      }
    const oldest = page.at(-1)
    if (oldest === undefined || page.length < PAGE) break
    from = oldest.operationId - 1
  }
  leaveDated(then, knownAt)
  return wholeSince(then, entries)
}

/** From when on nothing is missing that the log kept. */
function wholeSince(
  then: RowsThen,
  entries: readonly { readonly id: number; readonly at: string; readonly operation: string }[],
): string | undefined {
  const settings = then.of(meta)
  const settingOf = (key: string) => settings.get(JSON.stringify([key]))?.value
  const [oldest] = entries
  const known = [
    settingOf(KNOWN_SINCE),
    oldest !== undefined && oldest.id > 1 && settingOf('log_begins_at') === undefined ? oldest.at : undefined,
    entries.findLast(({ operation }) => UNKEPT.has(operation))?.at,
  ]
  return known.reduce((most, each) =>
    most === undefined || (each !== undefined && each > most) ? each : most,
  )
}

interface TakenBack {
  readonly table: UndoTable
  readonly image: TableImage
  readonly vectorSet: number
  /** The vectors of then are of another model than those of now. */
  readonly isOtherModel: boolean
}

function takeBack(then: RowsThen, { table, image, vectorSet, isOtherModel }: TakenBack): void {
  const rows = then.of(table.table) as Map<string, Row>
  const isOfVectors = table.name === blockVectors.name
  const keyOf = (cells: readonly Cell[]) => JSON.stringify(isOfVectors ? [...cells, vectorSet] : cells)
  const asRow = (cells: ImageRow) =>
    rowOf(table.table, isOfVectors ? { ...cells, set_number: vectorSet } : cells)
  for (const { key } of image.made) rows.delete(keyOf(key))
  for (const row of image.gone) {
    const key = table.key.map((column) => row[column] ?? null)
    if (isOfVectors && isOtherModel) rows.delete(keyOf(key))
    else rows.set(keyOf(key), asRow(row))
  }
  for (const { key, was } of image.changed) {
    const now = rows.get(keyOf(key))
    if (isOfVectors && isOtherModel) rows.delete(keyOf(key))
    else if (now !== undefined)
      rows.set(keyOf(key), asRow({ ...cellsOf(table.table, now), ...unused(table, was) }))
  }
}

/** Without what use moves, which stays as it is now. */
function unused({ columns, isLoose }: UndoTable, was: ImageRow): ImageRow {
  return Object.fromEntries(
    Object.entries(was).filter(([column]) => isLoose[columns.indexOf(column)] !== true),
  )
}

/**
 * Lets go of what came later by its own date, and brings back what was archived later: for all time, since these dates are the
 * rows' own. Nothing is left to do where the log reaches.
 */
function leaveDated(then: RowsThen, at: string): void {
  const isLater = ({ createdAt }: { readonly createdAt: string }) => createdAt > at
  const later = takeOut(then.of(blocks), isLater)
  leaveOccurrences(then, (occurrence) => !isLater(occurrence))
  standAgain(then, at, new Set(later.flatMap(({ supersedes }) => supersedes ?? [])))
  takeOut(then.of(edges), isLater)
  takeOut(then.of(pairs), isLater)
  takeOut(then.of(grounds), isLater)
  takeOut(then.of(outcomes), (outcome) => outcome.at > at)
}

function takeOut<R>(rows: Map<string, R>, isMeant: (row: R) => boolean): R[] {
  const meant = [...rows].filter(([, row]) => isMeant(row))
  for (const [key] of meant) rows.delete(key)
  return meant.map(([, row]) => row)
}

/** Brings back blocks that were archived later, and lets those go on whose place something took later. */
function standAgain(then: RowsThen, at: string, replacedLater: ReadonlySet<string>): void {
  const rows = then.of(blocks)
  const replaced = new Set([...rows.values()].flatMap(({ supersedes }) => supersedes ?? []))
  const back = new Set<string>()
  for (const [key, row] of rows) {
    const isBack = row.archivedAt !== undefined && row.archivedAt > at
    if (isBack) back.add(row.id)
    if (isBack || (replacedLater.has(row.id) && !replaced.has(row.id)))
      rows.set(key, goingOn(isBack ? backAgain(then, row) : row, replaced.has(row.id)))
  }
  joinAgain(then, (id) => back.has(id))
}

/** A block whose place nothing has taken yet, unless something was said to by then: then it has its end. */
function goingOn({ supersededBy: _by, supersededAt, ...block }: RowOf<typeof blocks>, isReplaced: boolean) {
  return { ...block, ...(isReplaced && supersededAt !== undefined ? { supersededAt } : {}) }
}
