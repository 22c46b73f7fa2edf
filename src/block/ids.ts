import type { Block } from './block.ts'
import { contentId, normaliseContent } from './text.ts'

/** A text, and the scope it is said in, if any. */
type Said = Pick<Block, 'content' | 'scope'>
type Sha256Hex = (text: string) => string

/** Lives of a text whose ids are computed; later ones get random ids. */
const LIVES = 8

/**
 * The id a text gets where it can: the hash of its lower-cased content (Python elfmem). In a scope that of the content
 * and the scope, so that the same text in two scopes is two blocks.
 */
export function firstId({ content, scope }: Said, sha256Hex: Sha256Hex): string {
  if (scope === undefined) return contentId(content, sha256Hex)
  return sha256Hex(salted(normaliseContent(content), scope)).slice(0, 16)
}

/** The id of a text whose first one belongs to another text, such as one in other case. */
function exactId({ content, scope }: Said, sha256Hex: Sha256Hex): string {
  return sha256Hex(salted(`${content}\0exact`, scope)).slice(0, 16)
}

/** Ids of a text that cannot have its first one: the exact one, then those of its second, third … life. */
export function otherIds(text: Said, sha256Hex: Sha256Hex): string[] {
  const lower = salted(normaliseContent(text.content), text.scope)
  const later = Array.from({ length: LIVES - 1 }, (_, n) => sha256Hex(`${lower}\0${n + 1}`).slice(0, 16))
  return [exactId(text, sha256Hex), ...later]
}

function salted(text: string, scope: string | undefined): string {
  return scope === undefined ? text : `${text}\0scope ${scope}`
}
