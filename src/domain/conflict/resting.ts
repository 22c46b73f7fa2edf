import type { Said } from './said.ts'
import { tellsChange } from './same-thing.ts'

/** What of a language is needed to read what a statement says of what. */
interface Language {
  terms(text: string): readonly string[]
  names?(text: string): readonly { readonly text: string; readonly terms: readonly string[] }[]
  speaksOfTime(text: string): boolean
  said?(text: string): Said
}

/** A statement as far as it can be told from it what rests on what. */
export interface Stated {
  /** Comparable words, in order, each once. */
  readonly words: readonly string[]
  /** Those of names; the first word of a text may be none. */
  readonly namedWords: ReadonlySet<string>
  /** Words of names that do not merely begin the text, and words with a digit: what a value is made of. */
  readonly values: ReadonlySet<string>
  /** Names that do not merely begin the text, in comparable words. */
  readonly names: readonly (readonly string[])[]
  readonly tellsChange: () => boolean
}

/** A statement of one fact is shorter; of a longer text only the beginning is read. In characters. */
const READ_MOST = 1_000

/** An identifier as a whole, which a language adds behind the words of a text. */
const WHOLE = /[^\p{L}\p{N}\p{M}]/u
const DIGIT = /\p{N}/u

/** Reads a statement. */
export function statedIn(content: string, language: Language): Stated {
  const text = content.slice(0, READ_MOST)
  const words = [...new Set(language.terms(text).filter((word) => !WHOLE.test(word)))]
  const named = (language.names?.(text) ?? []).filter((name) => !language.speaksOfTime(name.text))
  const names = named.map(({ terms }) => terms.filter((term) => !WHOLE.test(term)))
  const sure = names.filter((name) => name.length > 1 || name[0] !== words[0])
  return {
    words,
    namedWords: new Set(names.flat()),
    values: new Set([...sure.flat(), ...words.filter((word) => DIGIT.test(word))]),
    names: sure,
    tellsChange: () => {
      const said = language.said?.(text)
      return said !== undefined && tellsChange(said)
    },
  }
}

/**
 * What a statement said and a later one says no more, in words: names and numbers that the later lacks, and the last word that
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
 * in Rome") rests on nothing.
 */
export function restsOnLost(
  statement: Stated,
  { before, now, lost }: { readonly before: Stated; readonly now: Stated; readonly lost: readonly string[] },
): boolean {
  const { words } = statement
  if (!words.some((word) => lost.includes(word)) || isSibling(statement, before, now)) return false
  const kept = before.words.filter((word) => now.words.includes(word) && !lost.includes(word))
  // "Events" begins one text and stands inside the other without a capital: no name.
  const names = kept.filter((word) => before.namedWords.has(word) && now.namedWords.has(word))
  const subjects = names.length > 0 ? names : kept
  if (subjects.length > 0) return words.some((word) => subjects.includes(word))
  return words.filter((word) => before.words.includes(word)).length >= SHARED_LEAST
}

/** Where a change was said in wholly other words, so many words of the statement tell what is spoken of. */
const SHARED_LEAST = 2

/** True if most of a statement is in another, but it names something else, or has something else in the place of what stays. */
function isSibling({ words, names }: Stated, before: Stated, now: Stated): boolean {
  const shared = words.filter((word) => before.words.includes(word)).length
  if (shared * 2 <= words.length) return false
  const subject = before.words.find((word) => now.words.includes(word))
  const lacksSubject = subject !== undefined && !words.includes(subject) && words[0] !== before.words[0]
  return lacksSubject || names.some((name) => !name.some((word) => before.words.includes(word)))
}
