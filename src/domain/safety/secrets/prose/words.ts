import type { Span } from '../rule.ts'

/** A row of signs between spaces. */
export interface Word extends Span {
  readonly text: string
  /** True if a line ended before it. */
  readonly isOnNextLine: boolean
}

/**
 * The content of a word without the signs of its sentence; in quotes everything up to the last one, on the same
 * line.
 */
export interface Value extends Span {
  readonly isQuoted: boolean
}

const LONGEST_QUOTED = 130
const LONGEST_WORD = 600

function isSpace(text: string, at: number): boolean {
  const sign = text.charCodeAt(at)
  return sign <= 32 || sign === 0xa0 || sign === 0x3000 || sign === 0x202f
}

/** The word behind a place, which begins before `most`. */
export function wordAfter(text: string, from: number, most: number): Word | undefined {
  const last = Math.min(text.length, most)
  let start = from
  let isOnNextLine = false
  for (; start < last && isSpace(text, start); start++) isOnNextLine ||= text.charCodeAt(start) === 10
  if (start >= last) return undefined
  const longest = Math.min(text.length, start + LONGEST_WORD)
  let end = start
  while (end < longest && !isSpace(text, end)) end++
  return { text: text.slice(start, end), start, end, isOnNextLine }
}

/** The word before a place on the same line, which ends behind `least`. */
export function wordBefore(text: string, to: number, least: number): Word | undefined {
  const first = Math.max(0, least)
  let end = to
  while (end > first && ' \t"\'`*_('.includes(text.charAt(end - 1))) end--
  if (end <= first || isSpace(text, end - 1)) return undefined
  const longest = Math.max(0, end - LONGEST_WORD)
  let start = end
  while (start > longest && !isSpace(text, start - 1)) start--
  return { text: text.slice(start, end), start, end, isOnNextLine: false }
}

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '„': '“',
  '«': '»',
  '‹': '›',
  '‘': '’',
  '「': '」',
  '『': '』',
}

/** Returns what a word of `text` says that begins at `at`. */
export function valueIn(text: string, at: number, word: string): Value {
  const emphasis = /^[*_([]{0,3}/.exec(word)?.[0].length ?? 0
  const closing = CLOSING[word.charAt(emphasis)]
  if (closing !== undefined) {
    const start = at + emphasis + 1
    const inside = text.slice(start, start + LONGEST_QUOTED)
    const length = inside.indexOf(closing)
    if (length > 0 && !inside.slice(0, length).includes('\n'))
      return { start, end: start + length, isQuoted: true }
  }
  const trailing = /[.,;:)\]}»”"'`。、]{0,4}$/.exec(word.slice(-4))?.[0].length ?? 0
  const rest = word.slice(0, word.length - trailing)
  const stars = emphasis > 0 ? (/[*_]{0,3}$/.exec(rest.slice(-3))?.[0].length ?? 0) : 0
  return { start: at + emphasis, end: at + rest.length - stars, isQuoted: false }
}

const GLUED = /[^!-~\n。！？]{0,24}[:=："“「『'`]{0,2}[ \u3000]?(?<value>[!-~]{5,128})/y

/** In a script without spaces the row of Latin signs that follows in the same sentence, if it is a value. */
export function gluedValue(
  text: string,
  from: number,
  accepts: (value: string) => boolean,
): Span | undefined {
  GLUED.lastIndex = from
  const match = GLUED.exec(text)
  const value = match?.groups?.value
  if (match === null || value === undefined) return undefined
  const end = match.index + match[0].length
  const inside = valueIn(text, end - value.length, value)
  return accepts(text.slice(inside.start, inside.end)) ? inside : undefined
}
