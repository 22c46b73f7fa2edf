import {
  type Block,
  firstId,
  ITEM,
  isTextOfItem,
  normaliseTags,
  otherIds,
  TAGS_MOST,
  TURN,
} from '../block/block.ts'
import {
  boundsOf,
  type ItemPlace,
  isLevelTag,
  isWithin,
  itemId,
  labelsIn,
  levelTag,
  levelTags,
  namespaceText,
} from '../block/item-place.ts'
import { count, shortName } from '../block/text.ts'
import { dream } from '../dream/dream.ts'
import { type CallContext, type Engine, type Mutation, mutate, nextTurn } from '../engine/engine.ts'
import { ElfmemError, type ErrorCode } from '../errors.ts'
import { bringBack } from '../graph/carry.ts'
import { type Draft, newBlock, textOf } from '../intake/admit.ts'
import { mustNotBeAbove, overLimit } from '../intake/check-input.ts'
import { type EchoCount, partedFromShown, sumLeftOut } from '../intake/echo.ts'
import { archive } from '../intake/supersede.ts'
import { setTags } from '../outcome/formulas.ts'
import { match, readIndex } from '../recall/match.ts'
import {
  blocksById,
  freeId,
  insertBlocks,
  type NewBlock,
  readBlocks,
  readPage,
  readSameTexts,
  saveBlocks,
} from '../store/blocks.ts'
import {
  NAMED,
  readItemCount,
  readItemNamespaces,
  readItemPage,
  readItems as readItemsRows,
  removeItems,
  type SavedItem,
  type StoredItem,
  saveItems,
} from '../store/items.ts'
import type { Transaction } from '../store/transaction.ts'

/** A range is a namespace of a space with everything inside it. */
export type Within = Pick<ItemPlace, 'space' | 'namespace'>

/** A found item has the score by which a search found it. */
export interface FoundItem extends Item {
  /** Strength of the best match among its texts, 0..1. */
  readonly score: number
}

/** Errors of a dream after which a search goes on with words alone. */
const BY_WORDS: ReadonlySet<ErrorCode> = new Set(['EMBEDDER_FAILED', 'EMBEDDER_MISMATCH'])

/** Reads items by their places; undefined for a place without one. Makes one read of the store. */
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

/** Reads a page of items in the order in which they came; `next` is the place of the next page. */
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
 * Finds items by the meaning of their texts, the best first. If `dreams` is true, waiting texts of the namespace are dreamed first, without
 * a model, so that all items are found. Nothing is dropped for a budget, and no use is noted.
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
  // An item may have several texts, and a text several items.
  for (let topK = 3 * (limit + offset); ; topK *= 4) {
    const { matches, wordsOnly } = await match(engine, query, { topK, filter: { tags: [tag] }, context })
    const strengths = new Map(matches.map(({ facts, strength }) => [facts.id, strength]))
    const items = (await itemsOf(engine, strengths)).filter(
      (item) => item.space === space && isWithin(item.namespace, namespace),
    )
    // The blocks may be those of a few items with many texts.
    if (items.length < limit + offset && matches.length >= topK) continue
    const best = items.sort((one, other) => other.score - one.score).slice(offset, offset + limit)
    return { items: best, ...(wordsOnly === undefined ? {} : { wordsOnly }) }
  }
}

