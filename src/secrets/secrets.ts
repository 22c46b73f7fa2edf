import { stripInvisible } from '../block/text.ts'
import { SECRET_RULES } from './rules.ts'
import { REDACTED, type SecretRule, type Span } from './values.ts'

export interface Redacted {
  readonly text: string
  /** The secrets by kind, in the order of the first of each; empty if nothing was found. */
  readonly found: readonly { readonly kind: string; readonly count: number }[]
  readonly first?: FoundSecret
}

/** A mark may end one secret and show another beside it, which is then found; no text needs more turns. */
const MOST_TURNS = 8

/**
 * Puts `[redacted: <kind>]` in the place of what looks like a secret; all else stays as it is, and so does the very text
 * when there is none. Takes time in proportion to the text (some 10 ms a megabyte), whatever it holds. A secret without a
 * known shape or a telling name beside it stays. Doing it twice changes nothing more.
 */
export function redactSecrets(text: string): Redacted {
  const steps = redactInSteps(text)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** Takes the secrets out of a text step by step, so that others may have their turn; yields the UTF-16 units looked at since. */
export function* redactInSteps(text: string): Generator<number, Redacted> {
  const counts = new Map<string, number>()
  let first: FoundSecret | undefined
  let redacted = text
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const found = yield* findSecrets(redacted)
    if (found.length === 0) break
    for (const { kind } of found) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    if (first === undefined || (found[0] as FoundSecret).start < first.start) first = found[0]
    redacted = marked(redacted, found)
  }
  return {
    text: redacted,
    found: [...counts].map(([kind, count]) => ({ kind, count })),
    ...(first === undefined ? {} : { first }),
  }
}

function marked(text: string, found: readonly FoundSecret[]): string {
  const parts: string[] = []
  let from = 0
  for (const { kind, start, end } of found) {
    parts.push(text.slice(from, start), `${REDACTED}${kind}]`)
    from = end
  }
  return [...parts, text.slice(from)].join('')
}

interface FoundSecret extends Span {
  readonly kind: string
}

/** A text that a rule takes for a secret; of two that overlap, the one of the earlier rule counts. */
interface Candidate extends Span {
  readonly rule: number
}

const LONGEST_MARK = 64
/** Signs looked at between two steps: up to some 20 ms of a text that is nothing but names of secrets. */
const STEP = 16_384
/** The number of signs that a rule may look at before its keyword. */
const LOOKED_BACK = 512
/** A value that only its name makes a secret is a line of a broken token from this length on. */
const LEAST_GUESSED_LINE = 16

let scan: KeywordScan | undefined

/** Returns the scan for all keywords. It is made when first needed: most runs of a command look through nothing. */
function keywords(): KeywordScan {
  if (scan !== undefined) return scan
  const rulesOf = new Map<string, number[]>()
  for (const [nth, { keywords }] of SECRET_RULES.entries())
    for (const keyword of keywords) {
      const known = rulesOf.get(keyword)
      if (known === undefined) rulesOf.set(keyword, [nth])
      else if (known.at(-1) !== nth) known.push(nth)
    }
  scan = new KeywordScan(rulesOf)
  return scan
}

/**
 * Finds the secrets of a text, the first one first, none over another. Yields the number of signs looked at since. Takes time
 * in proportion to the text, whatever it holds.
 */
function* findSecrets(text: string): Generator<number, readonly FoundSecret[]> {
  const candidates = yield* candidatesIn(text)
  for (const view of viewsOf(text))
    for (const { rule, start, end } of yield* candidatesIn(view.text, view.seams))
      candidates.push({ rule, start: view.origins[start] ?? 0, end: endIn(view, end) })
  return withoutOverlaps(text, candidates)
}

/** Returns the end of a secret in the original: where lines were put together, the next sign may stand far behind it. */
function endIn({ origins, seams }: View, end: number): number {
  return seams.length === 0 ? (origins[end] ?? 0) : (origins[end - 1] ?? 0) + 1
}

