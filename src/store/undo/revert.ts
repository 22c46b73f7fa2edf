import type { Block } from '../../domain/block/block.ts'
import type { Ends } from '../../domain/graph/edge.ts'
import { ElfmemError } from '../../errors.ts'
import { type RowOf, viewOf } from '../../ports/store/description.ts'
import type { Key } from '../../ports/store/rows.ts'
import type { Reverted, Reverting } from '../../ports/store/undo.ts'
import { codecOf } from '../codec.ts'
import { operationChanges, operations } from '../log-tables.ts'
import { dropStaleVectors } from '../rules/blocks.ts'
import { readDegrees, removePromoted } from '../rules/graph.ts'
import { noteRemoval } from '../rules/log.ts'
import { numberBlocks, putVectors, removeVectors } from '../rules/vectors.ts'
import { blockIndex, blocks, blockVectors, edges } from '../tables.ts'
import { keyIn, type Transaction } from '../transaction.ts'
import {
  type Cell,
  cellsOf,
  eachLater,
  type Image,
  type ImageRow,
  isSameCell,
  type Kept,
  keyOf,
  markOf,
  namedCells,
  rowOf,
  SEQUENCE,
  type TableImage,
  textOf,
  UNDO_TABLES,
  type UndoTable,
} from './images.ts'

const ENTRY = viewOf(operations, ['id', 'scope'])
const SEEN = viewOf(blocks, ['arrival', 'sequence', 'status'])
const ARRIVAL = viewOf(blockVectors, ['arrival'])
const ENDS = viewOf(edges, ['from', 'to'])

/** A row that is not as it was left, or that stands where another is to come back. */
interface Blocking {
  readonly table: string
  readonly key: readonly Cell[]
  readonly blockIds: readonly string[]
}

/** What becomes of the rows of one table. */
interface Plan {
  readonly table: UndoTable
  /** Keys of rows to remove. */
  readonly removed: readonly (readonly Cell[])[]
  readonly inserted: readonly ImageRow[]
  readonly updated: readonly { readonly key: readonly Cell[]; readonly row: ImageRow }[]
  /** Rows that are removed, and rows that are changed, as they are now. */
  readonly lost: readonly ImageRow[]
  readonly changing: readonly ImageRow[]
  /** Rows in the way; nothing is taken back while there is one. */
  readonly blocking: readonly Blocking[]
}

/** Takes back what the transaction that ended with an entry of the log changed. See `UndoWriter`. */
export async function revert(
  own: Transaction,
  kept: number,
  { except = [], edgeDegreeCap = Number.POSITIVE_INFINITY }: Reverting = {},
): Promise<Reverted | undefined> {
  const tx = own.whole
  const [row] = await tx.rows.get(operationChanges, [[kept]])
  if (row === undefined || !(await isAllOwn(own, row))) return undefined
  const refuse: Refuse = async (blocking, isFull) => {
    if (blocking.length > 0) throw await conflict(tx, { kept, except, blocking, isFull })
  }
  const image = row.changes as Image
  const plans: Plan[] = []
  for (const table of UNDO_TABLES.values()) {
    const changes = image[table.name]
    if (changes !== undefined) plans.push(await planOf(tx, table, changes))
  }
  await refuse(plans.flatMap(({ blocking }) => blocking))
  await apply(tx, await withKnownBlocks(tx, plans, refuse), refuse)
  own.forget()
  const of = (table: { readonly name: string }) => plans.find((plan) => plan.table.name === table.name)
  const [changed, joined, vectors] = [of(blocks), of(edges), of(blockVectors)]
  await refuse(await edgesAtArchived(tx, image.blocks?.changed ?? [], changed))
  await refuse(await edgesAboveCap(tx, joined?.inserted.map(endsOfEdge) ?? [], edgeDegreeCap), true)
  const were = [...(changed?.lost ?? []), ...(changed?.changing ?? [])]
  return {
    blockIds: [
      ...new Set(
        plans.flatMap((plan) => endsOf(plan.table, [...plan.lost, ...plan.inserted, ...plan.changing])),
      ),
    ],
    were: were.map((cells) => rowOf(blocks, cells) as unknown as Block),
    vectorsBack: (vectors?.inserted.length ?? 0) + (vectors?.updated.length ?? 0) > 0,
  }
}

