import type { Block } from '../../domain/block/block.ts'
import { isSameText } from '../../domain/text/same-text.ts'
import { contentId, normaliseContent } from '../../domain/text/text.ts'
import type { Ids } from '../../ports/ids.ts'
import type { SaidText, StoreReader } from '../../ports/store/transaction.ts'

/** Lives of a text whose ids are computed; later ones get random ids. */
const LIVES = 8

/**
 * The id a text gets where it can: the hash of its lower-cased content (Python elfmem). In a scope that of the content
 * and the scope, so that the same text in two scopes is two blocks.
 */
export function firstLifeId({ content, scope }: SaidText, ids: Ids): string {
  if (scope === undefined) return contentId(content, ids.sha256)
  return ids.sha256(salted(normaliseContent(content), scope)).slice(0, 16)
}

/** The id of a text whose first one belongs to another text, such as one in other case. */
export function exactId({ content, scope }: SaidText, ids: Ids): string {
  return ids.sha256(salted(`${content}\0exact`, scope)).slice(0, 16)
}

/** Ids of a text that cannot have its first one: the exact one, then those of its second, third … life. */
export function otherIds(text: SaidText, ids: Ids): string[] {
  const lower = salted(normaliseContent(text.content), text.scope)
  const later = Array.from({ length: LIVES - 1 }, (_, n) => ids.sha256(`${lower}\0${n + 1}`).slice(0, 16))
  return [exactId(text, ids), ...later]
}

function salted(text: string, scope: string | undefined): string {
  return scope === undefined ? text : `${text}\0scope ${scope}`
}

/**
 * The first id of a text that is free: an archived block that says the same keeps its own, so a later life follows; what
 * says something else leaves the exact one.
 */
export function freeId(text: SaidText, blocks: ReadonlyMap<string, Block>, ids: Ids): string {
  const first = firstLifeId(text, ids)
  const there = blocks.get(first)
  if (there === undefined) return first
  const [exact, ...later] = otherIds(text, ids)
  const wanted = isSameText(there.content, text.content) ? later : [exact, ...later]
  return wanted.find((id) => id !== undefined && !blocks.has(id)) ?? ids.random()
}

/** Blocks by id: those of the store with these ids, and those given. At most one statement. */
export async function blocksById(
  tx: StoreReader,
  ids: readonly string[],
  given: readonly Block[] = [],
): Promise<Map<string, Block>> {
  const found = ids.length === 0 ? [] : await tx.blocks(ids)
  return new Map([...given, ...found].map((block) => [block.id, block]))
}

/** Another living block of its scope that says the same as a block, if any. One statement. */
export async function findSameContent(tx: StoreReader, block: Block): Promise<Block | undefined> {
  return (await tx.sameTexts([block])).find(({ id }) => id !== block.id)
}
