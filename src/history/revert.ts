import type { Block } from '../block/block.ts'
import { defined } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'
import { dropStaleVectors, numberBlocks, putVectors, removeVectors } from '../store/blocks.ts'
import type { Key } from '../store/database.ts'
import { type RowOf, viewOf } from '../store/description.ts'
import { removePromoted } from '../store/graph.ts'
import { noteRemoval } from '../store/log.ts'
import { blockIndex, blocks, blockVectors, edges, operationChanges, operations } from '../store/tables.ts'
import { keysOf, type ReadTransaction, type Transaction } from '../store/transaction.ts'
import {
  type Cell,
  type Change,
  cellsOf,
  eachLater,
  type Image,
  type ImageKey,
  type ImageRow,
  isSameCell,
  keyOf,
  markOf,
  rowOf,
  UNDO_TABLES,
  type UndoTable,
} from './images.ts'

const ENTRY = viewOf(operations, ['id', 'scope'])
const SEEN = viewOf(blocks, ['arrival', 'sequence', 'status'])

/** The result of taking a transaction back. */
interface Reverted {
  /** Blocks whose own fields, edges, pairs or lists are again as they were. */
  readonly blockIds: readonly string[]
  /** Blocks whose own fields are as they were, or that came or went. */
  readonly changed: readonly string[]
  /** The blocks that changed or were removed, in their former state. */
  readonly were: readonly Block[]
  /** True if vectors came back; the model of their time made them. */
  readonly vectorsBack: boolean
}

/** A row that keeps an undo from being done: it has changed since, or has the place of a row that is to come back. */
interface Blocking {
  readonly table: string
  readonly key: ImageKey
  readonly blockIds: readonly string[]
}

/** The plan for the rows of one table. */
interface Plan {
  readonly table: UndoTable
  /** Rows to remove as they are now; `changing` are the rows to change as they are now. */
  readonly lost: ImageRow[]
  readonly changing: ImageRow[]
  /** Rows to insert; `updated` are the rows to change as they are to be. A row without a key gets the next number. */
  inserted: ImageRow[]
  readonly updated: ImageRow[]
  /** Rows in the way; nothing is taken back if there is any. */
  readonly blocking: Blocking[]
}

/** A function that throws `CONFLICT` if any row is in the way. */
type Refuse = (blocking: readonly Blocking[]) => Promise<void>

/**
 * Takes back the changes of the transaction that ended with an entry of the log. Returns undefined if no changes are kept, or if the
 * transaction was about other scopes as well. Throws `CONFLICT`, with the newest later transaction, if a row has changed since.
 *
 * @param except transactions that are not named as being in the way
 * @param edgeDegreeCap most edges of a block with which edges may come back
 */
export async function revert(
  own: Transaction,
  kept: number,
  except: ReadonlySet<number> = new Set(),
  edgeDegreeCap = Number.POSITIVE_INFINITY,
): Promise<Reverted | undefined> {
  const tx = own.whole
  const [row] = await tx.rows.get(operationChanges, [[kept]])
  if (row === undefined || !(await isAllOwn(own, row))) return undefined
  const refuse: Refuse = async (blocking) => {
    if (blocking.length > 0) throw await conflict(tx, kept, except, blocking)
  }
  const plans: Plan[] = []
  for (const table of UNDO_TABLES.values()) {
    const changes = (row.changes as Image)[table.name]
    if (changes !== undefined) plans.push(await planOf(tx, table, changes))
  }
  await refuse(plans.flatMap(({ blocking }) => blocking))
  await leaveHomeless(tx, plans, refuse)
  await apply(tx, plans, refuse)
  own.forget()
  const nothing = { lost: [], changing: [], inserted: [], updated: [] }
  const of = ({ name }: { readonly name: string }) =>
    plans.find(({ table }) => table.name === name) ?? nothing
  const archived = of(blocks).updated.filter(({ status }) => status === 'archived')
  const back = of(edges).inserted.flatMap((edge) => [String(edge.from_id), String(edge.to_id)])
  const joined = await tx.queries.strengths(back)
  const full = back.filter((id) => (joined.get(id)?.degree ?? 0) > edgeDegreeCap)
  await refuse(await edgesAt(tx, [...archived.map(({ id }) => String(id)), ...full]))
  const were = [...of(blocks).lost, ...of(blocks).changing]
  const changed = [...were, ...of(blocks).inserted].map(({ id }) => String(id))
  const vectors = of(blockVectors)
  const named = plans.flatMap(({ table, lost, changing, inserted }) =>
    namedBy(table, [...lost, ...changing, ...inserted]),
  )
  return {
    blockIds: [...new Set(named)],
    changed,
    were: were.map((cells) => rowOf(blocks, cells) as unknown as Block),
    vectorsBack: vectors.inserted.length + vectors.updated.length > 0,
  }
}