/** Throws `CONFLICT` if there is a row in the way. `isFull`: because blocks have as many edges as they may. */
type Refuse = (blocking: readonly Blocking[], isFull?: true) => Promise<void>

/** The error `CONFLICT`, with the newest later transaction that changed one of the rows in the way, if one did. */
async function conflict(
  tx: Transaction,
  of: Required<Pick<Reverting, 'except'>> & {
    readonly kept: number
    readonly blocking: readonly Blocking[]
    readonly isFull: true | undefined
  },
): Promise<ElfmemError> {
  const wanted = Map.groupBy(of.blocking, ({ table }) => table)
  let changedBy: number | undefined
  await eachLater(tx, of.kept, ({ operationId, changes }) => {
    if (of.except.includes(operationId)) return undefined
    const isMeant = [...wanted].some(([name, rows]) => {
      const keys = keysIn(name, (changes as Image)[name])
      return rows.some(({ key }) => keys.has(textOf(key)))
    })
    if (isMeant) changedBy = operationId
    return isMeant
  })
  return new ElfmemError('CONFLICT', 'What this changed was changed again since.', {
    recovery: 'Undo what came later first; history() shows it.',
    details: {
      blockIds: [...new Set(of.blocking.flatMap(({ blockIds }) => blockIds))],
      ...(changedBy === undefined ? {} : { changedBy }),
      ...(of.isFull === undefined ? {} : { isFull: of.isFull }),
    },
  })
}

function keysIn(name: string, image: TableImage | undefined): ReadonlySet<string> {
  const table = UNDO_TABLES.get(name)
  if (image === undefined || table === undefined) return new Set()
  const { made, changed, gone } = image
  return new Set(
    [...[...made, ...changed].map(({ key }) => key), ...gone.map((row) => keyOf(table, row))].map(textOf),
  )
}

/** The transactions among some that logged something outside the view. One statement, and one for each of them. */
export async function readSharedChanges(own: Transaction, kept: readonly number[]): Promise<number[]> {
  if (own.scope === undefined || kept.length === 0) return []
  const shared: number[] = []
  const keys = kept.map((id) => [id])
  for (const row of await own.whole.rows.get(operationChanges, keys))
    if (!(await isAllOwn(own, row))) shared.push(row.operationId)
  return shared
}

/** True if a view may see all of a transaction: the entries of a dream over the whole store follow each other. */
export async function isAllOwn(
  { scope, whole: { rows } }: Transaction,
  { firstId, operationId }: Pick<Kept, 'firstId' | 'operationId'>,
): Promise<boolean> {
  if (scope === undefined) return true
  const entries = { order: ['id'], from: ['id', firstId], until: ['id', operationId] } as const
  return (await rows.scan(ENTRY, entries)).every((entry) => entry.scope === scope)
}

async function planOf(tx: Transaction, table: UndoTable, image: TableImage): Promise<Plan> {
  if (table.whenChanged === 'follow') return planFollowing(table, image)
  const now = await currentRows(tx, table, image)
  const blocking: Blocking[] = []
  const isInWay = (key: readonly Cell[], row: ImageRow | undefined): [] => {
    const blockIds = row === undefined ? blocksInKey(table, key) : endsOf(table, [row])
    if (table.whenChanged === 'refuse') blocking.push({ table: table.name, key, blockIds })
    return []
  }
  const lost = image.made.flatMap(({ key, mark }): ImageRow[] => {
    const row = now.get(textOf(key))
    return row !== undefined && markOf(table, row) === mark ? [row] : isInWay(key, row)
  })
  const changed = image.changed.flatMap((change) => {
    const row = now.get(textOf(change.key))
    const isAsLeft = row !== undefined && isLeftAs(table, row, change.is)
    return isAsLeft
      ? [{ key: change.key, row: setBack(table, row, change), now: row }]
      : isInWay(change.key, row)
  })
  // Rows may have taken each other's numbers, and come back one after the other only when all have gone.
  const replaced = table.isNumbered ? changed : []
  const back: ImageRow[] = [
    ...image.gone.flatMap((row): ImageRow[] => {
      const there = placed(table, row, now)
      return there === undefined ? isInWay(keyOf(table, row), row) : [there]
    }),
    ...replaced.map((each) => ({ ...each.now, ...each.row })),
  ]
  // A row that gets a new number must not get one that another brings along.
  const isNumbered = (row: ImageRow) => !keyOf(table, row).includes(null)
  return {
    ...{ table, lost, blocking },
    removed: [...lost.map((row) => keyOf(table, row)), ...replaced.map(({ key }) => key)],
    inserted: [...back.filter(isNumbered), ...back.filter((row) => !isNumbered(row))],
    updated: table.isNumbered ? [] : changed,
    changing: changed.map((each) => each.now),
  }
}

