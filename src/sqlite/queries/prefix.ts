const LAST = 0x10ffff
const BEFORE_SURROGATES = 0xd7ff
const AFTER_SURROGATES = 0xe000

/**
 * The smallest string after all strings that begin with `prefix`, in the order of code points, which is SQLite's order
 * of UTF-8 bytes: so a prefix is a range and no character is a wildcard.
 */
export function prefixEnd(prefix: string): string {
  // A prefix may be as long as a whole text: a list of its characters would not fit the stack.
  for (let end = prefix.length; end > 0; ) {
    const start = end - (isPair(prefix, end - 2) ? 2 : 1)
    const point = prefix.codePointAt(start) as number
    if (point < LAST) {
      const next = point === BEFORE_SURROGATES ? AFTER_SURROGATES : point + 1
      return prefix.slice(0, start) + String.fromCodePoint(next)
    }
    end = start
  }
  return String.fromCodePoint(LAST, LAST)
}

/** True if a character of two halves begins there. */
function isPair(text: string, at: number): boolean {
  return at >= 0 && (text.codePointAt(at) as number) > 0xffff
}