/** Returns the items of this scope that have some of the blocks as texts, each with the strength of its best block. */
function itemsOf(engine: Engine, strengths: ReadonlyMap<string, number>): Promise<FoundItem[]> {
  return engine.store.read(async (tx) => {
    const named = await tx.rows.touching(NAMED, [...strengths.keys()])
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
  /** Waiting texts are dreamed before the search. */
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
    // Words find the waiting texts; the search says that words alone did.
    if (!ElfmemError.is(error) || !BY_WORDS.has(error.code)) throw error
  }
}

/** An item is a named value as a caller sees it. */
export interface Item extends ItemPlace {
  readonly value: unknown
  /** ISO-8601 UTC. */
  readonly createdAt: string
  readonly updatedAt: string
  /** Number of the version, from 1. */
  readonly version: number
}

/** An item write is a change of one item. */
export interface ItemWrite extends ItemPlace {
  /** The new value; absent to delete the item. */
  readonly value?: unknown
  /** The texts by which the item is to be found. */
  readonly drafts: readonly Draft[]
  /** True if blocks that the item no longer has stay. */
  readonly keepsTexts: boolean
  /** The version that the item must have, 0 if it must not exist; absent: any. */
  readonly ifVersion?: number
}

/** The result of some changes. */
interface WrittenItems {
  /** For each change in turn, the item after all changes; absent if it is gone. */
  readonly items: readonly (Item | undefined)[]
  /** For each change in turn, whether the item was there before all changes. */
  readonly wasThere: readonly boolean[]
  /** For each change in turn, the size of the parts left out of its texts. */
  readonly leftOut: readonly (EchoCount | undefined)[]
  /** Ids of blocks that no item has any more. */
  readonly forgotten: readonly string[]
}

/**
 * Writes and removes items with their blocks in one transaction; of several changes of one item the last counts. The number of statements
 * does not depend on the number of items, but on that of blocks that are restored.
 *
 * @param undoable false for changes that nobody would take back, so that an undo passes over them
 */
export function writeItems(
  engine: Engine,
  context: CallContext,
  writes: readonly ItemWrite[],
  undoable = true,
): Promise<WrittenItems> {
  const work = async (mutation: Mutation): Promise<WrittenItems> => {
    const { tx, moment, log } = mutation
    const ids = writes.map((write) => itemId(write, engine.scope, engine.ids.sha256))
    const before = new Map((await readItemsRows(tx, ids)).map((item) => [item.id, item]))
    for (const [at, write] of writes.entries()) mustBeUnchanged(write, before.get(ids[at] as string))
    const own = writes.map((write) => ({ ...write, ...withoutShown(engine, write.drafts) }))
    const last = new Map(own.map((write, at) => [ids[at] as string, write]))
    const puts = [...last].filter(([, { value }]) => value !== undefined)
    await mustHaveRoom(engine, mutation, puts.filter(([id]) => !before.has(id)).length)
    const blocks = await blocksOf(engine, mutation, puts)
    const saved = puts.map(([id, write]): SavedItem => {
      const was = before.get(id)
      return {
        ...{ id, space: write.space, namespace: namespaceText(write.namespace), key: write.key },
        value: write.value,
        createdAt: was?.createdAt ?? moment.at,
        updatedAt: moment.at,
        version: (was?.version ?? 0) + 1,
        blockIds: blocks.get(id) ?? [],
      }
    })
    const removed = [...last].flatMap(([id, { value }]) =>
      value === undefined && before.has(id) ? [id] : [],
    )
    await saveItems(tx, saved)
    await removeItems(tx, removed)
    const had = (id: string) => before.get(id)?.blockIds ?? []
    const touched = [
      ...saved.flatMap(({ id, blockIds }) => [...blockIds, ...had(id)]),
      ...removed.flatMap(had),
    ]
    const staying = new Set([...last].flatMap(([id, { keepsTexts }]) => (keepsTexts ? had(id) : [])))
    const forgotten = await settleTexts(engine, { context, mutation }, { touched, staying })
    const letGo = forgotten.length > 0 ? `, ${count(forgotten.length, 'block')} let go of` : ''
    await log({
      operation: 'write_items',
      blockIds: [...new Set(touched)],
      summary: `${count(saved.length, 'item')} put, ${removed.length} deleted${letGo}`,
    })
    const now = new Map(saved.map((item) => [item.id, toItem(item)]))
    return {
      items: ids.map((id) => now.get(id)),
      wasThere: ids.map((id) => before.has(id)),
      leftOut: own.map(({ leftOut }) => leftOut),
      forgotten,
    }
  }
  return mutate(engine, context, work, { undoable })
}

/** Returns an item as it is shown, with a list of labels: the sign between them belongs to the store. */
function toItem({ space, namespace, key, value, createdAt, updatedAt, version }: StoredItem): Item {
  return { space, namespace: labelsIn(namespace), key, value, createdAt, updatedAt, version }
}

/** Returns the ids of the blocks of each item, each once and in the order of its texts. */
async function blocksOf(
  engine: Engine,
  mutation: Mutation,
  puts: readonly (readonly [id: string, write: ItemWrite])[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const all = puts.flatMap(([, { drafts }]) => drafts)
  const ids = await admitTexts(engine, mutation, all)
  return new Map(puts.map(([item, { drafts }]) => [item, [...new Set(ids.splice(0, drafts.length))]]))
}

/** Returns texts of an item; turns lose the parts that a recall had shown, by which nothing new is found. */
function withoutShown(engine: Engine, given: readonly Draft[]) {
  const parted = given.map(({ category, content }) =>
    category === TURN ? partedFromShown(engine, content) : undefined,
  )
  const own = given.map((draft, at): Draft => ({ ...draft, content: parted[at]?.own ?? draft.content }))
  return {
    drafts: own.filter(({ content }) => content !== ''),
    leftOut: sumLeftOut(parted.map((each) => each?.leftOut)),
  }
}

/** Throws `CONFLICT` for an item that changed since the caller read it. */
function mustBeUnchanged({ key, ifVersion }: ItemWrite, was: StoredItem | undefined): void {
  const found = was?.version ?? 0
  if (ifVersion === undefined || ifVersion === found) return
  const now = found === 0 ? 'is not there' : `has the version ${found}`
  throw new ElfmemError('CONFLICT', `The item ${JSON.stringify(shortName(key))} ${now}, not ${ifVersion}.`, {
    recovery: 'Nothing was written. Read it again and decide anew.',
    details: { version: found },
  })
}

async function mustHaveRoom({ settings }: Engine, { tx }: Mutation, fresh: number): Promise<void> {
  if (fresh === 0) return
  const { items } = settings.limits
  const found = (await readItemCount(tx)) + fresh
  if (found <= items) return
  throw overLimit({
    ...{ what: 'the memory', found, limit: items, unit: 'items', setting: 'limits.items' },
    recovery: 'Delete items that are of no more use; what is only to be found by meaning needs no name.',
  })
}

/**
 * Gives each text a block and returns their ids: a living text of an item in the same words, a forgotten one that comes back, or a new one.
 * Other blocks with the same words are left alone, because an item lets go of its own texts only. A turn is always new. Runs four
 * statements, and a few for each block that comes back.
 */
async function admitTexts(engine: Engine, mutation: Mutation, drafts: readonly Draft[]): Promise<string[]> {
  const { tx } = mutation
  const { ids } = engine
  const texts = drafts.map((draft) => textOf(engine, draft))
  const living = await readSameTexts(tx, texts)
  const wanted = texts.flatMap((text) => [firstId(text, ids.sha256), ...otherIds(text, ids.sha256)])
  const known = await blocksById(tx, wanted, living)
  const fresh = new Map<string, NewBlock>()
  const admitted: string[] = []
  const byContent = Map.groupBy(known.values(), ({ content }) => content)
  for (const [at, draft] of drafts.entries()) {
    const text = texts[at] as (typeof texts)[number]
    const same = (byContent.get(draft.content) ?? []).filter((block) => mayShare(engine, block, draft))
    const there = same.find(({ status }) => status !== 'archived') ?? same[0]
    if (there?.status === 'archived') {
      await bringBack(engine, mutation, there)
      note({ ...there, status: 'inbox' }, draft)
    } else if (there !== undefined) note(there, draft)
    else {
      const block = newBlock(engine, mutation, draft, freeId(text, known, ids))
      fresh.set(block.id, block)
      note({ ...block, position: 0 }, draft)
    }
  }
  await insertBlocks(tx, [...fresh.values()])
  return admitted

  /** Lets later drafts find the block of this draft, with the tags that it will have. */
  function note(block: Block, draft: Draft): void {
    const now = { ...block, tags: [...new Set([...block.tags, ...draft.tags])] }
    known.set(now.id, now)
    const others = (byContent.get(now.content) ?? []).filter(({ id }) => id !== now.id)
    byContent.set(now.content, [...others, now])
    admitted.push(now.id)
  }
}

/** Returns true if a draft may share the block of another item: with the same words and speaker, and room for its tags. */
function mayShare({ scope }: Engine, block: Block, draft: Draft): boolean {
  if (draft.category !== ITEM || block.category !== ITEM) return false
  if (block.scope !== scope || block.sourceClass !== draft.sourceClass || block.cue !== draft.cue)
    return false
  if (block.status === 'archived' && block.archiveReason === 'superseded') return false
  return new Set([...block.tags, ...draft.tags]).size <= TAGS_MOST
}

/**
 * Brings blocks in line with the items whose texts they are: their tags say where the items stand, and a text that no item has any more is
 * forgotten, unless it is to stay. Returns the ids of the forgotten blocks. Throws `OWNER_ONLY` if such a text is the owner's words and
 * somebody else calls. Runs at most six statements.
 */
async function settleTexts(
  engine: Engine,
  { context, mutation }: { readonly context: CallContext; readonly mutation: Mutation },
  { touched, staying }: { readonly touched: readonly string[]; readonly staying: ReadonlySet<string> },
): Promise<string[]> {
  const { tx, moment } = mutation
  const ids = [...new Set(touched)]
  if (ids.length === 0) return []
  const placesOf = await itemsByBlock(tx, ids)
  const blocks = await readBlocks(tx, ids)
  const loose = blocks.filter(
    ({ id, status, category }) =>
      !placesOf.has(id) && !staying.has(id) && status !== 'archived' && isTextOfItem(category),
  )
  const otherwise =
    'Keep the texts of the item, or let a program that opens the memory as its owner change it.'
  for (const block of loose) mustNotBeAbove(engine, context, { block, done: 'let go of', otherwise })
  await archive(tx, loose, { reason: 'forgotten', at: moment.at })
  const going = new Set(loose.map(({ id }) => id))
  const kept = blocks.filter(({ id }) => !going.has(id))
  await setItemTags(engine, tx, { blocks: kept, placesOf })
  return [...going]
}

/** Gives blocks the tags of the items whose texts they are, after an import. Runs at most four statements. */
export async function setItemTagsOf(engine: Engine, tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await setItemTags(engine, tx, { blocks: await readBlocks(tx, ids), placesOf: await itemsByBlock(tx, ids) })
}

type ItemsByBlock = ReadonlyMap<string, readonly { readonly item: SavedItem }[]>

async function itemsByBlock(tx: Transaction, ids: readonly string[]): Promise<ItemsByBlock> {
  const named = await tx.rows.touching(NAMED, ids)
  const found = await readItemsRows(tx, [...new Set(named.map(({ item }) => item))])
  const items = new Map(found.map((item) => [item.id, item]))
  return Map.groupBy(
    named.flatMap(({ item: id, blockId }) => {
      const item = items.get(id)
      return item === undefined ? [] : [{ blockId, item }]
    }),
    ({ blockId }) => blockId,
  )
}

async function setItemTags(
  engine: Engine,
  tx: Transaction,
  { blocks, placesOf }: { readonly blocks: readonly Block[]; readonly placesOf: ItemsByBlock },
): Promise<void> {
  const changed = blocks.flatMap((block) => {
    const places = (placesOf.get(block.id) ?? []).map(({ item }) => item)
    const levels = places.flatMap(({ space, namespace }) =>
      levelTags({ space, namespace: labelsIn(namespace) }, engine.ids.sha256),
    )
    const tags = normaliseTags([...block.tags.filter((tag) => !isLevelTag(tag)), ...levels])
    return tags.join() === block.tags.join() ? [] : [setTags(block, { tags }, engine.settings.decay)]
  })
  await saveBlocks(tx, changed)
}
