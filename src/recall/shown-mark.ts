/** A block as it stands in a conversation. */
interface ShownBlock {
  readonly id: string
  readonly content: string
}
type Sha256Hex = (text: string) => string

/** Characters that tell a block from others of a memory, and its words from others it had. */
const SHORT = 8

/** The beginning of an id, as a fence names it. */
export function shortId(id: string): string {
  return id.slice(0, SHORT)
}

/** A block as it was shown, which it is no more once it has other words: the form that `recall` leaves out by. */
export function shownMark({ id, content }: ShownBlock, sha256: Sha256Hex): string {
  return shortId(id) + wordsMark(content, sha256)
}

/** The same of whatever block says these words. */
export function wordsMark(content: string, sha256: Sha256Hex): string {
  return `#${sha256(content).slice(0, SHORT)}`
}

/**
 * The rule that tells a block that a caller has already, by marks, by beginnings of ids or by marks of words alone; an id
 * stands for any words, words for any block.
 */
export function isShownBy(marks: readonly string[], sha256: Sha256Hex): (block: ShownBlock) => boolean {
  const known = marks.map((mark) => mark.split('#') as [id: string, words?: string])
  return ({ id, content }) => {
    let hash: string | undefined
    const has = (words: string) => {
      hash ??= sha256(content)
      return hash.startsWith(words)
    }
    return known.some(([start, words]) => id.startsWith(start) && (words === undefined || has(words)))
  }
}