function* candidatesIn(text: string, seams: readonly number[] = []): Generator<number, Candidate[]> {
  const candidates: Candidate[] = []
  for (let from = 0; from < text.length; from += STEP) {
    const to = Math.min(text.length, from + STEP)
    for (const hit of keywords().hits(text, from, to).filter(({ at }) => !isInMark(text, at)))
      for (const rule of hit.rules)
        for (const span of (SECRET_RULES[rule] as SecretRule).find(text, hit.at, hit.length)) {
          const end = seams.length === 0 ? span.end : wholeEnd(text, span, { hit, rule, seams })
          candidates.push({ rule, start: span.start, end })
        }
    yield to - from
  }
  return candidates
}

interface Place {
  readonly hit: KeywordHit
  readonly rule: number
  readonly seams: readonly number[]
}

/** True inside a mark, which names a kind of secret and is none. */
function isInMark(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - LONGEST_MARK), at)
  const start = before.lastIndexOf('[')
  return start >= 0 && before.startsWith(REDACTED, start) && !before.includes(']', start)
}

/** Returns the end of a secret over several lines: a secret that is whole at the end of a line does not go on. */
function wholeEnd(text: string, span: Span, { hit, rule: nth, seams }: Place): number {
  const rule = SECRET_RULES[nth] as SecretRule
  for (let next = firstAfter(seams, span.start); (seams[next] ?? span.end) < span.end; next++) {
    const seam = seams[next] as number
    if (rule.isGuess && seam - span.start < LEAST_GUESSED_LINE) return seam
    const rest = text.slice(seam, Math.min(span.end, seams[next + 1] ?? span.end))
    if (rest.length >= 8 && /\d/.test(rest) && /[A-Za-z]/.test(rest)) continue
    const from = Math.max(0, hit.at - LOOKED_BACK)
    if (rule.find(text.slice(from, seam), hit.at - from, hit.length).length > 0) return seam
  }
  return span.end
}

/** Returns the place of the first of rising numbers that is greater, by halving. */
function firstAfter(rising: readonly number[], number: number): number {
  let [low, high] = [0, rising.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rising[middle] as number) > number) high = middle
    else low = middle + 1
  }
  return low
}

function withoutOverlaps(text: string, candidates: Candidate[]): readonly FoundSecret[] {
  if (candidates.length === 0) return []
  const isTaken = new Uint8Array(text.length)
  const found: FoundSecret[] = []
  candidates.sort((a, b) => a.rule - b.rule || b.end - b.start - (a.end - a.start) || a.start - b.start)
  for (const { rule, start, end } of candidates) {
    if (end <= start || isTaken.subarray(start, end).includes(1)) continue
    isTaken.fill(1, start, end)
    found.push({ kind: (SECRET_RULES[rule] as SecretRule).kind, start, end })
  }
  return found.sort((a, b) => a.start - b.start)
}

interface KeywordHit {
  readonly at: number
  readonly length: number
  readonly rules: readonly number[]
}

const TRIGRAMS = 1 << 15
const LEAST_LENGTH = 3

/**
 * Finds keywords in a text in one pass, whatever their case. A table over three signs, five bits each, lets nearly all
 * places of ordinary text pass with one look. The low five bits of a letter are the same in both cases.
 */
class KeywordScan {
  /** Number of the bucket of each trigram; 0 is none. */
  readonly #bucketOf = new Uint16Array(TRIGRAMS)
  readonly #buckets: (readonly [keyword: string, rules: readonly number[]])[][] = [[]]

  /** Keywords are in lower case and have three UTF-16 units or more. */
  constructor(rulesOf: ReadonlyMap<string, readonly number[]>) {
    for (const [keyword, rules] of rulesOf) {
      if (keyword.length < LEAST_LENGTH || keyword !== keyword.toLowerCase())
        throw new Error(`No keyword: ${keyword}`)
      // Outside of ASCII, capitals may differ in these bits.
      const capital = keyword.charAt(0).toUpperCase() + keyword.slice(1)
      for (const trigram of new Set([keyword, capital, keyword.toUpperCase()].map(trigramOf))) {
        const bucket = this.#buckets[this.#bucketOf[trigram] || -1]
        if (bucket !== undefined) bucket.push([keyword, rules])
        else this.#bucketOf[trigram] = this.#buckets.push([[keyword, rules]]) - 1
      }
    }
  }

