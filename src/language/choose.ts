import { stemmer as stemDutch } from '@orama/stemmers/dutch'
import { stemmer as stemFrench } from '@orama/stemmers/french'
import { stemmer as stemGerman } from '@orama/stemmers/german'
import { stemmer as stemItalian } from '@orama/stemmers/italian'
import { stemmer as stemPortuguese } from '@orama/stemmers/portuguese'
import { stemmer as stemRussian } from '@orama/stemmers/russian'
import { stemmer as stemSpanish } from '@orama/stemmers/spanish'
import { stem as stemEnglish } from 'porter2'
import { NON_ASCII } from '../block/text.ts'
import type { Embedder } from '../engine/ports.ts'
import { ElfmemError } from '../errors.ts'
import dutch from './dutch.json' with { type: 'json' }
import english from './english.json' with { type: 'json' }
import french from './french.json' with { type: 'json' }
import german from './german.json' with { type: 'json' }
import italian from './italian.json' with { type: 'json' }
import {
  createPack,
  endsWithQuestion,
  type LanguageData,
  type LanguagePack,
  pastRule,
  patternOf,
  wordsOf,
} from './pack.ts'
import portuguese from './portuguese.json' with { type: 'json' }
import russian from './russian.json' with { type: 'json' }
import spanish from './spanish.json' with { type: 'json' }
import unspaced from './unspaced.json' with { type: 'json' }

/** A language: its data, and the stemmer of a library. */
interface Language {
  readonly data: LanguageData
  readonly stem: (word: string) => string
}

/** The languages by the names that `recall.language` has. */
const LANGUAGES: ReadonlyMap<string, Language> = new Map(
  Object.entries({
    english: { data: english, stem: stemEnglish },
    german: { data: german, stem: stemGerman },
    french: { data: french, stem: stemFrench },
    spanish: { data: spanish, stem: stemSpanish },
    portuguese: { data: portuguese, stem: stemPortuguese },
    italian: { data: italian, stem: stemItalian },
    dutch: { data: dutch, stem: stemDutch },
    russian: { data: russian, stem: stemRussian },
  }),
)

const packs = new Map<string, LanguagePack>()

/** The pack of one of the languages, made when it is first asked for. */
function packOf(name: string): LanguagePack | undefined {
  const language = LANGUAGES.get(name)
  if (language !== undefined && !packs.has(name)) packs.set(name, createPack(language.data, language.stem))
  return packs.get(name)
}

let languagesKept: ReadonlyMap<string, readonly string[]> | undefined

/** The languages that have a word as a function word, read when a text is first asked about: opening a memory asks about none. */
function languagesByWord(): ReadonlyMap<string, readonly string[]> {
  if (languagesKept !== undefined) return languagesKept
  const found = new Map<string, string[]>()
  for (const [name, { data }] of LANGUAGES)
    for (const word of new Set(wordsOf(data.functionWords ?? data.stopWords)))
      found.set(word, [...(found.get(word) ?? []), name])
  languagesKept = found
  return found
}

/** A language is told by at least this many of its function words, and more than are English. */
const ENOUGH = 2
const CYRILLIC = /\p{Script=Cyrillic}/gu
const LETTER = /\p{L}/gu

/** English, for callers that build an index without settings. */
export const LANGUAGE = packOf('english') as LanguagePack

/** The pack of a language as `recall.language` names it. */
export function createLanguage(name: string): LanguagePack {
  return packOf(name) ?? createAuto()
}

/** Reads every text in the language it is written in. An English store comes out exactly as with the English pack. */
function createAuto(): LanguagePack {
  let last = { text: '', pack: LANGUAGE }
  // Callers ask several things of a text one after the other.
  const of = (text: string): LanguagePack => {
    if (text !== last.text) last = { text, pack: packOf(detectLanguage(text)) ?? LANGUAGE }
    return last.pack
  }
  const asksInUnspaced = pastRule(unspaced.past)
  return {
    id: `auto-1(${[...LANGUAGES.values()].map(({ data }) => data.id).join(',')})`,
    terms: (text) => of(text).terms(text),
    names: (text) => of(text).names?.(text) ?? [],
    term: LANGUAGE.term,
    dateTerms: LANGUAGE.dateTerms,
    asks: endsWithQuestion,
    speaksOfTime: (text) => of(text).speaksOfTime(text),
    asksWhen: (question) => of(question).asksWhen(question),
    namesBoth: (question, one, other) => of(question).namesBoth(question, one, other),
    pastAsked: (question, now) => of(question).pastAsked?.(question, now) ?? asksInUnspaced(question),
    isAboutAsker: (question) => of(question).isAboutAsker?.(question) ?? false,
    isStanding: (text) => of(text).isStanding?.(text) ?? false,
    statesPreference: (text) => of(text).statesPreference?.(text) ?? false,
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
  for (const language of LANGUAGES.keys()) {
    const found = hits.get(language) ?? 0
    if (found > most) [best, most] = [language, found]
  }
  return best
}

function isCyrillic(text: string): boolean {
  if (!NON_ASCII.test(text)) return false
  const cyrillic = countOf(text, CYRILLIC)
  return cyrillic > 0 && cyrillic * 2 >= countOf(text, LETTER)
}

/**
 * True if at least half of the letters of a text are of scripts that the embedder was trained on, and for a text
 * without letters. Throws CONFIG_INVALID if Unicode has no script of a name in `scripts`. Cost: a pass over the text for
 * each script.
 */
export function knowsScript({ scripts }: Pick<Embedder, 'scripts'>, text: string): boolean {
  if (scripts === undefined) return true
  const known = scripts.map((name) => countOf(text, lettersOf(name)))
  return 2 * known.reduce((sum, each) => sum + each, 0) >= countOf(text, LETTER)
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

function lettersOf(script: string): RegExp {
  try {
    return new RegExp(`(?=\\p{L})\\p{Script=${script}}`, 'gu')
  } catch {
    throw new ElfmemError('CONFIG_INVALID', `The embedder names a script that Unicode lacks: ${script}.`, {
      recovery: 'Give the names that Unicode has for the Script property, such as Latin or Cyrillic.',
    })
  }
}

/** A lower-case English word as it is compared with others: its stem, or itself where it has none. */
export function stemOf(word: string): string {
  return LANGUAGE.term(word) ?? word
}

/** Who corrects says so at once; what comes later is the next task. */
const FIRST_WORDS = 40
/** Characters in which so many words stand. */
const READ_MOST = 1_000

/**
 * The rule that tells a correction from other messages, by the name that `recall.language` has. Without a language all are taken
 * together, because "no" and "non" are too short to tell one. Cost: the first words of a
 * message.
 */
export function correctionRule(language: string): (message: string) => boolean {
  const all = [...LANGUAGES.values()].map(({ data }) => data.corrections)
  const named = LANGUAGES.get(language)?.data.corrections
  const known = named ? [named] : all
  const begins = patternOf(known.map((phrases) => phrases.begins).join('|'), '^ ')
  const holds = patternOf(known.map((phrases) => phrases.holds).join('|'))
  // Who thanks in another language corrects nothing either.
  const others = patternOf(all.map((phrases) => phrases.others).join('|'), '^ ')
  return (message) => {
    const words = wordsOf(message.slice(0, READ_MOST)).slice(0, FIRST_WORDS)
    const sentence = ` ${words.join(' ')} `
    return !others.test(sentence) && (begins.test(sentence) || holds.test(sentence))
  }
}
