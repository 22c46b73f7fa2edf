import { type Facts, factsOf } from './facts.ts'

/** The features of a text that tell if it repeats what a recall showed. */
export interface EchoFacts extends Pick<Facts, 'numbers' | 'names' | 'negations'> {
  /** Stems of the words that carry meaning. */
  readonly content: ReadonlySet<string>
}

/** Least share of the shown text that must come back for a text to be its echo. */
const SHARE_LEAST = 0.8
/** Least words of an echo; shorter texts are said again by chance. */
const WORDS_LEAST = 4

/** Words that come and go with the wording and change nothing; when in doubt a word is not among them. */
const LIGHT: ReadonlySet<string> = new Set(
  'is are was were be been being am has have had it its that which who of and also so'.split(' '),
)

/** How a frame begins an entry, and how it stamps one. */
const ENTRY_MARK = /^\s*(?:\[(?:\d{1,4}|!)\]|\d{1,4}\.|[-*>])\s+/
const STAMP = /\s*\(\d{4}-\d{2}-\d{2}(?:, [^()\n]{1,256})?\)\s*$/
const CONTINUED = /\n\| ?/g

/** An entry as a frame shows it, without what the frame put around it; any other text as it is. */
export function unframed(text: string): string {
  return text.replace(ENTRY_MARK, '').replace(STAMP, '').replaceAll(CONTINUED, '\n').trim()
}

/** Reads a text for `isEcho`; `stem` maps a lower-case word to its stem. */
export function echoFacts(text: string, stem: (word: string) => string): EchoFacts {
  const { terms, numbers, names, negations } = factsOf(unframed(text), stem)
  const content = terms.filter((term) => /[\p{L}\p{N}]/u.test(term) && !LIGHT.has(term.toLowerCase()))
  return { numbers, names, negations, content: new Set(content.map((term) => stem(term.toLowerCase()))) }
}

/**
 * True if a text says what was shown and nothing else: all of its words are there, and nearly all of those come back, with
 * every number, name and negation. A word more is a fact more, so such a text is no echo.
 */
export function isEcho(said: EchoFacts, shown: EchoFacts): boolean {
  const { size } = said.content
  if (size < WORDS_LEAST || size > shown.content.size || size < SHARE_LEAST * shown.content.size) return false
  for (const word of said.content) if (!shown.content.has(word)) return false
  return (['numbers', 'names', 'negations'] as const).every((part) => sameSet(said[part], shown[part]))
}

/** Numbers of a sketch: 128 bits, of which each word of a text sets one by its first letters. */
export const SKETCH_NUMBERS = 4
/** Inflection leaves so many letters of most words as they are. */
const LETTERS = 3
/** Words of what is said that need not be in what was shown, at a first look: irregular forms, parts of contractions. */
const STRANGE_MOST = 2
/** So much of what was shown may be missing at a first look, above `1 - SHARE_LEAST`, since a word can be several parts. */
const MISSING_MOST = 1 / 3
/** Words that may come and go, and those that `factsOf` leaves out. */
const UNSKETCHED: ReadonlySet<string> = new Set([...LIGHT, 'a', 'an', 'the'])
const LONGEST_LIGHT = Math.max(...[...LIGHT].map(({ length }) => length))

/** Sketches a text for `mayBeEcho` into `sketches` from `at` on; one pass over its characters, a microsecond a sentence. */
export function sketchEcho(text: string, sketches: Int32Array, at = 0): void {
  sketches.fill(0, at, at + SKETCH_NUMBERS)
  const plain = unframed(text).toLowerCase()
  for (let start = 0; start < plain.length; ) {
    if (!isWordCode(plain.charCodeAt(start))) {
      start += 1
      continue
    }
    let end = start
    let hash = 0
    for (; end < plain.length && isWordCode(plain.charCodeAt(end)); end++)
      if (end - start < LETTERS) hash = Math.imul(hash, 31) + plain.charCodeAt(end)
    const isLight = end - start <= LONGEST_LIGHT && UNSKETCHED.has(plain.slice(start, end))
    if (!isLight) (sketches[at + ((hash >>> 5) & 3)] as number) |= 1 << (hash & 31)
    start = end
  }
}

/**
 * True if a text may be an echo by its sketch, the first of `said`, and that of the shown one, from `at` on in `shown`. It
 * lets every echo pass that changes at most two words beyond their endings, and hardly anything else.
 */
export function mayBeEcho(said: Int32Array, shown: Int32Array, at = 0): boolean {
  let strange = 0
  let missing = 0
  let all = 0
  for (let i = 0; i < SKETCH_NUMBERS; i++) {
    const ours = said[i] as number
    const theirs = shown[at + i] as number
    strange += bitsIn(ours & ~theirs)
    missing += bitsIn(theirs & ~ours)
    all += bitsIn(theirs)
  }
  return strange <= STRANGE_MOST && missing <= STRANGE_MOST + MISSING_MOST * all
}

/** Letters and digits; beyond ASCII whatever there is. */
function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 127
}

/** How many bits of a 32-bit number are set: sums of ever wider fields. */
function bitsIn(number: number): number {
  const pairs = number - ((number >>> 1) & 0x55555555)
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [new Set(one), new Set(other)]
  return a.size === b.size && [...a].every((each) => b.has(each))
}
