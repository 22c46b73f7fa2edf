import type { Block } from '../../domain/block/block.ts'
import { contentId, normaliseContent } from '../../domain/text/text.ts'
import type { Ids } from '../../ports/ids.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'

/** How many lives of a text have an id that can be computed; later ones are random and not found again by their text. */
const LIVES = 8

/** A text, and the scope it is said in. */
type ScopedText = Pick<Block, 'content' | 'scope'>

/**
 * The id of the first life of a text: the hash of the content. In a scope that of the content and the scope, so that the
 * same text in two scopes is two blocks.
 */
export function firstLifeId({ content, scope }: ScopedText, ids: Ids): string {
  if (scope === undefined) return contentId(content, ids.sha256)
  return ids.sha256(salted({ content, scope })).slice(0, 16)
}

/** Ids of its second, third … life. */
export function laterLifeIds(text: ScopedText, ids: Ids): string[] {
  return Array.from({ length: LIVES - 1 }, (_, n) => ids.sha256(`${salted(text)}\0${n + 1}`).slice(0, 16))
}

function salted({ content, scope }: ScopedText): string {
  const text = normaliseContent(content)
  return scope === undefined ? text : `${text}\0scope ${scope}`
}

/** True if the block is alive and says the same; its id alone does not tell, because contents are edited. */
export function hasSameContent(block: Block, content: string): boolean {
  return block.status !== 'archived' && normaliseContent(block.content) === normaliseContent(content)
}

/** Another living block of its scope that was remembered with the block's very text, if any. One statement. */
export async function findSameContent(tx: StoreReader, block: Block, ids: Ids): Promise<Block | undefined> {
  const lives = await tx.blocks([firstLifeId(block, ids), ...laterLifeIds(block, ids)])
  return lives.find((life) => life.id !== block.id && hasSameContent(life, block.content))
}
