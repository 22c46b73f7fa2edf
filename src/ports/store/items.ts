/** A named item as it is stored. */
export interface StoredItem {
  /** Stands for its scope, space, namespace and key. */
  readonly id: string
  readonly space: string
  /** Each label with a sign behind it (`namespaceText`). */
  readonly namespace: string
  readonly key: string
  readonly value: unknown
  readonly createdAt: string
  readonly updatedAt: string
  /** Counted from 1. */
  readonly version: number
}

/** An item, and the ids of the blocks it is found by, in the order of its texts. */
export interface SavedItem extends StoredItem {
  readonly blockIds: readonly string[]
}

/** Items of a space in a namespace and all inside it. */
export interface ItemsWithin {
  readonly space: string
  /** The least and the greatest text of a namespace; all of the space when left out. */
  readonly bounds?: readonly [least: string, most: string] | undefined
}

/** A page of items: at most `limit`, behind the place of the last one before. Without a space all items, of the whole store those of all scopes. */
export interface ItemRange extends Partial<ItemsWithin> {
  readonly after?: number | undefined
  readonly limit: number
}

/**
 * Queries of named items. A view sees those of its scope; the whole store those without a scope, because a place is
 * one item in each scope.
 */
export interface ItemsReader {
  /** The items with these ids, in their order. */
  items(ids: readonly string[]): Promise<SavedItem[]>
  /** Items in the order they came; `place` is for `after`. */
  itemPage(range: ItemRange): Promise<(StoredItem & { readonly place: number })[]>
  /** The namespaces of items, each once, by the bytes of their texts. Cost: all items of the space. */
  itemNamespaces(within: ItemsWithin): Promise<string[]>
  /** How many items there are in all spaces. */
  itemCount(): Promise<number>
  /** Which items are found by some blocks, those of all scopes in the whole store: in the order of item and place. */
  itemsOfBlocks(
    blockIds: readonly string[],
  ): Promise<{ readonly item: string; readonly place: number; readonly blockId: string }[]>
}

/** Changes of named items. */
export interface ItemsWriter {
  /** Inserts items or changes those that are there; an item lets go of the blocks it does not name any more. */
  saveItems(items: readonly SavedItem[]): Promise<void>
  /** Removes items; their blocks stay. */
  removeItems(ids: readonly string[]): Promise<void>
}
