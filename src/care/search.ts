import { boundsOf, type ItemPlace, isWithin, itemId, labelsIn, levelTag } from '../block/item-place.ts'
import { dream } from '../dream/dream.ts'
import { type CallContext, type Engine, nextTurn } from '../engine/engine.ts'
import { ElfmemError, type ErrorCode } from '../errors.ts'
import { match, readIndex } from '../recall/match.ts'
import { readPage } from '../store/blocks.ts'
import {
  readItemNamespaces,
  readItemPage,
  readItemsOfBlocks,
  readItems as readItemsRows,
} from '../store/items.ts'
import { type Item, toItem } from './write.ts'

/** A namespace of a space, with all inside it. */
export type Within = Pick<ItemPlace, 'space' | 'namespace'>

/** An item that a search found. */
export interface FoundItem extends Item {
  /** Strength of the best match among its texts, 0..1. */
  readonly score: number
}

/** Failures of a dream that a search outlives. */
const BY_WORDS: ReadonlySet<ErrorCode> = new Set(['EMBEDDER_FAILED', 'EMBEDDER_MISMATCH'])

/** Blocks looked at first for each item wanted: an item may have several texts, and a text several items. */
const BLOCKS_PER_ITEM = 3

/** Reads items by their places; undefined where there is none. One read of the store. */
export async function readItems(
  { store, scope, ids: { sha256 } }: Engine,
  places: readonly ItemPlace[],
): Promise<(Item | undefined)[]> {
  const ids = places.map((place) => itemId(place, scope, sha256))
  const found = new Map(
    (await store.read((tx) => readItemsRows(tx, ids))).map((item) => [item.id, toItem(item)]),
  )
  return ids.map((id) => found.get(id))
}

/** Reads a page of items in the order they came; `next` is the place where it goes on. */
export async function listItems(
  { store }: Engine,
  { space, namespace }: Within,
  { after, limit }: { readonly after?: number | undefined; readonly limit: number },
): Promise<{ readonly items: readonly Item[]; readonly next?: number }> {
  const range = { space, bounds: boundsOf(namespace), after, limit: limit + 1 }
  const page = await store.read((tx) => readItemPage(tx, range))
  const last = page.length > limit ? page[limit - 1]?.place : undefined
  return { items: page.slice(0, limit).map(toItem), ...(last === undefined ? {} : { next: last }) }
}

/** Reads the namespaces that hold items, as lists of labels. */
export async function listNamespaces({ store }: Engine, { space, namespace }: Within): Promise<string[][]> {
  const found = await store.read((tx) => readItemNamespaces(tx, { space, bounds: boundsOf(namespace) }))
  return found.map(labelsIn)
}

/**
 * Finds items by the meaning of their texts, the best first. What waits in the namespace is dreamed first, without a model,
 * if that is asked: whatever was put is found. Nothing is dropped for a budget, and no use is noted.
 */
export async function searchItems(
  engine: Engine,
  context: CallContext,
  { space, namespace, query, limit, offset, dreams }: Within & Search,
): Promise<{ readonly items: readonly FoundItem[]; readonly wordsOnly?: string }> {
  const tag = levelTag(space, namespace, engine.ids.sha256)
  if (dreams) await dreamWaiting(engine, context, tag)
  await readIndex(engine)
  await nextTurn()
  for (let topK = BLOCKS_PER_ITEM * (limit + offset); ; topK *= 4) {
    const { matches, wordsOnly } = await match(engine, query, { topK, filter: { tags: [tag] }, context })
    const strengths = new Map(matches.map(({ facts, strength }) => [facts.id, strength]))
    const items = (await itemsOf(engine, strengths)).filter(
      (item) => item.space === space && isWithin(item.namespace, namespace),
    )
    // The blocks may have been those of a few items with many texts.
    if (items.length < limit + offset && matches.length >= topK) continue
    const best = items.sort((one, other) => other.score - one.score).slice(offset, offset + limit)
    return { items: best, ...(wordsOnly === undefined ? {} : { wordsOnly }) }
  }
}

/** The items of this memory's scope that some blocks are texts of, each with the strength of its best. */
function itemsOf(engine: Engine, strengths: ReadonlyMap<string, number>): Promise<FoundItem[]> {
  return engine.store.read(async (tx) => {
    const named = await readItemsOfBlocks(tx, [...strengths.keys()])
    const best = new Map<string, number>()
    for (const { item, blockId } of named)
      best.set(item, Math.max(best.get(item) ?? 0, strengths.get(blockId) ?? 0))
    const items = await readItemsRows(tx, [...best.keys()])
    return items
      .filter((item) => item.id === itemId(toItem(item), engine.scope, engine.ids.sha256))
      .map((item): FoundItem => ({ ...toItem(item), score: best.get(item.id) ?? 0 }))
  })
}

interface Search {
  readonly query: string
  readonly limit: number
  readonly offset: number
  /** True if what waits is dreamed first. */
  readonly dreams: boolean
}

async function dreamWaiting(engine: Engine, context: CallContext, tag: string): Promise<void> {
  const waits = await engine.store.read((tx) =>
    readPage(tx, { status: 'inbox', tag, order: 'arrival', limit: 1 }),
  )
  if (waits.blocks.length === 0) return
  const { dreamSeconds: maxSeconds } = engine.settings.memory
  const rules = { hostAnalyses: {}, edgeLabels: [], noLlm: true, rescore: false, rescoreMax: 0 }
  try {
    await dream(engine, { maxSeconds, ...rules }, context)
  } catch (error) {
    // Words find what waits; the search says that they alone did.
    if (!ElfmemError.is(error) || !BY_WORDS.has(error.code)) throw error
  }
}
