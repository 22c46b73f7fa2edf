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
  // Of a long text the beginning tells, unless it is hardly more than white space.
  const begin = splitWhitespace(text.slice(0, 4 * Math.max(0, count) + 16)).join(' ')
  const line = codePointLength(begin) > count ? begin : splitWhitespace(text).join(' ')
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

/**
 * The spellings under which a word is looked for where only A to Z are compared regardless of case: its own, small, capital,
 * and with one capital; one spelling of a word of A to Z.
 */
export function spellingsOf(word: string): readonly string[] {
  const small = word.toLowerCase()
  const first = takeCodePoints(word, 1)
  const all = [word, small, word.toUpperCase(), first.toUpperCase() + small.slice(first.toLowerCase().length)]
  const unique = new Map(all.map((each) => [each.replace(/[A-Z]/g, (letter) => letter.toLowerCase()), each]))
  return [...unique.values()]
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

/** Letters and digits of a word that a tokenizer takes together, roughly. */
const LETTERS_PER_PIECE = 4

const SPACE = /\s/u
/** Of scripts with spaces; signs of the others are pieces of their own. */
const WORD_PART = /[\p{L}\p{M}\p{N}]/u
const ALONE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/**
 * The beginning of a text that has at most so many word pieces, as tokenizers count them roughly: a word has one for each
 * four letters begun, every other sign is one. The whole text if it has no more. Reads no further than it has to.
 */
export function firstPieces(text: string, most: number): string {
  let [pieces, letters, at] = [0, 0, 0]
  for (const sign of text) {
    const isInWord = WORD_PART.test(sign) && !ALONE.test(sign)
    letters = isInWord ? letters + 1 : 0
    if (isInWord ? letters % LETTERS_PER_PIECE === 1 : !SPACE.test(sign)) pieces += 1
    if (pieces > most) return text.slice(0, at)
    at += sign.length
  }
  return text
}

/** A word that a shell takes as it is. */
const PLAIN = /^[\w./:@+][\w./:@+-]*$/

/** A text as one word of a command line, as a POSIX shell reads it: nothing in it is run. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** The words of a list, which stand with one space between. */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}

/** `1 block`, `2 blocks`; the plural is `one` with an s unless given. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}

/** The fields that have a value; for optional fields, which are absent and never `undefined`. */
export function defined<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known) as { readonly [K in keyof T]?: Exclude<T[K], undefined> }
}

/** A sign beyond ASCII; what has none is in every form of Unicode already. */
export const NON_ASCII = /[\u{80}-\u{10ffff}]/u
/** Marks in a row that are put in order together, as in Unicode's Stream-Safe Text Format (UAX 15). */
const MARKS_MOST = 30
/** Marks that are written on a letter, and the two that become such marks in compatibility forms. */
const MARK = '[\\p{M}\\uff9e\\uff9f]'
const END_OF_PART = new RegExp(`${MARK}{${MARKS_MOST}}(?=${MARK})`, 'gu')

/**
 * A text in a form of Unicode, in linear time. To put marks in order takes the square of their number in a row, so more
 * than thirty are normalised in parts: what comes is always equivalent to the text, and beyond thirty may not be the form
 * itself. No writing has so many.
 */
export function normalised(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  if (!NON_ASCII.test(text)) return text
  const parts = text.length <= MARKS_MOST ? [] : [...text.matchAll(END_OF_PART)]
  const ends = parts.map(({ index, 0: part }) => index + part.length)
  if (ends.length === 0) return text.normalize(form)
  return [...ends, text.length].map((end, i) => text.slice(ends[i - 1] ?? 0, end).normalize(form)).join('')
}

/** A word, or words joined by a dot, a stroke or a slash: v1.2, EX-204. */
const WORD = /[\p{L}\p{N}_]+(?:[.\-/][\p{L}\p{N}_]+)*/gu
const HAS_DIGIT = /\p{N}/u
const CAPITAL = /^\p{Lu}/u

/**
 * The names, numbers and identifiers that a question gives, in small letters, each once: words with a digit, and words with a
 * capital that do not begin it. Two questions that differ in them ask for two things, however alike they read.
 */
export function namesIn(question: string): string[] {
  const words = [...question.matchAll(WORD)].map(([word]) => word)
  const names = words.filter((word, i) => HAS_DIGIT.test(word) || (i > 0 && CAPITAL.test(word)))
  return [...new Set(names.map((word) => word.toLowerCase()))]
}