async function conflict(
  tx: Transaction,
  after: number,
  except: ReadonlySet<number>,
  blocking: readonly Blocking[],
): Promise<ElfmemError> {
  const wanted = new Set(blocking.map(({ table, key }) => JSON.stringify([table, key])))
  let changedBy: number | undefined
  await eachLater(tx, after, ({ operationId, changes }) => {
    const isMeant = Object.entries(changes as Image).some(([table, rows]) =>
      rows.some(({ key }) => wanted.has(JSON.stringify([table, key]))),
    )
    if (isMeant && !except.has(operationId)) changedBy = operationId
    return changedBy !== undefined
  })
  return new ElfmemError('CONFLICT', 'What this changed was changed again since.', {
    recovery: 'Undo what came later first; history() shows it.',
    details: {
      blockIds: [...new Set(blocking.flatMap(({ blockIds }) => blockIds))],
      ...defined({ changedBy }),
    },
  })
}

/** Returns whether a view may see all of the transaction that ended with an entry; false if nothing is kept of it. */
export async function isOwnChange(tx: ReadTransaction, kept: number): Promise<boolean> {
  if (tx.scope === undefined) return true
  const [row] = await tx.whole.rows.get(viewOf(operationChanges, ['firstId', 'operationId']), [[kept]])
  return row !== undefined && (await isAllOwn(tx, row))
}

/** Returns true if a view may see all of a transaction: every entry of the transaction has the scope of the view. */
async function isAllOwn(
  { scope, whole: { rows } }: ReadTransaction,
  { firstId, operationId }: Pick<RowOf<typeof operationChanges>, 'firstId' | 'operationId'>,
): Promise<boolean> {
  if (scope === undefined) return true
  const entries = { order: ['id'], from: ['id', firstId], until: ['id', operationId] } as const
  return (await rows.scan(ENTRY, entries)).every((entry) => entry.scope === scope)
}

/** Compares the rows that a transaction changed with what it left, and plans how to take the changes back. */
async function planOf(tx: Transaction, table: UndoTable, changes: readonly Change[]): Promise<Plan> {
  const now = await currentRows(tx, table, changes)
  const thereNow = ({ key }: Change) => now.get(textOf(key))
  const isAsLeft = (change: Change) =>
    change.is === undefined ? isFree(table, change, now) : isLeftAs(table, thereNow(change), change)
  const isTaken = (change: Change) => table.whenChanged === 'follow' || isAsLeft(change)
  const { taken = [], others = [] } = Object.groupBy(changes, (each) => (isTaken(each) ? 'taken' : 'others'))
  const plan: Plan = { table, lost: [], changing: [], inserted: [], updated: [], blocking: [] }
  for (const change of taken) {
    const { was, is } = change
    const row = thereNow(change)
    if (was === undefined) plan.lost.push(...(row ? [row] : []))
    else if (is === undefined) plan.inserted.push(row && table.isNumbered ? withoutKey(table, was) : was)
    else if (row !== undefined) {
      plan.changing.push(row)
      plan.updated.push({ ...row, ...setBack(table, row, was, is) })
    }
  }
  if (table.whenChanged === 'refuse')
    plan.blocking.push(
      ...others.map((change) => blockingOf(table, thereNow(change) ?? change.was ?? {}, change.key)),
    )
  return plan
}

function blockingOf(table: UndoTable, row: ImageRow, key = keyOf(table, row)): Blocking {
  const ends = table.key.flatMap((column, i) => (table.ends.includes(column) ? [String(key[i])] : []))
  return { table: table.name, key, blockIds: [...new Set([...ends, ...namedBy(table, [row])])] }
}

/** Returns the ids of the blocks that rows name. */
function namedBy({ ends }: UndoTable, rows: readonly ImageRow[]): string[] {
  return [...new Set(rows.flatMap((row) => ends.flatMap((end) => (row[end] ? [String(row[end])] : []))))]
}

