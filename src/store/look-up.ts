import { type Block, type BlockStatus, firstId, otherIds } from '../block/block.ts'
import { isSameText } from '../block/text.ts'
import type { Ids } from '../engine/ports.ts'
import { readBlocks, readPage, readSameTexts, type SaidText } from './blocks.ts'
import type { ReadTransaction } from './transaction.ts'

/**
 * The first id of a text that is free: an archived block that says the same keeps its own, so a later life follows; what
 * says something else leaves the exact one.
 */
export function freeId(text: SaidText, blocks: ReadonlyMap<string, Block>, ids: Ids): string {
  const first = firstId(text, ids.sha256)
  const there = blocks.get(first)
  if (there === undefined) return first
  const [exact, ...later] = otherIds(text, ids.sha256)
  const wanted = isSameText(there.content, text.content) ? later : [exact, ...later]
  return wanted.find((id) => id !== undefined && !blocks.has(id)) ?? ids.random()
}

/** Blocks by id: those of the store with these ids, and those given. At most one statement. */
export async function blocksById(
  tx: ReadTransaction,
  ids: readonly string[],
  given: readonly Block[] = [],
): Promise<Map<string, Block>> {
  const found = ids.length === 0 ? [] : await readBlocks(tx, ids)
  return new Map([...given, ...found].map((block) => [block.id, block]))
}

/** A word of more blocks than these does not lead to the few that are meant. */
export const HOLDERS_MOST = 32

/** Blocks read at a time. */
const PAGE = 1_000

/** The blocks of some status with a tag, or with tags of a beginning that ends in `*`; oldest first. */
export async function* blocksWith(
  tx: ReadTransaction,
  tag: string,
  statuses: readonly BlockStatus[],
): AsyncGenerator<Block> {
  for (const status of statuses) {
    const filter = { status, tag, order: 'arrival', limit: PAGE } as const
    for (
      let page = await readPage(tx, filter);
      ;
      page = await readPage(tx, { ...filter, cursor: page.cursor })
    ) {
      yield* page.blocks
      if (page.cursor === undefined) break
    }
  }
}

/** Ids of those blocks that are active. One statement. */
export async function activeAmong(tx: ReadTransaction, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const blocks = await readBlocks(tx, ids)
  return new Set(blocks.flatMap(({ id, status }) => (status === 'active' ? [id] : [])))
}

/** Ids of those blocks that are active or wait for a dream. One statement. */
export async function livingAmong(tx: ReadTransaction, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const blocks = await readBlocks(tx, ids)
  return new Set(blocks.flatMap(({ id, status }) => (status === 'archived' ? [] : [id])))
}

/** Another living block of its scope that says the same as a block, if any. One statement. */
export async function findSameContent(tx: ReadTransaction, block: Block): Promise<Block | undefined> {
  return (await readSameTexts(tx, [block])).find(({ id }) => id !== block.id)
}
