import type { Block } from '../domain/block.ts'
import { contentId, normaliseContent } from '../domain/text.ts'
import type { Ids } from '../ports/ids.ts'
import type { StoreReader } from '../ports/store.ts'

/** How many lives of a text have an id that can be computed; later ones are random and not found again by their text. */
const LIVES = 8

/** The id of the first life of a text: the hash of the content. */
export function firstLifeId(content: string, ids: Ids): string {
  return contentId(content, ids.sha256)
}

/** Ids of its second, third … life. */
export function laterLifeIds(content: string, ids: Ids): string[] {
  const text = normaliseContent(content)
  return Array.from({ length: LIVES - 1 }, (_, n) => ids.sha256(`${text}\0${n + 1}`).slice(0, 16))
}

/** Whether the block is alive and says the same; its id alone does not tell, because contents are edited. */
export function isTwin(block: Block, content: string): boolean {
  return block.status !== 'archived' && normaliseContent(block.content) === normaliseContent(content)
}

/** Another living block that was remembered with this very text, if any. One statement. */
export async function findTwin(
  tx: StoreReader,
  content: string,
  { ids, except }: { readonly ids: Ids; readonly except: string },
): Promise<Block | undefined> {
  const blocks = await tx.blocks([firstLifeId(content, ids), ...laterLifeIds(content, ids)])
  return blocks.find((block) => block.id !== except && isTwin(block, content))
}