/** Returns true if a row still has the values that a change left, apart from counts of use. */
function isLeftAs(table: UndoTable, now: ImageRow | undefined, { is = {}, mark }: Change): boolean {
  if (now === undefined) return false
  if (mark !== undefined) return markOf(table, now) === mark
  return Object.entries(is).every(
    ([column, value]) => table.uses.has(column) || isSameCell(now[column], value),
  )
}

/** Returns true if a row may come back: no row has its place, nor its key unless it may get another number. */
function isFree(table: UndoTable, { key, was = {} }: Change, now: ReadonlyMap<string, ImageRow>): boolean {
  return !now.has(placeOf(table, was)) && (table.isNumbered || !now.has(textOf(key)))
}

function withoutKey(table: UndoTable, row: ImageRow): ImageRow {
  return { ...row, ...Object.fromEntries(table.key.map((column) => [column, null])) }
}

/** Returns the former values with later use: a count keeps its increase, and a clock that has moved on stays. */
function setBack({ uses }: UndoTable, now: ImageRow, was: ImageRow, is: ImageRow): ImageRow {
  const row: Record<string, Cell> = { ...was }
  for (const [column, use] of uses) {
    if (!(column in was)) continue
    if (use === 'count')
      row[column] = Math.max(0, Number(was[column]) + Number(now[column]) - Number(is[column]))
    if (use === 'clock' && now[column] !== is[column]) row[column] = now[column] ?? null
  }
  return row
}