  /** Returns the keywords that begin in `text` from `from` to before `to`, in the order of their places. */
  hits(text: string, from: number, to: number): KeywordHit[] {
    const found: KeywordHit[] = []
    const bucketOf = this.#bucketOf
    const last = Math.min(text.length, to + LEAST_LENGTH - 1)
    let trigram = 0
    for (let at = from; at < last; at++) {
      trigram = ((trigram << 5) | (text.charCodeAt(at) & 31)) & (TRIGRAMS - 1)
      const number = bucketOf[trigram] as number
      if (number === 0 || at - from < LEAST_LENGTH - 1) continue
      const start = at - LEAST_LENGTH + 1
      for (const [keyword, rules] of this.#buckets[number] ?? [])
        if (beginsAt(text, start, keyword)) found.push({ at: start, length: keyword.length, rules })
    }
    return found
  }
}

function trigramOf(text: string): number {
  let trigram = 0
  for (let at = 0; at < LEAST_LENGTH; at++) trigram = (trigram << 5) | (text.charCodeAt(at) & 31)
  return trigram
}

function beginsAt(text: string, start: number, keyword: string): boolean {
  for (let at = 0; at < keyword.length; at++) {
    const sign = text.charCodeAt(start + at)
    const wanted = keyword.charCodeAt(at)
    if (sign === wanted || (sign >= 65 && sign <= 90 && sign + 32 === wanted)) continue
    if (!(sign > 127) || String.fromCharCode(sign).toLowerCase() !== keyword.charAt(at)) return false
  }
  return true
}

interface View {
  readonly text: string
  /** Place of the original that each place of `text`, and its end, comes from. */
  readonly origins: Int32Array
  /** Places of `text` where a line ended and nothing says that it goes on, rising. */
  readonly seams: readonly number[]
}

interface Gap {
  readonly start: number
  readonly end: number
  readonly isSeam: boolean
}

/** Signs that tokens are made of. */
const TOKEN_SIGN = /[\w+/=.~-]/
/** Fewest signs at the end of a line that may be a part of a token. */
const LEAST_PART = 4
const LOOKED_AT = 48

/** Returns a text without invisible signs, and with broken lines put together; none that is the text itself. Linear. */
function viewsOf(text: string): readonly View[] {
  const visible = stripInvisible(text)
  const seen: View[] =
    visible === text ? [] : [{ text: visible, origins: originsOf(text, visible), seams: [] }]
  const whole = withoutGaps(visible, seen[0]?.origins)
  return whole === undefined ? seen : [...seen, whole]
}

/** Returns a text with broken lines put together; undefined if none is broken. */
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

/** Returns where each sign of the visible text stands in the original, which has more signs in between. */
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

/** True if a sign of the original became one of the visible text: a line end, or half of a pair. */
function isSame(original: number, visible: number): boolean {
  if (original === visible) return true
  if (visible === 0x0a) return [0x0b, 0x0c, 0x0d, 0x85, 0x2028, 0x2029].includes(original)
  return visible === 0xfffd && original >= 0xd800 && original <= 0xdfff
}

/** Matches a line break after which the line goes on: a backslash, quoted-printable, or a sum of two literals. */
const CONTINUED =
  /\\\n[ \t]{0,32}|=\n(?=[\w+/=-])|(?<=[\w+/=.-])["'`](?:[ \t]{0,8}[+.&][ \t]{0,8}|[ \t]{0,8}[+.&\\]?[ \t]{0,8}\n[ \t]{0,32}(?:[+.&][ \t]{0,8})?)["'`](?=[\w+/=.-])/g
/** Matches a line break that a program may have made, perhaps indented or quoted as in a mail. */
const BROKEN = /\n(?:[ \t]{0,24}|(?:> ?){1,4})(?=[\w+/=-])/y

/** Yields the gaps of a text in the order in which they begin, one at a time: a text may have a million. */
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

/** Merges two sorted lists of gaps; ties go to the first list. */
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
