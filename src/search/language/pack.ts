import type { LanguagePack } from './language.ts'
import { endsWithQuestion } from './question-end.ts'
import { accentedWordsOf, foldAccents, identifiersOf, wordsOf } from './words.ts'

/** The data of a language, for `createPack`. Word lists: space-separated, lower case, accents as written. */
export interface LanguageData {
  readonly id: string
  /** Words that say nothing by themselves. */
  readonly stopWords: string
  /** Takes a word with its accents, in lower case. */
  readonly stem: (word: string) => string
  /** Twelve names; found as the English ones, so that a stored date needs no language. */
  readonly months: string
  /** Words that place something in time: weekdays, "yesterday", "last", "ago". */
  readonly timeWords: string
  /** Beginnings of questions that want a time. */
  readonly whenStarts: readonly string[]
  /** Phrases anywhere in a question that want a time. */
  readonly whenPhrases: readonly string[]
  readonly and: string
  readonly both: string
}

const MONTH_TERMS = 'januari februari march april may june juli august septemb octob novemb decemb'.split(' ')
const YEAR = /\b(?:19|20)\d\d\b/
/** Words seen lately; a memory's vocabulary is far smaller than this. */
const CACHED_WORDS = 50_000

/** A pack from a language's word lists. Terms are folded after stemming, so accents help the stemmer and nobody else. */
export function createPack(data: LanguageData, dateTerms: (iso: string) => string[]): LanguagePack {
  const stopWords = new Set(wordsOf(data.stopWords))
  const timeWords = new Set([...wordsOf(data.timeWords), ...wordsOf(data.months)])
  const months = new Map(wordsOf(data.months).map((name, i) => [name, MONTH_TERMS[i] as string]))
  const cache = new Map<string, string>()
  const term = (word: string): string | undefined => {
    const plain = foldAccents(word)
    if (stopWords.has(plain)) return undefined
    const known = cache.get(word)
    if (known !== undefined) return known
    const found = months.get(plain) ?? foldAccents(data.stem(word))
    if (cache.size >= CACHED_WORDS) cache.clear()
    cache.set(word, found)
    return found
  }
  const sentence = (text: string) => ` ${wordsOf(text).join(' ')} `
  const starts = data.whenStarts.map(sentence)
  const phrases = data.whenPhrases.map(sentence)
  const both = wordsOf(data.both)
  return {
    id: data.id,
    term,
    terms: (text) => {
      const { wholes, parts } = identifiersOf(text)
      const words = [...accentedWordsOf(text), ...parts].flatMap((word) => term(word) ?? [])
      return [...words, ...wholes]
    },
    dateTerms,
    asks: (text) => endsWithQuestion(text),
    speaksOfTime: (text) => YEAR.test(text) || wordsOf(text).some((word) => timeWords.has(word)),
    asksWhen: (question) => {
      const asked = sentence(question)
      return (
        starts.some((start) => asked.startsWith(start)) || phrases.some((phrase) => asked.includes(phrase))
      )
    },
    namesBoth: (question, one, other) => {
      const asked = sentence(question)
      return (
        asked.includes(` ${one} ${data.and} ${other} `) ||
        asked.includes(` ${other} ${data.and} ${one} `) ||
        both.some((word) => asked.includes(` ${word} `))
      )
    },
  }
}