/** Reads the rows that changes name, by key, and the rows that take the place of a row that is to come back, by place. */
async function currentRows(
  tx: Transaction,
  undoTable: UndoTable,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, ImageRow>> {
  const { table, unique, setPlace } = undoTable
  const { vectorSet } = await tx.state()
  const keys = changes.map(({ key }) => (setPlace < 0 ? key : [...key, vectorSet])) as Key[]
  const found = new Map<string, ImageRow>()
  for (const row of await tx.rows.get(table, keys)) {
    const cells = cellsOf(table, row as object)
    found.set(textOf(keyOf(undoTable, cells)), cells)
  }
  if (unique.length === 0) return found
  const leaving = new Set(changes.flatMap(({ key, is }) => (is === undefined ? [] : [textOf(key)])))
  const places = changes.flatMap(({ was, is }) =>
    is === undefined ? [unique.map((column) => was?.[column] ?? null)] : [],
  )
  for (const row of await tx.rows.get(table, places as Key[], 'unique')) {
    const cells = cellsOf(table, row as object)
    if (!leaving.has(textOf(keyOf(undoTable, cells)))) found.set(placeOf(undoTable, cells), cells)
  }
  return found
}

function textOf(key: ImageKey): string {
  return JSON.stringify(key)
}

function placeOf({ unique }: UndoTable, row: ImageRow): string {
  return `place ${JSON.stringify(unique.map((column) => row[column]))}`
}

/** Leaves out rows whose block is gone, unless an undo of their table refuses changed rows: then they are in the way. */
async function leaveHomeless(tx: ReadTransaction, plans: readonly Plan[], refuse: Refuse): Promise<void> {
  const at = await tx.lookUp(plans.flatMap(({ table, inserted }) => namedBy(table, inserted)))
  const coming = new Set(
    plans.flatMap(({ table, inserted }) => (table.name === blocks.name ? namedBy(table, inserted) : [])),
  )
  for (const plan of plans) {
    const { table, inserted } = plan
    const isHomeless = (row: ImageRow) =>
      namedBy(table, [row]).some((id) => at(id) === undefined && !coming.has(id))
    const homeless = inserted.filter(isHomeless)
    if (table.whenChanged === 'refuse') await refuse(homeless.map((row) => blockingOf(table, row)))
    plan.inserted = inserted.filter((row) => !homeless.includes(row))
  }
}

/** Applies plans. Blocks are removed last and written first, because other rows name them. */
async function apply(tx: Transaction, plans: readonly Plan[], refuse: Refuse): Promise<void> {
  const ofBlocks = plans.find(({ table }) => table.name === blocks.name)
  for (const plan of plans) if (plan !== ofBlocks) await remove(tx, plan)
  if (ofBlocks !== undefined && ofBlocks.lost.length > 0) await removeBlocks(tx, ofBlocks, refuse)
  for (const plan of plans) await put(tx, plan)
  await number(tx, plans)
}

/** Removes the rows to remove, and in a numbered table also the rows to change, which may have taken each other's numbers. */
async function remove(tx: Transaction, { table: undoTable, lost, changing }: Plan): Promise<void> {
  const going = undoTable.isNumbered ? [...lost, ...changing] : lost
  const keys = going.map((row) => keyOf(undoTable, row)) as Key[]
  if (undoTable.name === blockVectors.name) await removeVectors(tx, keys.flat() as number[])
  else await tx.rows.remove(undoTable.table, keys)
}

/** Removes blocks. Rows about them that nobody took back are in the way; rows of use are removed with them. */
async function removeBlocks(tx: Transaction, plan: Plan, refuse: Refuse): Promise<void> {
  const ids = namedBy(plan.table, plan.lost)
  for (const undoTable of UNDO_TABLES.values()) {
    const { name, table, ends, whenChanged } = undoTable
    if (name === blocks.name || ends.length === 0) continue
    const found = await tx.rows.touching(table, ids)
    if (whenChanged === 'refuse')
      await refuse(found.map((row) => blockingOf(undoTable, cellsOf(table, row as object))))
    await tx.remove(table, found)
  }
  const arrivals = plan.lost.map(({ arrival }) => arrival as number)
  await tx.rows.remove(blockIndex, keysOf(arrivals))
  await removeVectors(tx, arrivals)
  await remove(tx, plan)
  tx.forget()
  const seen = plan.lost.filter((row) => row.sequence !== null && row.sequence !== undefined)
  if (seen.length > 0) await noteRemoval(tx, namedBy(plan.table, seen))
}

/** Writes the rows to insert and to change. Rows without a key get the next numbers after all others are written. */
async function put(tx: Transaction, { table: undoTable, changing, inserted, updated }: Plan): Promise<void> {
  const { name, table } = undoTable
  const { vectorSet } = await tx.state()
  const back = [...inserted, ...updated].map((cells) => ({
    isKeyed: !keyOf(undoTable, cells).includes(null),
    // Vectors come back into the set that is in use now.
    row: rowOf(table, { ...cells, set_number: vectorSet }),
  }))
  const keyed = back.filter(({ isKeyed }) => isKeyed).map(({ row }) => row)
  if (name === edges.name) await removePromoted(tx, keyed as RowOf<typeof edges>[])
  if (name === blocks.name) {
    const were = changing.map((cells) => rowOf(blocks, cells) as RowOf<typeof blocks>)
    const byArrival = new Map(were.map((row) => [row.arrival, row]))
    await dropStaleVectors(tx, byArrival, keyed as RowOf<typeof blocks>[])
  }
  if (name === blockVectors.name) await putVectors(tx, keyed as RowOf<typeof blockVectors>[])
  else await tx.rows.put(table, keyed)
  const others = back.filter(({ isKeyed }) => !isKeyed)
  const unnumbered = others.map(({ row }) => ({ ...row, [table.key[0] as string]: undefined }))
  await tx.rows.insert(table, unnumbered)
}

const NUMBERED: ReadonlySet<string> = new Set([blocks.name, blockIndex.name, blockVectors.name])

/** Numbers the blocks that changed, for readers of changes. */
async function number(tx: Transaction, plans: readonly Plan[]): Promise<void> {
  const ofBlocks = plans.filter(({ table }) => NUMBERED.has(table.name))
  const touched = ofBlocks.flatMap(({ lost, inserted, updated }) => [...lost, ...inserted, ...updated])
  const keys = keysOf(new Set(touched.map(({ arrival }) => arrival as number)))
  if (keys.length === 0) return
  const seen = (await tx.rows.get(SEEN, keys)).flatMap(({ arrival, sequence, status }) =>
    sequence !== undefined || status !== 'archived' ? [arrival] : [],
  )
  const sequence = await numberBlocks(tx, seen)
  const isSeen = new Set(seen)
  const index = await tx.rows.get(blockIndex, keys)
  const numbered = index.map((row) => ({ ...row, sequence: isSeen.has(row.arrival) ? sequence : 0 }))
  await tx.rows.put(blockIndex, numbered, index)
}

/** Returns the edges at some blocks, as rows in the way. */
async function edgesAt(tx: Transaction, ids: readonly string[]): Promise<Blocking[]> {
  const found = ids.length === 0 ? [] : await tx.rows.touching(edges, ids)
  return found.map(({ from, to }) => ({ table: edges.name, key: [from, to], blockIds: ids }))
}
