import type { Said } from './said.ts'
import { tellsChange } from './slot/same-thing.ts'
import { beginningOf, comparableWords, isPart } from './words.ts'

/** The part of a language that is needed to read what a statement says of its subject. */
interface Language {
  terms(text: string): readonly string[]
  names?(text: string): readonly { readonly text: string; readonly terms: readonly string[] }[]
  speaksOfTime(text: string): boolean
  said?(text: string): Said
}

/** A statement as far as it says what rests on what. */
export interface Stated {
  /** Comparable words, in order, each once. */
  readonly words: readonly string[]
  /** Those of names; the first word of a text may be none. */
  readonly namedWords: ReadonlySet<string>
  /** Words of names that do not merely begin the text, and words with a digit: what a value is made of. */
  readonly values: ReadonlySet<string>
  /** Names that do not merely begin the text, in comparable words. */
  readonly names: readonly (readonly string[])[]
  /** All names, those that may only begin the text too. */
  readonly all: readonly (readonly string[])[]
  readonly tellsChange: () => boolean
  /** True of a word that says little by itself: a small number, a letter, a day, a unit of time. */
  readonly isCommon: (word: string) => boolean
}

const DIGIT = /\p{N}/u

/** Reads a statement. */
export function statedIn(content: string, language: Language): Stated {
  const text = beginningOf(content)
  const words = [...new Set(comparableWords(text, language))]
  const named = (language.names?.(text) ?? []).filter((name) => !language.speaksOfTime(name.text))
  const names = named.map(({ terms }) => terms.filter(isPart))
  const sure = names.filter((name) => name.length > 1 || name[0] !== words[0])
  return {
    words,
    namedWords: new Set(names.flat()),
    values: new Set([...sure.flat(), ...words.filter((word) => DIGIT.test(word))]),
    names: sure,
    all: names.filter((name) => name.length > 0),
    isCommon: (word) =>
      DESIGNATOR.test(word) || language.speaksOfTime(word) || language.speaksOfTime(`2 ${word}`),
    tellsChange: () => {
      const said = language.said?.(text)
      return said !== undefined && tellsChange(said)
    },
  }
}

/**
 * The words of a statement that a later one says no more: names and numbers that the later lacks, and the last word that
 * it lacks, whatever it is; where it lacks no name or number and tells of a change, the one that the statement ended with
 * ("Events go through Kafka", "We replaced Kafka").
 */
export function lostWords(before: Stated, now: Stated): string[] {
  const missing = before.words.filter((word) => !now.words.includes(word))
  const values = missing.filter((word) => before.values.has(word))
  const last = before.words.at(-1) ?? ''
  const isLeft = values.length === 0 && before.values.has(last) && now.words.includes(last)
  return [...new Set([...values, ...missing.slice(-1), ...(isLeft && now.tellsChange() ? [last] : [])])]
}

/**
 * True if a statement seems to rest on what another said before it changed: it has a word of the lost value and speaks of the
 * same thing. One that reads like the other and is about something else of its kind ("Marta lives in Rome" beside "Ruben lives
 * in Rome") rests on nothing, nor does one that only has the same small number, letter or day.
 */
export function restsOnLost(
  statement: Stated,
  { before, now, lost }: { readonly before: Stated; readonly now: Stated; readonly lost: readonly string[] },
): boolean {
  const { words } = statement
  const has = words.filter((word) => lost.includes(word))
  const isKept = (word: string) => now.words.includes(word) && !lost.includes(word)
  if (has.length === 0 || isSibling(statement, before, isKept)) return false
  const from = before.words.findIndex((word) => has.includes(word))
  const to = before.words.findLastIndex((word) => has.includes(word))
  const [unit, kind] = [before.words[to + 1] ?? '', before.words[from - 1] ?? '']
  if (has.every(before.isCommon) && !words.includes(isKept(unit) ? unit : kind)) return false
  const names = before.all.filter((name) => name.every(isKept) && now.namedWords.has(name.at(-1) ?? ''))
  if (names.length > 0) return names.every((name) => words.includes(name.at(-1) ?? ''))
  const kept = before.words.filter(isKept)
  const first = before.words.slice(0, from).filter(isKept)
  // What stands right before the value is its verb or kind: "rehearses in", "room 21".
  const subjects = first.length > 1 ? first.filter((word) => word !== before.words[from - 1]) : first
  if (kept.length > 0) return words.some((word) => (subjects.length > 0 ? subjects : kept).includes(word))
  return words.filter((word) => before.words.includes(word)).length >= SHARED_LEAST
}

/** Where a change was said in wholly other words, so many words of the statement tell what is spoken of. */
const SHARED_LEAST = 2
/** From this share on a statement says what another says, of something else. */
const SIBLING_SHARE = 0.75

/** True if most of a statement is in another, but it names something else, or has something else in the place of what stays. */
function isSibling({ words, names }: Stated, before: Stated, isKept: (word: string) => boolean): boolean {
  const isOther = (word: string | undefined) => word !== undefined && !before.words.includes(word)
  // "Shaft B" beside "shaft A", "class 3B" beside "class 3A".
  if (
    words.some(
      (word, at) =>
        before.words.includes(word) && DESIGNATOR.test(words[at + 1] ?? '') && isOther(words[at + 1]),
    )
  )
    return true
  const share = words.filter((word) => before.words.includes(word)).length / words.length
  if (share <= 0.5) return false
  const subject = before.words.find(isKept)
  const lacksSubject = subject !== undefined && !words.includes(subject) && words[0] !== before.words[0]
  const lacks = before.words.some((word) => isKept(word) && !words.includes(word))
  const isOfItsKind = share >= SIBLING_SHARE && share < 1 && lacks
  return lacksSubject || isOfItsKind || names.some((name) => name.every(isOther))
}

/** A number or letter behind a word, alone or both together. */
const DESIGNATOR = /^(?:\p{L}|\p{N}{1,3}\p{L}?)$/u
