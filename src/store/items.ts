import type { Range } from './database.ts'
import { type RowOf, viewOf } from './description.ts'
import { itemBlocks, items } from './tables.ts'
import { keysOf, type ReadTransaction, type Transaction, takenId } from './transaction.ts'

type ItemRow = RowOf<typeof items>

const NAMESPACE = viewOf(items, ['namespace'])
/** The texts of items and the blocks by which recall finds them. */
export const NAMED = viewOf(itemBlocks, ['item', 'place', 'blockId'])

/**
 * A stored item is a named item as its row has it. `id` stands for its scope, space, namespace and key; each label of the namespace
 * ends with a sign (`namespaceText`); versions are counted from 1.
 */
export type StoredItem = Omit<ItemRow, 'arrival' | 'texts' | 'scope'>

/** A saved item has the ids of the blocks by which recall finds it, in the order of its texts. */
export interface SavedItem extends StoredItem {
  readonly blockIds: readonly string[]
}

/** The items of a space, or of one namespace in it with all inside. */
interface ItemsWithin {
  readonly space: string
  /** The least and the greatest text of a namespace; absent for the whole space. */
  readonly bounds?: readonly [least: string, most: string] | undefined
}

/**
 * Reads items with their blocks, in the order of the ids. A view sees the items of its scope; the whole store sees those without a
 * scope, because a place is one item in each scope.
 */
export async function readItems(tx: ReadTransaction, ids: readonly string[]): Promise<SavedItem[]> {
  const rows = await rowsOf(tx, ids)
  const named = Map.groupBy(await namedBy(tx, rows), ({ item }) => item)
  return rows.map((row) => ({
    ...itemOf(row),
    blockIds: (named.get(row.id) ?? []).map(({ blockId }) => blockId),
  }))
}

/** Reads a page of items behind a place, in the order of arrival, each with its `place`; without a space those of all spaces and scopes. */
export async function readItemPage(
  tx: ReadTransaction,
  { after, limit, space, bounds }: Partial<ItemsWithin> & { after?: number | undefined; limit: number },
) {
  const range = space === undefined ? {} : rangeOf(tx, { space, bounds })
  const rows = await tx.rows.scan(items, { ...range, after: [after ?? 0], order: ['arrival'], limit })
  return rows.map((row) => ({ ...itemOf(row), place: row.arrival }))
}

/** Reads the namespaces of items, each once, in the order of their bytes. Cost: all items of the space. */
export async function readItemNamespaces(tx: ReadTransaction, within: ItemsWithin): Promise<string[]> {
  const rows = await tx.rows.scan(NAMESPACE, { ...rangeOf(tx, within), order: ['namespace'] })
  return [...new Set(rows.map(({ namespace }) => namespace))]
}

/** Counts the items in all spaces. */
export function readItemCount(tx: ReadTransaction): Promise<number> {
  return tx.rows.count(items, isOf(tx))
}

/** Inserts or changes items; an item lets go of the blocks that it does not name any more. */
export async function saveItems(tx: Transaction, saved: readonly SavedItem[]): Promise<void> {
  const before = await tx.whole.stored(items, saved)
  const foreign = before.find(({ scope }) => scope !== tx.scope)
  if (foreign !== undefined) throw takenId('an item', foreign.id)
  const last = [...new Map(saved.map((item) => [item.id, item])).values()]
  const scope = tx.scope === undefined ? {} : { scope: tx.scope }
  const rows = last.map(({ blockIds, ...item }) => ({ ...item, ...scope, texts: blockIds.length }))
  await tx.save(items, rows, before)
  const wanted = last.flatMap(({ id, blockIds }) =>
    blockIds.map((blockId, place) => ({ item: id, place, blockId, ...scope })),
  )
  const had = await namedBy(tx, before)
  const keyOf = ({ item, place, blockId }: NonNullable<typeof NAMED.row>) => `${item} ${place} ${blockId}`
  const [wants, has] = [new Set(wanted.map(keyOf)), new Set(had.map(keyOf))]
  const gone = had.filter((row) => !wants.has(keyOf(row)))
  await tx.remove(itemBlocks, gone)
  const fresh = wanted.filter((row) => !has.has(keyOf(row)))
  await tx.rows.insert(itemBlocks, fresh)
}

export async function removeItems(tx: Transaction, ids: readonly string[]): Promise<void> {
  const rows = await rowsOf(tx, ids)
  await tx.remove(itemBlocks, await namedBy(tx, rows))
  await tx.remove(items, rows)
}

/** Returns the condition for a transaction's items: over the whole store those without a scope, in a view no further condition. */
function isOf({ scope }: ReadTransaction): { readonly scope?: undefined } {
  return scope === undefined ? { scope: undefined } : {}
}

function rangeOf(tx: ReadTransaction, { space, bounds }: ItemsWithin): Omit<Range, 'order'> {
  return {
    where: isOf(tx),
    equals: { space, ...(tx.scope === undefined ? {} : { scope: tx.scope }) },
    ...(bounds === undefined
      ? {}
      : { from: ['namespace', bounds[0]] as const, until: ['namespace', bounds[1]] as const }),
  }
}

function rowsOf({ rows }: ReadTransaction, ids: readonly string[]): Promise<ItemRow[]> {
  return rows.get(items, keysOf(ids), 'unique')
}

function namedBy({ rows }: ReadTransaction, found: readonly ItemRow[]): Promise<RowOf<typeof itemBlocks>[]> {
  const places = found.flatMap(({ id, texts }) => Array.from({ length: texts }, (_, place) => [id, place]))
  return rows.get(itemBlocks, places, 'unique')
}

function itemOf({ arrival: _arrival, texts: _texts, scope: _scope, ...item }: ItemRow) {
  return item
}
