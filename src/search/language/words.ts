import { NON_ASCII, normalised } from '../../domain/text/text.ts'

const ASCII_WORD = /[a-z0-9]+/g
const ANY_WORD = /[\p{L}\p{N}\p{M}]+/gu
/** Marks that people leave out or type in two ways. In other scripts they are vowels and must stay. */
const ACCENTS =
  /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}])\p{M}+/gu
const LONE_MARKS = /(?<![\p{L}\p{M}])\p{M}+/gu
/** Letters that decompose into nothing. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ـ: '',
}
const SPECIAL_LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu')
/** Scripts written without spaces, or with particles grown on: found by pairs of neighbouring characters. */
const UNSPACED_SCRIPTS =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}'
const UNSPACED = new RegExp(`(?=[\\p{L}\\p{N}])[${UNSPACED_SCRIPTS}]`, 'u')
const UNSPACED_RUN = new RegExp(`[${UNSPACED_SCRIPTS}]+|[^${UNSPACED_SCRIPTS}]+`, 'gu')
/** A letter with the vowels and tones written on it. */
const CLUSTER = /\P{M}\p{M}*/gu

/** Words, with those that signs join taken as one; nothing is looked at twice. */
const JOINED_WORDS = /[\p{L}\p{N}_]+(?:[-./:\\][\p{L}\p{N}_]+)*/gu
/** A capital inside a word: `openMemory`, `HTTPServer`. */
const INNER_CAPITAL = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}{2}/u
const NO_LETTER = /[^\p{L}\p{N}]+/u
const SIGN = /[-./:\\]/
const JOINED = /[-./:\\_]/
const VERSION = /^v(?=\d+\.\d)/
const THOUSANDS = /(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g
/** `openHTTPFile2` → open, HTTP, File2. */
const HUMP = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?\p{Ll}+\p{N}*|\p{N}+/gu
/** Longer ones are encoded data: their parts say enough. */
const LONGEST = 80

/** Words in lower case with accents folded, in order; runs of an unspaced script become overlapping pairs. */
export function wordsOf(text: string): string[] {
  const lower = text.toLowerCase()
  if (!NON_ASCII.test(lower)) return lower.match(ASCII_WORD) ?? []
  return wordsIn(foldAccents(lower))
}

/** Words as `wordsOf` cuts them, but with their accents, for a stemmer that knows them. */
export function accentedWordsOf(text: string): string[] {
  const lower = text.toLowerCase()
  return NON_ASCII.test(lower) ? wordsIn(normalised(lower, 'NFKC')) : (lower.match(ASCII_WORD) ?? [])
}

let lastSentence = { text: '', sentence: '  ' }

/** The words of a text with single spaces between, before and after them. Callers ask several things of a text in a row: the last is kept. */
export function sentenceOf(text: string): string {
  if (text !== lastSentence.text) lastSentence = { text, sentence: ` ${wordsOf(text).join(' ')} ` }
  return lastSentence.sentence
}

/**
 * An expression that finds phrases in what `sentenceOf` gives.
 *
 * @param phrases alternatives of a regular expression, with bars between; accents are folded
 * @param before an expression of what stands before a phrase
 * @param after of what stands behind it
 */
export function patternOf(phrases: string, before = ' ', after = ' '): RegExp {
  return new RegExp(`${before}(?:${foldAccents(phrases)})${after}`)
}

/** Without accents, in the width and composition people type; lower case stays what it is. */
export function foldAccents(lower: string): string {
  if (!NON_ASCII.test(lower)) return lower
  const bare = normalised(lower, 'NFKD')
    .replace(ACCENTS, '$1')
    .replace(SPECIAL_LETTER, (letter) => LETTERS[letter] as string)
  return normalised(bare, 'NFC')
}

/**
 * Returns what the structured words of a text add to its plain ones, in order: the wholes (`snake_case`,
 * `src/a.ts`, `1.2.3` for `v1.2.3`, `4210` for `4,210`), and the parts that capitals set off (`open` and
 * `memory` of `openMemory`). The parts between signs are plain words already.
 */
export function identifiersOf(text: string): { readonly wholes: string[]; readonly parts: string[] } {
  const structured = structuredOf(text).filter(({ length }) => length <= LONGEST)
  const joined = structured.filter((word) => JOINED.test(word)).map(folded)
  const numbers = (text.match(THOUSANDS) ?? []).map((number) => number.replaceAll(',', ''))
  return {
    wholes: [...joined.map((word) => word.replace(VERSION, '')), ...numbers],
    parts: structured.flatMap((word) => word.split(NO_LETTER)).flatMap(humpsOf),
  }
}

/** Words joined by signs, or with capitals inside: code, paths, addresses, versions, compounds. */
function structuredOf(text: string): string[] {
  return (text.match(JOINED_WORDS) ?? []).flatMap((word) => {
    if (SIGN.test(word)) return [word]
    const underscore = word.indexOf('_')
    if (underscore >= 0 && underscore < word.length - 1) return [word]
    const letters = underscore < 0 ? word : word.slice(0, -1)
    return INNER_CAPITAL.test(letters) ? [letters] : []
  })
}

function wordsIn(text: string): string[] {
  const words = text.replace(LONE_MARKS, ' ').match(ANY_WORD) ?? []
  return UNSPACED.test(text) ? words.flatMap(splitUnspaced) : words
}

function splitUnspaced(word: string): string[] {
  if (!UNSPACED.test(word)) return [word]
  return (word.match(UNSPACED_RUN) ?? []).flatMap((run) => (UNSPACED.test(run) ? pairs(run) : [run]))
}

function pairs(run: string): string[] {
  const characters = run.match(CLUSTER) ?? []
  if (characters.length === 1) return [characters[0] as string]
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`)
}

/** The parts that capitals set off, if they do; single letters say nothing. */
function humpsOf(word: string): string[] {
  const humps = word.match(HUMP) ?? []
  return humps.length > 1 ? humps.filter(({ length }) => length > 1).map(folded) : []
}

function folded(word: string): string {
  return foldAccents(word.toLowerCase())
}

const QUESTION_MARKS = '?？؟'

/** True if a text ends with a question mark, or with one and something in square brackets behind it, such as who asked. */
export function endsWithQuestion(text: string): boolean {
  const trimmed = text.trimEnd()
  const isMark = (sign: string) => sign !== '' && QUESTION_MARKS.includes(sign)
  if (isMark(trimmed.slice(-1))) return true
  if (!trimmed.endsWith(']')) return false
  let last = ''
  const inside = trimmed.lastIndexOf(']', trimmed.length - 2) + 1
  for (const sign of trimmed.slice(0, inside).trimEnd().slice(-1) + trimmed.slice(inside)) {
    if (sign === '[' && isMark(last)) return true
    if (sign.trim() !== '') last = sign
  }
  return false
}