/** The words of a question, whatever their case and signs: two questions of the same ones are one. A text of signs is itself. */
export function questionWords(question: string): string {
  const words = normalised(question, 'NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
  return words.length > 0 ? words.join(' ') : trimWhitespace(question)
}

/**
 * The key of a question: its words in their order with their signs, whatever their case and spaces and the sign at its
 * end. "C builds" and "C++ builds" are two questions, and so are "who owes Ann" and "who Ann owes".
 */
export function questionKey(question: string): string {
  return splitWhitespace(normalised(question, 'NFKC').toLowerCase())
    .join(' ')
    .replace(/[?!.]$/, '')
}

/** Ends a text that was cut to fit its budget. */
export const CUT_MARK = ' … [cut]'

/** Arguments of fitting: the items in order of importance, and how they become a text. */
interface BudgetRequest<T> {
  readonly items: readonly T[]
  /** The whole text of some items, headings and all; '' for none. Must not shrink when an item is added or grows. */
  readonly render: (items: readonly T[]) => string
  /** The item with its text replaced by a shorter one. */
  readonly withText: (item: T, text: string) => T
  readonly textOf: (item: T) => string
  /** Returns the item with less beside its text, and undefined if nothing is beside it; called again until the item fits. */
  readonly compact?: (item: T) => T | undefined
  /** Largest size of the text, in tokens as `estimateTokens` counts them. */
  readonly budget: number
}

/** Result of fitting. `shown`, as they fitted, and `dropped` together are the items, in order. */
export interface Fitted<T> {
  readonly text: string
  readonly shown: readonly T[]
  readonly dropped: readonly T[]
  /** True if only a cut version of the first item fitted; `shown` holds that version. */
  readonly cutFirst: boolean
  /** Tokens of `text`, never above the budget. */
  readonly used: number
}

/**
 * As many items, in order, as the whole rendered text can hold; stops at the first that does not fit (Python elfmem).
 * If even the first does not, its text is cut, with as little as may be beside it, and ends with `CUT_MARK`. If not a character of it
 * fits, nothing is shown.
 */
export function fitBudget<T>(request: BudgetRequest<T>): Fitted<T> {
  const { items, render, budget, compact } = request
  let text = ''
  const kept: T[] = []
  const fits = (item: T): boolean => {
    const longer = render([...kept, item])
    if (estimateTokens(longer) > budget) return false
    text = longer
    return kept.push(item) > 0
  }
  for (const item of items) {
    let form: T | undefined = item
    while (form !== undefined && !fits(form)) form = compact?.(form)
    if (form === undefined) break
  }
  if (kept.length === 0 && items.length > 0) return cutFirst(request)
  return fitted(text, kept, items.slice(kept.length), false)
}

function cutFirst<T>(request: BudgetRequest<T>): Fitted<T> {
  const { items, render, withText, textOf, compact, budget } = request
  let [first, ...rest] = items
  if (first === undefined) return fitted('', [], [], false)
  for (let less = compact?.(first); less !== undefined; less = compact?.(less)) first = less
  const text = textOf(first)
  const cutAt = (to: number): T => {
    const part = text.slice(0, wholeSigns(text, to))
    return withText(first, to < text.length ? part.trimEnd() + CUT_MARK : part)
  }
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (estimateTokens(render([cutAt(middle)])) <= budget) low = middle
    else high = middle - 1
  }
  if (wholeSigns(text, low) === 0) return fitted('', [], items, false)
  const cut = cutAt(low)
  return fitted(render([cut]), [cut], rest, true)
}

/** The place itself, or the one before it if it is within a code point. */
function wholeSigns(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at
}

function fitted<T>(text: string, shown: readonly T[], dropped: readonly T[], cut: boolean): Fitted<T> {
  return { text, shown, dropped, cutFirst: cut, used: estimateTokens(text) }
}

/** The candidate most like a mistyped word, or undefined when none is close (at most a third of the word to change). */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3))
  const ranked = candidates
    // Lengths that differ by more need no look at the letters, however long the word is.
    .filter((candidate) => word.length - candidate.length <= limit)
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= limit || candidate.startsWith(word))
    .sort((a, b) => a.distance - b.distance)
  return ranked[0]?.candidate
}

