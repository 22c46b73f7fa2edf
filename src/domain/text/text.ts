import { splitWhitespace, trimWhitespace } from './whitespace.ts'

/** Signs of a name that somebody else chose, where a sentence repeats it. */
const NAME_MAX = 60

/** Returns the form that equal contents share: ends trimmed, lower case, nothing else (Python elfmem). */
export function normaliseContent(text: string): string {
  return trimWhitespace(text).toLowerCase()
}

/** The id of a first copy of a content: the first 16 hex digits of sha256 over its normalised UTF-8 (Python elfmem). */
export function contentId(content: string, sha256Hex: (text: string) => string): string {
  return sha256Hex(normaliseContent(content)).slice(0, 16)
}

/** True if a text comes back from a store as it was: no NUL, no half of a character. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** How many Unicode code points a text has; a lone surrogate counts as one. */
export function codePointLength(text: string): number {
  let length = 0
  for (let at = 0; at < text.length; length++) at += unitsAt(text, at)
  return length
}

/** Tokens of a text, estimated as floor(code points / 4) (Python elfmem). */
export function estimateTokens(text: string): number {
  return Math.floor(codePointLength(text) / 4)
}

/** The first `count` code points of a text, never half a character; the whole text when it has no more. */
export function takeCodePoints(text: string, count: number): string {
  let at = 0
  for (let taken = 0; taken < count && at < text.length; taken++) at += unitsAt(text, at)
  return text.slice(0, at)
}

/** One line of at most `count` code points; white space becomes single spaces, and `…` marks a cut. */
export function preview(text: string, count: number): string {
  const line = splitWhitespace(text).join(' ')
  if (codePointLength(line) <= count) return line
  return count < 1 ? '' : `${takeCodePoints(line, count - 1)}…`
}

/** A text of at most `most` code points; `…` marks a cut. */
export function shortened(text: string, most: number): string {
  // As many units are no more code points, and twice as many no fewer.
  if (text.length <= most || (text.length <= 2 * most && codePointLength(text) <= most)) return text
  return `${takeCodePoints(text, most - 1)}…`
}

/** A name as a sentence repeats it. */
export function shortName(name: string): string {
  return shortened(name, NAME_MAX)
}

function unitsAt(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

/** The text without this sign at its end, however often it stands there. */
export function withoutEnd(text: string, sign: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === sign) end--
  return text.slice(0, end)
}

/** The source of a regular expression that matches exactly this text. */
export function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
