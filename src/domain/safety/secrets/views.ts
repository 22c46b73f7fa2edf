import { stripInvisible } from '../visible.ts'

/** A text as its reader sees it. */
export interface View {
  readonly text: string
  /** For each place of `text`, and for its end, the place of the original that it comes from. */
  readonly origins: Int32Array
  /** Places of `text` where a line ended and nothing says that it goes on, rising. */
  readonly seams: readonly number[]
}

/** A part of a text that is left out. */
interface Gap {
  readonly start: number
  readonly end: number
  readonly isSeam: boolean
}

/** Signs that tokens are made of. */
const TOKEN_SIGN = /[\w+/=.~-]/
/** Fewer signs at the end of a line are no part of a token. */
const LEAST_PART = 4
/** A line of a token is not longer than what is looked at to know it. */
const LOOKED_AT = 48

/** A text without what is invisible, and that with broken lines put together; none that is the text itself. In linear time. */
export function viewsOf(text: string): readonly View[] {
  const visible = stripInvisible(text).text
  const seen: View[] =
    visible === text ? [] : [{ text: visible, origins: originsOf(text, visible), seams: [] }]
  const gaps = gapsOf(visible)
  return gaps.length === 0 ? seen : [...seen, withoutGaps(visible, gaps, seen[0]?.origins)]
}

function withoutGaps(text: string, gaps: readonly Gap[], given?: Int32Array): View {
  const origins = new Int32Array(text.length + 1)
  const seams: number[] = []
  const parts: string[] = []
  let [from, to] = [0, 0]
  for (const { start, end, isSeam } of [...gaps, { start: text.length, end: text.length, isSeam: false }]) {
    parts.push(text.slice(from, start))
    for (; from < start; from++) origins[to++] = given?.[from] ?? from
    if (isSeam) seams.push(to)
    from = end
  }
  origins[to] = given?.[text.length] ?? text.length
  return { text: parts.join(''), origins, seams }
}

/** Where each sign of the visible text stands in the original, which has more signs in between. */
function originsOf(text: string, visible: string): Int32Array {
  const origins = new Int32Array(visible.length + 1)
  let at = 0
  for (let to = 0; to < visible.length; to++) {
    const sign = visible.charCodeAt(to)
    while (at < text.length && !isSame(text.charCodeAt(at), sign)) at++
    origins[to] = Math.min(at, text.length)
    at++
  }
  origins[visible.length] = text.length
  return origins
}

/** Line ends of all systems become one, and halves of a pair the replacement character. */
function isSame(original: number, visible: number): boolean {
  if (original === visible) return true
  if (visible === 0x0a) return [0x0b, 0x0c, 0x0d, 0x85, 0x2028, 0x2029].includes(original)
  return visible === 0xfffd && original >= 0xd800 && original <= 0xdfff
}

/** A line that says itself that it goes on: with a backslash, quoted-printable, or as a sum of two literals. */
const CONTINUED =
  /\\\n[ \t]{0,32}|=\n(?=[\w+/=-])|(?<=[\w+/=.-])["'`](?:[ \t]{0,8}[+.&][ \t]{0,8}|[ \t]{0,8}[+.&\\]?[ \t]{0,8}\n[ \t]{0,32}(?:[+.&][ \t]{0,8})?)["'`](?=[\w+/=.-])/g
/** A line that a program broke, perhaps indented or quoted as in a mail. */
const BROKEN = /\n(?:[ \t]{0,24}|(?:> ?){1,4})(?=[\w+/=-])/y

function gapsOf(text: string): Gap[] {
  const gaps: Gap[] = []
  if (/[\n"'`]/.test(text))
    for (const match of text.matchAll(CONTINUED))
      gaps.push({ start: match.index, end: match.index + match[0].length, isSeam: false })
  const continued = new Set(gaps.map(({ end }) => end))
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    BROKEN.lastIndex = at
    const end = at + (BROKEN.exec(text)?.[0].length ?? 0)
    if (end > at && !continued.has(end) && endsInToken(text, at)) gaps.push({ start: at, end, isSeam: true })
  }
  return gaps
    .sort((a, b) => a.start - b.start)
    .filter(({ start }, nth, all) => start >= (all[nth - 1]?.end ?? 0))
}

/** True if what stands before a line break looks like the beginning of a token rather than like a word. */
function endsInToken(text: string, end: number): boolean {
  let start = end
  while (start > 0 && end - start < LOOKED_AT && TOKEN_SIGN.test(text.charAt(start - 1))) start--
  const part = text.slice(start, end)
  return (
    part.length >= LEAST_PART &&
    (/\d/.test(part) || /[a-z][A-Z]|\w[-_]\w/.test(part) || /[A-Z]{8}/.test(part))
  )
}
