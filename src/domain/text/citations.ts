/** A number or several between brackets, as in [2] or [1, 3]. */
const NUMBERS = /\[(\d{1,3}(?: ?, ?\d{1,3}){0,20})\]/g
/** A block's id or its first eight characters, standing alone. */
const ID = /(?<![0-9a-z])[0-9a-f]{8}(?:[0-9a-f]{8})?(?![0-9a-z])/g
/** Shorter words stand in every text. */
const TELLING_LENGTH = 4
/** Share of its telling words that an answer has in common with what it was made of. */
const SAID_AGAIN = 0.6
const WORD = /[\p{L}\p{N}]+/gu

/**
 * The ids that an answer cites, in the order of `shown`: by their place in what was shown, `[1]` being the first, or by
 * themselves. Cost: one pass over the answer.
 */
export function citedIn(answer: string, shown: readonly string[]): string[] {
  const places = new Set(
    [...answer.matchAll(NUMBERS)].flatMap(([, numbers = '']) => numbers.split(',').map(Number)),
  )
  const named = new Set(answer.match(ID))
  return shown.filter((id, i) => places.has(i + 1) || named.has(id) || named.has(id.slice(0, 8)))
}

/** True if most of a text's telling words stand in an answer: it was used, whether or not it was right. */
export function isSaidAgain(text: string, answer: ReadonlySet<string>): boolean {
  const words = tellingWords(text)
  let common = 0
  for (const word of words) if (answer.has(word)) common++
  return words.size > 0 && common / words.size >= SAID_AGAIN
}

/** The different words of a text that tell something. */
export function tellingWords(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(WORD) ?? []
  return new Set(words.filter((word) => word.length >= TELLING_LENGTH || /\p{N}/u.test(word)))
}
