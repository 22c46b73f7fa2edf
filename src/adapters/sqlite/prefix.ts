const LAST = 0x10ffff
const BEFORE_SURROGATES = 0xd7ff
const AFTER_SURROGATES = 0xe000

/**
 * The smallest string after all strings that begin with `prefix`, in the order of code points, which is SQLite's order
 * of UTF-8 bytes: so a prefix is a range and no character is a wildcard.
 */
export function prefixEnd(prefix: string): string {
  const points = [...prefix].map((character) => character.codePointAt(0) as number)
  for (let index = points.length - 1; index >= 0; index -= 1) {
    const point = points[index] as number
    if (point < LAST) {
      const next = point === BEFORE_SURROGATES ? AFTER_SURROGATES : point + 1
      return String.fromCodePoint(...points.slice(0, index), next)
    }
  }
  return String.fromCodePoint(LAST, LAST)
}
