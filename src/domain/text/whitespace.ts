/** Inclusive ranges of the UTF-16 units that count as white space. */
const RANGES: readonly (readonly [number, number])[] = [
  [0x09, 0x0d],
  [0x1c, 0x20],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
]

/**
 * True if a UTF-16 unit is white space to Python's `str.strip`: Unicode white space with U+001C–U+001F and U+0085,
 * without U+FEFF. JavaScript's `trim` differs on exactly those, and ids depend on it (golden `contentHash`).
 */
export function isWhitespace(unit: number): boolean {
  return RANGES.some(([first, last]) => unit >= first && unit <= last)
}

/** The text without white space at its ends. */
export function trimWhitespace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isWhitespace(text.charCodeAt(start))) start++
  while (end > start && isWhitespace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/** The runs of anything but white space, in order; an empty text has none. */
export function splitWhitespace(text: string): string[] {
  const words: string[] = []
  let start = -1
  for (let at = 0; at <= text.length; at++) {
    const inside = at < text.length && !isWhitespace(text.charCodeAt(at))
    if (inside && start < 0) start = at
    if (!inside && start >= 0) {
      words.push(text.slice(start, at))
      start = -1
    }
  }
  return words
}