/** Plans rows that follow their block: whatever stands in their place is replaced. */
function planFollowing(table: UndoTable, { made, gone, changed }: TableImage): Plan {
  return {
    ...{ table, lost: [], changing: [], blocking: [] },
    removed: [...made.map(({ key }) => key), ...gone.map((row) => keyOf(table, row))],
    inserted: gone,
    updated: changed.map(({ key, was }) => ({ key, row: was })),
  }
}

/** Returns the ids of the blocks that rows name. */
function endsOf({ ends }: UndoTable, rows: readonly ImageRow[]): string[] {
  return [...new Set(rows.flatMap((row) => ends.flatMap((end) => (row[end] ? [String(row[end])] : []))))]
}

/** Where blocks are the key, the ids are known even of a row that is gone. */
function blocksInKey({ ends, key }: UndoTable, cells: readonly Cell[]): string[] {
  return key.flatMap((column, i) => (ends.includes(column) ? [String(cells[i])] : []))
}

/** True if a row has the values that it was left with, but for what use counts. */
function isLeftAs({ count, clock, whenChanged }: UndoTable, now: ImageRow, is: ImageRow): boolean {
  const isOfUse = (column: string) => whenChanged === 'refuse' && (column === count || column === clock)
  return Object.entries(is).every(([column, value]) => isOfUse(column) || isSameCell(now[column], value))
}

/** Returns the former row with later use: the count keeps the difference, a clock that moved on stays. */
function setBack(
  { count, clock }: UndoTable,
  now: ImageRow,
  { was, is }: TableImage['changed'][number],
): ImageRow {
  const row: Record<string, Cell> = { ...was }
  if (count !== undefined && count in was)
    row[count] = Math.max(0, Number(was[count]) + Number(now[count]) - Number(is[count]))
  if (clock !== undefined && clock in was && now[clock] !== is[clock]) row[clock] = now[clock] ?? null
  return row
}

/** Returns the row as it can come back, without its number if that is taken; undefined if another row has its place. */
function placed(table: UndoTable, row: ImageRow, now: ReadonlyMap<string, ImageRow>): ImageRow | undefined {
  const isTaken = now.has(textOf(keyOf(table, row)))
  if (now.has(uniqueOf(table, row)) || (isTaken && !table.isNumbered)) return undefined
  return isTaken ? { ...row, ...Object.fromEntries(table.key.map((column) => [column, null])) } : row
}

/** All rows the image names by key, and those that stand where a row is to come back. */
async function currentRows(
  { rows }: Transaction,
  undoTable: UndoTable,
  { made, gone, changed }: TableImage,
): Promise<Map<string, ImageRow>> {
  const { table, unique } = undoTable
  const { encode } = codecOf(table)
  const known = [...made, ...changed].map(({ key }) => key)
  const keys = [...known, ...gone.map((row) => keyOf(undoTable, row))] as unknown as Key[]
  const found = new Map<string, ImageRow>()
  for (const row of await rows.get(table, keys)) {
    const cells = namedCells(undoTable, encode(row))
    found.set(textOf(keyOf(undoTable, cells)), cells)
  }
  if (unique === undefined) return found
  const leaving = new Set(known.map(textOf))
  const places = gone.map((row) => unique.map((column) => row[column] ?? null)) as unknown as Key[]
  for (const row of await rows.get(table, places, 'unique')) {
    const cells = namedCells(undoTable, encode(row))
    if (!leaving.has(textOf(keyOf(undoTable, cells)))) found.set(uniqueOf(undoTable, cells), cells)
  }
  return found
}

function uniqueOf({ unique = [] }: UndoTable, row: ImageRow): string {
  return `unique ${JSON.stringify(unique.map((column) => row[column]))}`
}

