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
  return `${shortId(id)}#${sha256(content).slice(0, SHORT)}`
}

/** The rule that tells a block that a caller has already, by marks or by beginnings of ids; those stand for any words. */
export function isShownBy(marks: readonly string[], sha256: Sha256Hex): (block: ShownBlock) => boolean {
  const known = marks.map((mark) => mark.split('#') as [id: string, words?: string])
  return ({ id, content }) =>
    known.some(([start, words = '']) => id.startsWith(start) && sha256(content).startsWith(words))
}
