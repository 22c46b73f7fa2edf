import { splitWhitespace, trimWhitespace } from '../text/text.ts'
import { SHORTEST_BYTES } from './finder.ts'

/** The kind of a text to look for: a whole one, six words in a row, or one word or number. */
export type NeedleKind = 'text' | 'run' | 'word'

/** Words in a row that are looked for together. */
const RUN_WORDS = 6

/** Characters in a row that are looked for together where words have no spaces between them: as much as six words say. */
const RUN_CHARACTERS = 12

/** A character of a script that puts no spaces between words. */
export const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u

const WORD = /[\p{L}\p{N}\p{M}]+/gu

/** The words of blocks that are to be erased. */
export interface ErasedTexts {
  /** Contents, summaries, cues and notes, those of before as well. */
  readonly texts: Iterable<string>
  /** Stems as the index keeps them, separated by spaces. */
  readonly terms: Iterable<string>
}

/**
 * Returns the forms to look for, by kind: whole texts, runs of six words or of twelve characters without spaces, and single words and
 * stems, each as it is, in lower case and
 * as JSON writes it, in JSON within JSON too. Single words of fewer bytes than `leastWordBytes` stand anywhere by chance
 * and are left out.
 */
export function needlesOf(
  { texts, terms }: ErasedTexts,
  leastWordBytes: number = SHORTEST_BYTES,
): Map<string, NeedleKind> {
  const needles = new Map<string, NeedleKind>()
  const add = (text: string, kind: NeedleKind) => {
    for (const form of formsOf(text)) if (!needles.has(form)) needles.set(form, kind)
  }
  const all = [...new Set(texts)].map(trimWhitespace).filter((text) => text !== '')
  for (const text of all) add(text, 'text')
  for (const text of all) for (const run of runsOf(text)) add(run, 'run')
  const words = new Set(all.flatMap(wordsOf))
  for (const each of terms) for (const term of each.split(' ')) words.add(term)
  for (const word of words) if (byteLength(word) >= leastWordBytes) add(word, 'word')
  return needles
}

/** The shortest number or code that says something by itself, in characters: as many as a PIN has. */
const CODE_LENGTH = 4

/**
 * True of a single word that is a number or a code, as secrets are: it has a digit, and is no date, year or time of day. Where two
 * texts hold the same one, both tell of the same.
 */
export function isCode(word: string): boolean {
  if ([...word].length < CODE_LENGTH || !/\d/.test(word)) return false
  return (
    /\p{L}/u.test(word) || word.split(/\D+/).some((part) => part.length > 2 && !/^(?:19|20)\d\d$/.test(part))
  )
}

/**
 * The fewest bytes of a word that stands in no file by chance: of so many bytes that are as good as random, and so many
 * words, one in ten times one would be met.
 */
export function leastWordBytes(bytes: number, words: number): number {
  const chances = Math.max(1, bytes) * Math.max(1, words) * 10
  return Math.max(SHORTEST_BYTES, Math.ceil(Math.log2(chances) / 8))
}

/** As a file may hold a text. */
function formsOf(text: string): Set<string> {
  const plain = [text, text.toLowerCase()]
  const inJson = plain.map(escaped)
  return new Set([...plain, ...inJson, ...inJson.map(escaped)])
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Six words in a row as they stand in the text, and with single spaces. */
function runsOf(text: string): string[] {
  const words = splitWhitespace(text)
  const runs: string[] = []
  let at = 0
  const places = words.map((word) => {
    const start = text.indexOf(word, at)
    at = start + word.length
    return start
  })
  for (let first = 0; first + RUN_WORDS <= words.length; first += 1) {
    const last = first + RUN_WORDS - 1
    runs.push(text.slice(places[first], (places[last] as number) + (words[last] as string).length))
    runs.push(words.slice(first, last + 1).join(' '))
  }
  return [...runs, ...words.flatMap(unspacedRunsOf)]
}

/** Every second six begin one, so whatever is half as long again holds one. */
function unspacedRunsOf(word: string): string[] {
  if (!UNSPACED.test(word)) return []
  const characters = [...word]
  const runs: string[] = []
  for (let first = 0; first + RUN_CHARACTERS <= characters.length; first += RUN_CHARACTERS / 2)
    runs.push(characters.slice(first, first + RUN_CHARACTERS).join(''))
  return runs.filter((run) => UNSPACED.test(run))
}

/** Single words and numbers, also as they are joined by signs. */
function wordsOf(text: string): string[] {
  return splitWhitespace(text).flatMap((joined) => {
    const parts = [...joined.matchAll(WORD)]
    const [first, last] = [parts[0], parts.at(-1)]
    if (first === undefined || last === undefined) return []
    const whole = joined.slice(first.index, last.index + last[0].length)
    return [whole, ...parts.map(([part]) => part)]
  })
}

/** Of its UTF-8. */
function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}
