import { mayCover, type SourceClass } from '../../domain/block/source-class.ts'
import type { Ends } from '../../domain/graph/edge.ts'
import { type RowOf, type Table, type View, viewOf } from '../../ports/store/description.ts'
import type { Key } from '../../ports/store/rows.ts'
import type { Reverted } from '../../ports/store/undo.ts'
import { codecOf } from '../codec.ts'
import { operationChanges, operations } from '../log-tables.ts'
import { dropStaleVectors } from '../rules/blocks.ts'
import { removePromoted } from '../rules/graph.ts'
import { noteRemoval } from '../rules/log.ts'
import { numberBlocks, putVectors, removeVectors } from '../rules/vectors.ts'
import { blockIndex, blocks, blockVectors, edges } from '../tables.ts'
import { keyIn, type Transaction } from '../transaction.ts'
import { conflict, endsOf, keyOf, planOf, type TablePlan, wasSeen } from './check.ts'
import type { Cell, Image, ImageRow, TableImage } from './image.ts'
import { UNDO_TABLES } from './tables.ts'

const ENTRY = viewOf(operations, ['id', 'scope'])
const SEEN = viewOf(blocks, ['arrival', 'sequence', 'status'])

type Row = Readonly<Record<string, unknown>>

/** Takes back what the transaction that ended with an entry of the log changed. */
export async function revert(
  own: Transaction,
  kept: number,
  except: readonly number[] = [],
): Promise<Reverted | undefined> {
  const tx = own.whole
  const [row] = await tx.rows.get(operationChanges, [[kept]])
  if (row === undefined || !(await isAllOwn(own, row))) return undefined
  const image = row.changes as Image
  const plans: TablePlan[] = []
  for (const table of UNDO_TABLES.values()) {
    const changes = image[table.name]
    if (changes !== undefined) plans.push(await planOf(tx, table, changes, { after: kept, except }))
  }
  await apply(tx, await withKnownBlocks(tx, plans))
  own.forget()
  const of = (name: string) => plans.find(({ table }) => table.name === name)
  const [joined, vectors] = [of('edges'), of('block_vectors')]
  const moved = image.blocks?.changed ?? []
  return {
    blockIds: [...new Set(plans.flatMap(({ blockIds }) => blockIds))],
    edgesBack: joined?.inserted.map(endsOfEdge) ?? [],
    edgesDropped: joined?.dropped.map(endsOfEdge) ?? [],
    trustBack: moved.some(isTrustBack),
    standingBack: moved.some(({ was }) => was.tags !== undefined || was.source_class !== undefined),
    vectorsBack: (vectors?.inserted.length ?? 0) + (vectors?.updated.length ?? 0) > 0,
  }
}

function isTrustBack({ was, is }: TableImage['changed'][number]): boolean {
  return (
    was.source_class !== undefined &&
    was.content === undefined &&
    !mayCover(is.source_class as SourceClass, was.source_class as SourceClass)
  )
}

function endsOfEdge(edge: ImageRow): Ends {
  return [String(edge.from_id), String(edge.to_id)]
}

/** Those of some transactions that are not all a view's own. One statement, and one for each of them. */
export async function readSharedChanges(own: Transaction, kept: readonly number[]): Promise<number[]> {
  if (own.scope === undefined || kept.length === 0) return []
  const shared: number[] = []
  for (const row of await own.whole.rows.get(
    operationChanges,
    kept.map((id) => [id]),
  ))
    if (!(await isAllOwn(own, row))) shared.push(row.operationId)
  return shared
}

/** A view takes back only what was all its own: the entries of a dream over the whole store follow each other. */
async function isAllOwn(
  { scope, whole: { rows } }: Transaction,
  { firstId, operationId }: RowOf<typeof operationChanges>,
): Promise<boolean> {
  if (scope === undefined) return true
  const entries = { order: ['id'], from: ['id', firstId], until: ['id', operationId] } as const
  return (await rows.scan(ENTRY, entries)).every((entry) => entry.scope === scope)
}

/** Leaves out rows whose block is gone; throws `CONFLICT` unless use goes on changing their table. */
async function withKnownBlocks(tx: Transaction, plans: readonly TablePlan[]): Promise<TablePlan[]> {
  const named = plans.flatMap(({ table, inserted }) => endsOf(table, inserted))
  const at = await tx.lookUp(named)
  const coming = new Set(
    plans.flatMap(({ table, inserted }) => (table.name === 'blocks' ? endsOf(table, inserted) : [])),
  )
  return plans.map((plan) => {
    const { table, inserted } = plan
    const homeless = inserted.filter((row) =>
      endsOf(table, [row]).some((id) => at(id) === undefined && !coming.has(id)),
    )
    if (homeless.length > 0 && table.whenChanged === 'refuse') throw conflict(endsOf(table, homeless))
    return { ...plan, inserted: inserted.filter((row) => !homeless.includes(row)) }
  })
}

/** Blocks go last and come first, because other rows name them. */
async function apply(tx: Transaction, plans: readonly TablePlan[]): Promise<void> {
  const [removedBlocks] = plans.filter(({ table }) => table.name === 'blocks')
  const others = plans.filter((plan) => plan !== removedBlocks)
  for (const plan of others) await remove(tx, plan)
  if (removedBlocks !== undefined && removedBlocks.lost.length > 0) await removeBlocks(tx, removedBlocks)
  for (const plan of plans) {
    if (isOfVectors(plan)) await bringBackVectors(tx, plan)
    else {
      await insert(tx, plan)
      await update(tx, plan)
    }
  }
  await number(tx, plans)
}