/** Leaves out rows whose block is gone, if use goes on changing their table; any other row is in the way. */
async function withKnownBlocks(tx: Transaction, plans: readonly Plan[], refuse: Refuse): Promise<Plan[]> {
  const at = await tx.lookUp(plans.flatMap(({ table, inserted }) => endsOf(table, inserted)))
  const coming = new Set(
    plans.flatMap(({ table, inserted }) => (table.name === blocks.name ? endsOf(table, inserted) : [])),
  )
  const isHomeless =
    ({ table }: Plan) =>
    (row: ImageRow) =>
      endsOf(table, [row]).some((id) => at(id) === undefined && !coming.has(id))
  await refuse(
    plans.flatMap((plan) => {
      const homeless = plan.table.whenChanged === 'refuse' ? plan.inserted.filter(isHomeless(plan)) : []
      return homeless.map((row) => blockingOf(plan.table, row))
    }),
  )
  return plans.map((plan) => ({ ...plan, inserted: plan.inserted.filter((row) => !isHomeless(plan)(row)) }))
}

function blockingOf(table: UndoTable, row: ImageRow): Blocking {
  return { table: table.name, key: keyOf(table, row), blockIds: endsOf(table, [row]) }
}

/** Applies plans. Blocks go last and come first, because other rows name them. */
async function apply(tx: Transaction, plans: readonly Plan[], refuse: Refuse): Promise<void> {
  const [removedBlocks] = plans.filter(({ table }) => table.name === blocks.name)
  for (const plan of plans) if (plan !== removedBlocks) await remove(tx, plan)
  if (removedBlocks !== undefined && removedBlocks.lost.length > 0)
    await removeBlocks(tx, removedBlocks, refuse)
  for (const plan of plans) {
    if (isOfVectors(plan)) await bringBackVectors(tx, plan)
    else {
      await insert(tx, plan)
      await update(tx, plan)
    }
  }
  await number(tx, plans)
}

/** Removes blocks. Rows about them that nobody took back are in the way; rows of use go with them. */
async function removeBlocks(tx: Transaction, plan: Plan, refuse: Refuse): Promise<void> {
  const ids = endsOf(plan.table, plan.lost)
  const arrivals = plan.lost.map(({ arrival }) => [arrival as number])
  for (const undoTable of UNDO_TABLES.values()) {
    const { name, table, ends, whenChanged } = undoTable
    if (name === blocks.name || ends.length === 0) continue
    const found = await tx.rows.touching(table, ids)
    if (whenChanged === 'refuse')
      await refuse(found.map((row) => blockingOf(undoTable, cellsOf(table, row as object))))
    await tx.remove(table, found)
  }
  await tx.rows.remove(blockIndex, arrivals)
  await removeVectors(tx, arrivals.flat())
  await remove(tx, plan)
  tx.forget()
  const seen = plan.lost.filter((row) => row[SEQUENCE] !== null && row[SEQUENCE] !== undefined)
  if (seen.length > 0) await noteRemoval(tx, endsOf(plan.table, seen))
}

async function remove(tx: Transaction, plan: Plan): Promise<void> {
  if (isOfVectors(plan)) await removeVectors(tx, plan.removed.flat() as number[])
  else await tx.rows.remove(plan.table.table, plan.removed as unknown as Key[])
}

function isOfVectors({ table: { name } }: Plan): boolean {
  return name === blockVectors.name
}

/** Brings vectors back into the set that is in use by now. */
async function bringBackVectors(tx: Transaction, { table, inserted, updated }: Plan): Promise<void> {
  const { vectorSet: set } = await tx.state()
  const keys = updated.map(({ key: [arrival] }) => [arrival as number, set])
  const there = new Set((await tx.rows.get(ARRIVAL, keys)).map(({ arrival }) => arrival))
  const changed = updated.flatMap(({ key: [arrival = null], row }) =>
    there.has(arrival as number) ? [{ ...row, arrival }] : [],
  )
  const back = [...inserted, ...changed].map((row) => rowOf(table.table, { ...row, set_number: set }))
  await putVectors(tx, back as RowOf<typeof blockVectors>[])
}