/** Returns the least number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[to.length] ?? 0
}

/** How a file that is no text begins, and what it is. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['PK\u0003\u0004', 'a ZIP archive'],
  ['\u001f\u008b', 'a gzip archive'],
  // Read as UTF-8.
  ['\u001f\ufffd', 'a gzip archive'],
  ['7\u007f\u0006', 'the write-ahead log of a database, not the database'],
  ['elfmemix', 'the packed index of a memory, not the memory'],
]

/** How texts of known formats begin. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^\{"format":"elfmem-export"/, 'an export of elfmem; elfmem import takes it in'],
  [/^\s*[[{]/, 'a JSON file'],
  [/^---\r?\n/, 'a Markdown file'],
  [/^#{1,6} /, 'a Markdown file'],
]

/** Names a file by how it begins, read as Latin-1 or UTF-8; undefined if nothing is known of it. */
export function nameOfBeginning(text: string): string | undefined {
  const signed = SIGNATURES.find(([signature]) => text.startsWith(signature))
  return signed?.[1] ?? BEGINNINGS.find(([pattern]) => pattern.test(text))?.[1]
}

/** A stretch of a text, by its places in UTF-16 units; `to` is the place behind it. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** A text of at most this many words is one passage. */
const WHOLE = 120
/** Words of a passage at most; a line without the end of a sentence may have twice as many. */
const MOST = 50
/** A last passage of fewer words is joined to the one before it. */
const SHORTEST = 8
/** A shorter text is not counted: it cannot have more than `WHOLE` words. */
const SHORT = 2 * WHOLE

/** The end of a line, or of a sentence before a number, a quotation, a bracket or a mark. */
const LINE_END = /\n+|(?<=[.!?…])["'”’»)\]*]*\s+(?=[\p{N}"'“‘«(*`#-])|(?<=[。！？])/gu
/** The end of a sentence, by which a longer line is split. */
const SENTENCE_END = /(?<=[.!?…])["'”’»)\]*]*\s+/gu
/** Two signs of a script without spaces count as a word, and of a longer run without spaces every 24. */
const PASSAGE_WORD =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]{1,2}|[^\s\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]{1,24}/gu
/** The beginning of a section in Markdown. */
const HEADING = /^#{1,6}\s/

/**
 * Splits a text into the passages by which it is ranked: whole lines and sentences, packed to 50 words; a heading begins one. A
 * text of at most 120 words is one passage. Cost: one pass.
 */
export function passagesOf(text: string): readonly Stretch[] {
  if (text.length <= SHORT || countWords(text) <= WHOLE) return [{ from: 0, to: text.length }]
  const passages: Piece[] = []
  for (const piece of piecesOf(text)) {
    const last = passages.at(-1)
    if (last && !piece.isHeading && last.words + piece.words <= MOST)
      passages[passages.length - 1] = { ...last, to: piece.to, words: last.words + piece.words }
    else passages.push(piece)
  }
  const last = passages.at(-1)
  const before = passages.at(-2)
  if (last && before && !last.isHeading && last.words < SHORTEST)
    passages.splice(-2, 2, { ...before, to: last.to })
  return passages.map(({ from, to }) => ({ from, to }))
}

/** A line or sentence, or a part of a long one. */
interface Piece extends Stretch {
  readonly words: number
  readonly isHeading: boolean
}

/** Returns the lines of a text in order; one of more than 100 words by its sentences, and such a sentence in parts. */
function piecesOf(text: string): Piece[] {
  return stretchesOf(text, { from: 0, to: text.length }, LINE_END).flatMap((line) => {
    const whole = pieceOf(text, line)
    if (whole.length <= 1) return whole
    return stretchesOf(text, line, SENTENCE_END).flatMap((sentence) => pieceOf(text, sentence))
  })
}

/** Splits a stretch of a text at the ends that an expression finds. */
function stretchesOf(text: string, { from, to }: Stretch, ends: RegExp): Stretch[] {
  const stretches: Stretch[] = []
  let start = from
  for (const { index, 0: mark } of text.slice(from, to).matchAll(ends)) {
    stretches.push({ from: start, to: from + index })
    start = from + index + mark.length
  }
  return [...stretches, { from: start, to }]
}

/** A stretch without the white space around it, in parts of 100 words; none where it has no word. */
function pieceOf(text: string, { from, to }: Stretch): Piece[] {
  const words = [...text.slice(from, to).matchAll(PASSAGE_WORD)]
  const pieces: Piece[] = []
  for (let at = 0; at < words.length; at += 2 * MOST) {
    const some = words.slice(at, at + 2 * MOST)
    const [first, last] = [some[0] as RegExpExecArray, some.at(-1) as RegExpExecArray]
    pieces.push({
      from: from + first.index,
      to: from + last.index + last[0].length,
      words: some.length,
      isHeading: at === 0 && HEADING.test(text.slice(from + first.index, to)),
    })
  }
  return pieces
}

function countWords(text: string): number {
  return text.match(PASSAGE_WORD)?.length ?? 0
}
