import { type NamingRules, properNamesIn } from '../../domain/text/proper-names.ts'
import { wordSet } from '../../domain/text/text.ts'
import { type DateWords, type PastAsked, type PastWords, type TimeSpan, timeRule } from './past.ts'
import { accentedWordsOf, endsWithQuestion, foldAccents, identifiersOf, wordsOf } from './words.ts'

/** The data of a language, for `createPack`. Word lists: space-separated, lower case, accents as written. */
export interface LanguageData {
  readonly id: string
  /** Words that say nothing by themselves. */
  readonly stopWords: string
  /** Takes a word in lower case; with its accents unless `possessive` is given. */
  readonly stem: (word: string) => string
  /** Groups of forms that the stemmer does not bring together, the base form first. */
  readonly irregularForms?: readonly string[]
  /** Endings of words that are left out. */
  readonly possessive?: RegExp
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
  readonly past: PastWords & DateWords
  /** Words that begin no name though they have a capital; those above where absent. */
  readonly nameOpenings?: string
  /** Present where every noun has a capital, so that one word with a capital is no name. */
  readonly nounsHaveCapitals?: boolean
}

const MONTH_TERMS = 'januari februari march april may june juli august septemb octob novemb decemb'.split(' ')
const YEAR = /\b(?:19|20)\d\d\b/
/** Words seen lately; a memory's vocabulary is far smaller than this. */
const CACHED_WORDS = 50_000

/** A pack from a language's word lists. Terms are folded after stemming, so accents help the stemmer and nobody else. */
export function createPack(data: LanguageData): LanguagePack & { pastAsked: ReturnType<typeof timeRule> } {
  const stopWords = new Set(wordsOf(data.stopWords))
  const monthNames = wordsOf(data.months)
  const timeWords = new Set([...wordsOf(data.timeWords), ...monthNames])
  const months = new Map(monthNames.map((name, i) => [name, MONTH_TERMS[i] as string]))
  const baseForms = new Map(
    data.irregularForms?.flatMap((group) => {
      const [base, ...forms] = group.split(' ').map(data.stem) as [string, ...string[]]
      return forms.map((form) => [form, base] as const)
    }),
  )
  const cache = new Map<string, string>()
  const term = (word: string): string | undefined => {
    const plain = foldAccents(word)
    if (stopWords.has(plain)) return undefined
    const known = cache.get(word)
    if (known !== undefined) return known
    const stem = foldAccents(data.stem(word))
    const found = months.get(plain) ?? baseForms.get(stem) ?? stem
    if (cache.size >= CACHED_WORDS) cache.clear()
    cache.set(word, found)
    return found
  }
  const sentence = (text: string) => ` ${wordsOf(text).join(' ')} `
  const starts = data.whenStarts.map(sentence)
  const phrases = data.whenPhrases.map(sentence)
  const both = wordsOf(data.both)
  const { possessive } = data
  const terms = (text: string): string[] => {
    const { wholes, parts } = identifiersOf(text)
    const plain = possessive ? wordsOf(text.replace(possessive, '')) : accentedWordsOf(text)
    const words = [...plain, ...parts].flatMap((word) => term(word) ?? [])
    return [...words, ...wholes]
  }
  const openings =
    data.nameOpenings ?? [data.stopWords, data.timeWords, data.months, data.and, data.both].join(' ')
  return {
    id: data.id,
    term,
    terms,
    names: createNames({ openings: wordSet(openings), fewestWords: data.nounsHaveCapitals ? 2 : 1 }, terms),
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
    pastAsked: timeRule(data.past, monthNames),
  }
}

/** "8 May 2023" as terms, which are the same in all languages. */
function dateTerms(iso: string): string[] {
  const [year, month, day] = iso.slice(0, 10).split('-').map(Number) as [number, number, number]
  return [String(day), MONTH_TERMS[month - 1] ?? '', String(year)]
}

/** Stands between the names of a passage as they are kept; a space stands between the words of one. */
const BETWEEN_NAMES = '\t'

/**
 * Reads the names of texts by the rules of a language, each once.
 *
 * @param termsOf the comparable words of a word
 */
function createNames(
  rules: NamingRules,
  termsOf: (word: string) => readonly string[],
): (text: string) => readonly NameTerms[] {
  return (text) => {
    const names = new Map<string, NameTerms>()
    for (const { text: name, words } of properNamesIn(text, rules)) {
      const terms = [...new Set(words.flatMap(termsOf))]
      const key = terms.join(' ')
      if (terms.length > 0 && !names.has(key)) names.set(key, { text: name, terms })
    }
    return [...names.values()]
  }
}

/** Names as they are kept of a block: their words alone. */
export function joinNames(names: readonly NameTerms[]): string {
  return names.map(({ terms }) => terms.join(' ')).join(BETWEEN_NAMES)
}

/** The words of each name that was kept. */
export function splitNames(kept: string): readonly (readonly string[])[] {
  return kept === '' ? [] : kept.split(BETWEEN_NAMES).map((name) => name.split(' '))
}

/** A name as it stands in a text, and its comparable words. */
export interface NameTerms {
  readonly text: string
  readonly terms: readonly string[]
}

/**
 * The rules of a language for retrieval: words to leave out, word forms, and words for time and questions.
 * Everything language-bound lives in one such pack; the neutral one knows nothing and still works.
 */
export interface LanguagePack {
  /** Changes whenever stored terms would come out differently; the store remembers which made them. */
  readonly id: string
  /** The comparable words of a text: folded, stop words removed, stemmed, irregular forms mapped to their base. */
  terms(text: string): string[]
  /** The names in a text, each once, as they stand there and as comparable words; absent where no language is known. */
  names?(text: string): readonly NameTerms[]
  /** One comparable word, or undefined for a stop word. */
  term(word: string): string | undefined
  /** A date as people write it in this language, as terms; `iso` is ISO-8601. */
  dateTerms(iso: string): string[]
  /** True if the text ends by asking something. */
  asks(text: string): boolean
  /** True if the text speaks of a time: a date, a weekday, "last week", "two days ago". */
  speaksOfTime(text: string): boolean
  /** True if the question wants a time as its answer. */
  asksWhen(question: string): boolean
  /** True if the question wants several things as its answer; absent where the language's forms are unknown. */
  asksForList?(question: string): boolean
  /** True if both of two sources are meant, as in "Anna and Ben" or "both". */
  namesBoth(question: string, one: string, other: string): boolean
  /**
   * Returns the period that a question names by its distance from now ("yesterday", "last week"), if any.
   * The method is absent where the language's words for it are unknown. `now`: milliseconds since 1970.
   */
  spanOf?(question: string, now: number): TimeSpan | undefined
  /** Which version of a fact the question wants, if not that of now: an earlier one, or that of a date. `now`: milliseconds since 1970. */
  pastAsked?(question: string, now: number): PastAsked | undefined
  /** True if the question is about whoever asks, as in "my" and "I". */
  isAboutAsker?(question: string): boolean
  /** True if a text begins as a standing instruction does: "Always …", "Never …", "Whenever …". */
  isStanding?(text: string): boolean
  /** True if a text states a preference: "I prefer …", "my preference". */
  statesPreference?(text: string): boolean
}
