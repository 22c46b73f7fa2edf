import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as portuguese } from '@orama/stemmers/portuguese'
import { stemmer as russian } from '@orama/stemmers/russian'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import { NON_ASCII } from '../../domain/text/text.ts'
import { createEnglish } from './english.ts'
import languages from './languages.json' with { type: 'json' }
import { createPack, type LanguageData, type LanguagePack } from './pack.ts'
import past from './past.json' with { type: 'json' }
import { pastRule } from './past.ts'
import { endsWithQuestion, identifiersOf, wordsOf } from './words.ts'

const STEMMERS = { german, french, spanish, portuguese, italian, dutch, russian }

/** Each language but English: its words are data, its stemmer is a library. */
const DATA: ReadonlyMap<string, LanguageData> = new Map(
  (Object.keys(STEMMERS) as (keyof typeof STEMMERS)[]).map((name) => [
    name,
    { ...languages[name], past: past[name], stem: STEMMERS[name] },
  ]),
)

let languagesKept: ReadonlyMap<string, readonly string[]> | undefined

/** The languages that have a word as a function word, read when a text is first asked about: opening a memory asks about none. */
function languagesByWord(): ReadonlyMap<string, readonly string[]> {
  if (languagesKept !== undefined) return languagesKept
  const found = new Map<string, string[]>()
  const lists = [...DATA].map(([name, { stopWords }]) => [name, stopWords] as const)
  for (const [name, list] of [['english', languages.english.functionWords] as const, ...lists])
    for (const word of new Set(wordsOf(list))) found.set(word, [...(found.get(word) ?? []), name])
  languagesKept = found
  return found
}

/** So many function words at least, and more than are English, tell a language. */
const ENOUGH = 2
const CYRILLIC = /\p{Script=Cyrillic}/gu
const LETTER = /\p{L}/gu

/** The pack of a language as `recall.language` names it. */
export function createLanguage(name: string): LanguagePack {
  if (name === 'neutral') return createNeutral()
  const english = createEnglish()
  const packs = new Map([['english', english]])
  /** Packs are made when they are first asked for: opening a memory needs none but the English. */
  const named = (language: string): LanguagePack | undefined => {
    const data = DATA.get(language)
    if (data !== undefined && !packs.has(language)) packs.set(language, createPack(data))
    return packs.get(language)
  }
  return named(name) ?? createAuto((language) => named(language) ?? english, english)
}

/**
 * Reads every text in the language it is written in. An English store comes out exactly as with the English pack.
 *
 * @param packNamed takes the names that `detectLanguage` gives
 */
function createAuto(packNamed: (language: string) => LanguagePack, english: LanguagePack): LanguagePack {
  let last = { text: '', pack: english }
  // Whoever reads a text asks several things of it one after the other.
  const of = (text: string): LanguagePack => {
    if (text !== last.text) last = { text, pack: packNamed(detectLanguage(text)) }
    return last.pack
  }
  const asksInUnspaced = pastRule(past.unspaced)
  return {
    id: `auto-1(${[english, ...DATA.values()].map(({ id }) => id).join(',')})`,
    terms: (text) => of(text).terms(text),
    names: (text) => of(text).names?.(text) ?? [],
    term: english.term,
    dateTerms: english.dateTerms,
    asks: (text) => of(text).asks(text),
    speaksOfTime: (text) => of(text).speaksOfTime(text),
    asksWhen: (question) => of(question).asksWhen(question),
    asksForList: (question) => of(question).asksForList?.(question) ?? false,
    namesBoth: (question, one, other) => of(question).namesBoth(question, one, other),
    spanOf: (question, now) => of(question).spanOf?.(question, now),
    pastAsked: (question, now) => of(question).pastAsked?.(question, now) ?? asksInUnspaced(question),
    isAboutAsker: (question) => of(question).isAboutAsker?.(question) ?? false,
  }
}

/**
 * The language of a text by the names of `recall.language`, identified by its script and its function words; `english` where
 * too little tells. Ties go to English, then to the first. Cost: one look a word.
 */
export function detectLanguage(text: string): string {
  if (isCyrillic(text)) return 'russian'
  const hits = new Map<string, number>()
  for (const word of new Set(wordsOf(text)))
    for (const language of languagesByWord().get(word) ?? [])
      hits.set(language, (hits.get(language) ?? 0) + 1)
  let [best, most] = ['english', Math.max(ENOUGH - 1, hits.get('english') ?? 0)]
  for (const language of DATA.keys()) {
    const found = hits.get(language) ?? 0
    if (found > most) [best, most] = [language, found]
  }
  return best
}

function isCyrillic(text: string): boolean {
  if (!NON_ASCII.test(text)) return false
  const cyrillic = text.match(CYRILLIC)?.length ?? 0
  return cyrillic > 0 && cyrillic * 2 >= (text.match(LETTER)?.length ?? 0)
}

const YEAR = /\b(?:19|20)\d\d\b/

/** No language: every word counts, as it is written. For languages without a pack, or many mixed. */
function createNeutral(): LanguagePack {
  return {
    id: 'neutral-1',
    term: (word) => word,
    terms: (text) => {
      const { wholes, parts } = identifiersOf(text)
      return [...wordsOf(text), ...parts, ...wholes]
    },
    dateTerms: (iso) =>
      iso
        .slice(0, 10)
        .split('-')
        .map((part) => String(Number(part))),
    asks: (text) => endsWithQuestion(text),
    speaksOfTime: (text) => YEAR.test(text),
    asksWhen: () => false,
    namesBoth: () => false,
  }
}

/** English, for whoever builds an index without settings. */
export const LANGUAGE: LanguagePack = createEnglish()

/** A lower-case English word as it is compared with others: its stem, or itself where it has none. */
export function stemOf(word: string): string {
  return LANGUAGE.term(word) ?? word
}
