import { normalised } from '../text/text.ts'

/** A run of characters of words, paths, addresses and flags. */
const TOKEN = /[\p{L}\p{N}_.~/@\\:-]+/gu
/** Numbers with commas between thousands: the commas go. */
const THOUSANDS = /(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g
/** Signs that belong to the sentence around a token, or to a path from elsewhere. */
const OUTER_SIGNS: ReadonlySet<string> = new Set(['.', ':', '/', '\\', '~', '@', '-'])
const SEPARATOR = /[/\\:@]+/u
const SLASH = /[/\\]+/u
const DIGITS = /\p{Nd}/gu
const DIGIT_FIRST = /^\p{Nd}/u
const LETTER_FIRST = /^\p{L}/u
const FLAG = /^--\p{L}[\p{L}\p{N}-]+$/u
const SNAKE = /[\p{L}\p{N}]_+[\p{L}\p{N}]/u
/** `openMemory`, and not `iPhone`. */
const CAMEL = /^\p{Ll}{2,}\p{N}*\p{Lu}/u
const HUMP = /\p{Lu}/gu
const INNER_LETTER = /\p{L}\p{Lu}\p{Ll}/u
const DOTTED = /[\p{L}\p{N}]{2}\.[\p{L}\p{N}]{2}/u
const AT = /[\p{L}\p{N}]@[\p{L}\p{N}]/u
const SLASHES = /[/\\]/gu
/** Longer ones are encoded data. */
const LONGEST = 200
/** Ends of a path that may be written in place of the whole. */
const ENDS_MOST = 6
/** Digits of a number that is no count, size or line of something else by accident. */
const TELLING_DIGITS = 3

/**
 * The identifiers, paths and numbers of a text in lower case, each once: what is written down to name one thing. Of a
 * path also its ends (`ship.sh` of `scripts/ship.sh`), of an address its parts (`4210` of `localhost:4210`). A number needs
 * three digits, because small ones stand everywhere. One pass over the text.
 */
export function identifiersIn(text: string): ReadonlySet<string> {
  const found = new Set<string>()
  const plain = normalised(text, 'NFKC').replace(THOUSANDS, (number) => number.replaceAll(',', ''))
  for (const [token] of plain.matchAll(TOKEN)) {
    if (token.length > LONGEST) continue
    for (const form of formsOf(token)) if (isIdentifier(form)) found.add(form.toLowerCase())
  }
  return found
}

/** The token, and what may stand in its place. */
function formsOf(token: string): readonly string[] {
  if (FLAG.test(token)) return [token]
  const whole = withoutOuter(token)
  if (!SEPARATOR.test(whole)) return [whole]
  const labels = whole.split(SLASH)
  const ends = labels.slice(-ENDS_MOST).map((_, at, last) => last.slice(at).join('/'))
  const parts = [...labels, ...whole.split(SEPARATOR)].map(withoutOuter)
  return [whole.replaceAll('\\', '/'), ...ends, ...parts]
}

function withoutOuter(token: string): string {
  let [from, to] = [0, token.length]
  while (from < to && OUTER_SIGNS.has(token.charAt(from))) from++
  while (to > from && OUTER_SIGNS.has(token.charAt(to - 1))) to--
  return token.slice(from, to)
}

function isIdentifier(token: string): boolean {
  if (FLAG.test(token) || SNAKE.test(token)) return true
  const digits = token.match(DIGITS)?.length ?? 0
  if (DIGIT_FIRST.test(token)) return digits >= TELLING_DIGITS
  if (digits > 0 && LETTER_FIRST.test(token) && token.length >= TELLING_DIGITS) return true
  if (CAMEL.test(token)) return true
  if (INNER_LETTER.test(token) && (token.match(HUMP)?.length ?? 0) >= 3) return true
  if (DOTTED.test(token) || AT.test(token)) return true
  // Of one slash both sides may be plain words: "and/or".
  return (token.match(SLASHES)?.length ?? 0) >= 2
}
