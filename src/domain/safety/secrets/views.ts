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
  const whole = withoutGaps(visible, seen[0]?.origins)
  return whole === undefined ? seen : [...seen, whole]
}

/** Undefined if nothing is left out. */
function withoutGaps(text: string, given?: Int32Array): View | undefined {
  let origins: Int32Array | undefined
  const seams: number[] = []
  const parts: string[] = []
  let [from, to] = [0, 0]
  const take = (end: number, into: Int32Array) => {
    if (end > from) parts.push(text.slice(from, end))
    for (; from < end; from++) into[to++] = given?.[from] ?? from
  }
  for (const { start, end, isSeam } of gapsOf(text)) {
    origins ??= new Int32Array(text.length + 1)
    take(start, origins)
    if (isSeam) seams.push(to)
    from = end
  }
  if (origins === undefined) return undefined
  take(text.length, origins)
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

/** In the order in which they begin, one at a time: a text may have a million. */
function* gapsOf(text: string): Generator<Gap, undefined> {
  let before = 0
  let lastSaid = -1
  for (const gap of inOrder(linesSayingSo(text), linesBroken(text))) {
    if (!gap.isSeam) lastSaid = gap.end
    else if (gap.end === lastSaid) continue
    if (gap.start >= before) yield gap
    before = gap.end
  }
}

/** Both in one order; of two that begin together the first's is first. */
function* inOrder(first: Iterator<Gap>, second: Iterator<Gap>): Generator<Gap, undefined> {
  let [one, other] = [first.next(), second.next()]
  while (!one.done || !other.done) {
    if (other.done || (!one.done && one.value.start <= other.value.start)) {
      yield one.value
      one = first.next()
    } else {
      yield other.value
      other = second.next()
    }
  }
}

function* linesSayingSo(text: string): Generator<Gap, undefined> {
  if (!/[\n"'`]/.test(text)) return
  for (const match of text.matchAll(CONTINUED))
    yield { start: match.index, end: match.index + match[0].length, isSeam: false }
}

function* linesBroken(text: string): Generator<Gap, undefined> {
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    BROKEN.lastIndex = at
    const end = at + (BROKEN.exec(text)?.[0].length ?? 0)
    if (end > at && endsInToken(text, at)) yield { start: at, end, isSeam: true }
  }
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