/** Fails if rows would go with the blocks that nobody took back; those of use go with them. */
async function removeBlocks(tx: Transaction, plan: TablePlan): Promise<void> {
  const ids = endsOf(plan.table, plan.lost)
  const arrivals = plan.lost.map(({ arrival }) => [arrival as number])
  for (const { name, table, ends, whenChanged } of UNDO_TABLES.values()) {
    if (name === 'blocks' || ends.length === 0) continue
    const found = await tx.rows.touching(table, ids)
    if (found.length > 0 && whenChanged === 'refuse') throw conflict(heldOf(table, found, ids))
    await tx.remove(table, found)
  }
  await tx.rows.remove(blockIndex, arrivals)
  await removeVectors(tx, arrivals.flat())
  await remove(tx, plan)
  tx.forget()
  if (plan.lost.some(wasSeen)) await noteRemoval(tx, endsOf(plan.table, plan.lost.filter(wasSeen)))
}

function heldOf({ properties, columns }: Table, rows: readonly Row[], ids: readonly string[]): string[] {
  const named = rows.flatMap((row) =>
    properties.flatMap((property) => (columns[property]?.block === 'id' ? [String(row[property])] : [])),
  )
  return [...new Set(named)].filter((id) => ids.includes(id))
}

async function remove(tx: Transaction, plan: TablePlan): Promise<void> {
  if (isOfVectors(plan)) await removeVectors(tx, plan.removed.flat() as number[])
  else await tx.rows.remove(plan.table.table, plan.removed as unknown as Key[])
}

function isOfVectors({ table: { name } }: TablePlan): boolean {
  return name === blockVectors.name
}

/** They come back into the set in use, whichever that is by now. */
async function bringBackVectors(tx: Transaction, { table, inserted, updated }: TablePlan): Promise<void> {
  const { vectorSet: set } = await tx.state()
  const there = await tx.rows.get(
    viewOf(blockVectors, ['arrival']),
    updated.map(({ key: [arrival] }) => [arrival as number, set]),
  )
  const isThere = new Set(there.map(({ arrival }) => arrival))
  const changed = updated.flatMap(({ key: [arrival = null], row }) =>
    isThere.has(arrival as number) ? [{ ...row, arrival }] : [],
  )
  const back = [...inserted, ...changed].map((row) => rowOf(table.table, { ...row, set_number: set }))
  await putVectors(tx, back as RowOf<typeof blockVectors>[])
}

/** Rows without a key get the next number, when all others have theirs. */
async function insert(tx: Transaction, { table: { table, ...undo }, inserted }: TablePlan): Promise<void> {
  const hasKey = (row: ImageRow) => !keyOf({ table, ...undo }, row).includes(null)
  const back = inserted.filter(hasKey).map((row) => rowOf(table, row))
  if (table.name === edges.name) await removePromoted(tx, back as RowOf<typeof edges>[])
  await tx.rows.put(table, back, [])
  const numbered = inserted.filter((row) => !hasKey(row)).map((row) => rowOf(table, row))
  await tx.rows.insert(
    table,
    numbered.map((row) => ({ ...row, [table.key[0] as string]: undefined })),
  )
}

async function update(tx: Transaction, { table: { table, columns }, updated }: TablePlan): Promise<void> {
  const before = await tx.rows.get(
    table,
    updated.map(({ key }) => key as Key),
  )
  const codec = codecOf(table)
  const changes = new Map(updated.map(({ key, row }) => [JSON.stringify(key), row]))
  const after = before.map((row) => {
    const change = changes.get(JSON.stringify(keyIn(table, row))) ?? {}
    const cells = codec.encode(row)
    return rowOf(
      table,
      Object.fromEntries(
        columns.map((name, i) => [name, change[name] ?? (name in change ? null : cells[i])]),
      ) as ImageRow,
    )
  })
  if (table.name === blocks.name) {
    const were = new Map((before as RowOf<typeof blocks>[]).map((row) => [row.arrival, row]))
    await dropStaleVectors(tx, were, after as RowOf<typeof blocks>[])
  }
  await tx.rows.put(table, after, before)
}

/** Readers of changes are to see what came back as changed. */
async function number(tx: Transaction, plans: readonly TablePlan[]): Promise<void> {
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
  const seen = there.filter(({ sequence, status }) => sequence !== undefined || status !== 'archived')
  const sequence = await numberBlocks(
    tx,
    seen.map(({ arrival }) => arrival),
  )
  const isNumbered = new Set(seen.map(({ arrival }) => arrival))
  const index = await tx.rows.get(blockIndex, keys)
  await tx.rows.put(
    blockIndex,
    index.map((row) => ({ ...row, sequence: isNumbered.has(row.arrival) ? sequence : 0 })),
    index,
  )
}

const NUMBERED: ReadonlySet<string> = new Set(['blocks', 'block_index', 'block_vectors'])

/** Returns the row of a table that an image holds. */
export function rowOf(table: Table, image: ImageRow): Row {
  const { names, decode } = codecOf(table)
  return decode(names.map((name) => cellFrom(image[name] ?? null)))
}

/** The row by the names of its columns in the database. */
export function cellsOf(table: Table, row: Row): ImageRow {
  const { names, encode } = codecOf<Row>(table as View<Row>)
  const cells = encode(row)
  return Object.fromEntries(names.map((name, i) => [name, cells[i] as Cell]))
}

/** Of a row as it stands the bytes themselves, of a kept one their hexadecimal. */
function cellFrom(cell: Cell | Uint8Array): string | number | Uint8Array | null {
  if (cell instanceof Uint8Array) return cell
  return typeof cell === 'object' && cell !== null ? Buffer.from(cell.hex, 'hex') : cell
}
