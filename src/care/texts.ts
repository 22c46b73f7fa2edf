import type { Block } from '../block/block.ts'
import { firstId, otherIds } from '../block/ids.ts'
import { isLevelTag, labelsIn, levelTags } from '../block/item-place.ts'
import { ITEM, isTextOfItem } from '../block/kept-as-said.ts'
import { normaliseTags, TAGS_MOST } from '../block/tags.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { bringBack } from '../graph/carry.ts'
import { type Draft, newBlock, textOf } from '../intake/admit.ts'
import { mustNotBeAbove } from '../intake/caller.ts'
import { archive } from '../intake/supersede.ts'
import { setTags } from '../outcome/formulas.ts'
import { insertBlocks, type NewBlock, readBlocks, readSameTexts, saveBlocks } from '../store/blocks.ts'
import type { SavedItem } from '../store/items.ts'
import { readItems, readItemsOfBlocks } from '../store/items.ts'
import { blocksById, freeId } from '../store/look-up.ts'
import type { Transaction } from '../store/transaction.ts'

/**
 * Gives each text a block and returns their ids: a living text of an item in the same words, one that was forgotten and comes
 * back, or a new one. Other blocks that say the same are left alone, because an item lets go of its own texts only. A turn is
 * always new. Four statements, and a few for each block that comes back.
 */
export async function admitTexts(
  engine: Engine,
  mutation: Mutation,
  drafts: readonly Draft[],
): Promise<string[]> {
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

  /** Lets the block of a draft count for those behind it, with the tags it will have. */
  function note(block: Block, draft: Draft): void {
    const now = { ...block, tags: [...new Set([...block.tags, ...draft.tags])] }
    known.set(now.id, now)
    const others = (byContent.get(now.content) ?? []).filter(({ id }) => id !== now.id)
    byContent.set(now.content, [...others, now])
    admitted.push(now.id)
  }
}

/** True if a draft may have a block of another item in the same words: of the same speaker, with room for its tags. */
function mayShare({ scope }: Engine, block: Block, draft: Draft): boolean {
  if (draft.category !== ITEM || block.category !== ITEM) return false
  if (block.scope !== scope || block.sourceClass !== draft.sourceClass || block.cue !== draft.cue)
    return false
  if (block.status === 'archived' && block.archiveReason === 'superseded') return false
  return new Set([...block.tags, ...draft.tags]).size <= TAGS_MOST
}

/**
 * Brings blocks in line with the items they are a text of: their tags say where these stand, and a text that no item has any more is
 * forgotten, unless it is to stay. Returns the ids of what was forgotten. Throws `OWNER_ONLY` if that is the owner's words and
 * somebody else calls. Six statements at most.
 */
export async function settleTexts(
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

/** Gives blocks the tags of the items they are a text of, as an import leaves them. Four statements at most. */
export async function setItemTagsOf(engine: Engine, tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await setItemTags(engine, tx, { blocks: await readBlocks(tx, ids), placesOf: await itemsByBlock(tx, ids) })
}

type ItemsByBlock = ReadonlyMap<string, readonly { readonly item: SavedItem }[]>

async function itemsByBlock(tx: Transaction, ids: readonly string[]): Promise<ItemsByBlock> {
  const named = await readItemsOfBlocks(tx, ids)
  const found = await readItems(tx, [...new Set(named.map(({ item }) => item))])
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