/** Inserts rows; those without a key get the next number, when all others have theirs. */
async function insert(tx: Transaction, { table: undoTable, inserted }: Plan): Promise<void> {
  const { table } = undoTable
  const hasKey = (row: ImageRow) => !keyOf(undoTable, row).includes(null)
  const back = inserted.filter(hasKey).map((row) => rowOf(table, row))
  if (table.name === edges.name) await removePromoted(tx, back as RowOf<typeof edges>[])
  await tx.rows.put(table, back, [])
  const numbered = inserted.filter((row) => !hasKey(row)).map((row) => rowOf(table, row))
  const key = table.key[0] as string
  await tx.rows.insert(
    table,
    numbered.map((row) => ({ ...row, [key]: undefined })),
  )
}

async function update(tx: Transaction, { table: { table }, updated }: Plan): Promise<void> {
  const keys = updated.map(({ key }) => key as Key)
  const before = await tx.rows.get(table, keys)
  const changes = new Map(updated.map(({ key, row }) => [textOf(key), row]))
  const after = before.map((row) =>
    rowOf(table, { ...cellsOf(table, row as object), ...changes.get(textOf(keyIn(table, row as object))) }),
  )
  if (table.name === blocks.name) {
    const were = new Map((before as RowOf<typeof blocks>[]).map((row) => [row.arrival, row]))
    await dropStaleVectors(tx, were, after as RowOf<typeof blocks>[])
  }
  await tx.rows.put(table, after, before as typeof after)
}

/** Numbers what came back as changed, for readers of changes. */
async function number(tx: Transaction, plans: readonly Plan[]): Promise<void> {
  const arrivals = plans
    .filter(({ table }) => NUMBERED.has(table.name))
    .flatMap(({ table, inserted, updated, removed }) => [
      ...inserted.map((row) => keyOf(table, row)[0]),
      ...updated.map(({ key }) => key[0]),
      ...removed.map(([arrival]) => arrival),
    ])
  if (arrivals.length === 0) return
  const keys = [...new Set(arrivals as number[])].map((arrival) => [arrival])
  const there = await tx.rows.get(SEEN, keys)
  const seen = there.flatMap(({ arrival, sequence, status }) =>
    sequence !== undefined || status !== 'archived' ? [arrival] : [],
  )
  const sequence = await numberBlocks(tx, seen)
  const isNumbered = new Set(seen)
  const index = await tx.rows.get(blockIndex, keys)
  await tx.rows.put(
    blockIndex,
    index.map((row) => ({ ...row, sequence: isNumbered.has(row.arrival) ? sequence : 0 })),
    index,
  )
}

const NUMBERED: ReadonlySet<string> = new Set([blocks.name, blockIndex.name, blockVectors.name])

function endsOfEdge(edge: ImageRow): Ends {
  return [String(edge.from_id), String(edge.to_id)]
}

/** The edges at blocks that are archived again: somebody, or their use, joined them since. */
async function edgesAtArchived(
  tx: Transaction,
  changed: TableImage['changed'],
  plan: Plan | undefined,
): Promise<Blocking[]> {
  const archived = new Set(
    changed.flatMap(({ key, was }) => (was.status === 'archived' ? [textOf(key)] : [])),
  )
  const ids = (plan?.changing ?? []).flatMap((row) =>
    archived.has(textOf([row.arrival ?? null])) ? [String(row.id)] : [],
  )
  return ids.length === 0 ? [] : edgesInWay(await tx.rows.touching(ENDS, ids))
}

/** The edges at blocks that have more edges than the cap allows, now that some came back. */
async function edgesAboveCap(tx: Transaction, back: readonly Ends[], cap: number): Promise<Blocking[]> {
  if (back.length === 0 || cap === Number.POSITIVE_INFINITY) return []
  const degrees = await readDegrees(tx, [...new Set(back.flat())])
  const full = [...degrees].flatMap(([id, degree]) => (degree > cap ? [id] : []))
  if (full.length === 0) return []
  return edgesInWay(await tx.rows.touching(ENDS, full)).map((each) => ({ ...each, blockIds: full }))
}

function edgesInWay(found: readonly { readonly from: string; readonly to: string }[]): Blocking[] {
  return found.map(({ from, to }) => ({ table: edges.name, key: [from, to], blockIds: [from, to] }))
}
