import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as portuguese } from '@orama/stemmers/portuguese'
import { stemmer as russian } from '@orama/stemmers/russian'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import type { Block, BlockIndex } from '../../domain/block/block.ts'
import { NON_ASCII, wordSet } from '../../domain/text/text.ts'
import changes from './changes.json' with { type: 'json' }
import { pastInUnspaced } from './changes.ts'
import dates from './dates.json' with { type: 'json' }
import { createEnglish } from './english.ts'
import languages from './languages.json' with { type: 'json' }
import { joinNames, type NameTerms } from './name-terms.ts'
import { createPack, type LanguageData, type LanguagePack } from './pack.ts'
import { endsWithQuestion, identifiersOf, wordsOf } from './words.ts'

/** Each language but English: its words are data, its stemmer is a library. */
const DATA: Readonly<Record<string, LanguageData>> = {
  german: {
    ...languages.german,
    changes: changes.german,
    dates: dates.german,
    stem: german,
  },
  french: {
    ...languages.french,
    changes: changes.french,
    dates: dates.french,
    stem: french,
  },
  spanish: {
    ...languages.spanish,
    changes: changes.spanish,
    dates: dates.spanish,
    stem: spanish,
  },
  portuguese: {
    ...languages.portuguese,
    changes: changes.portuguese,
    dates: dates.portuguese,
    stem: portuguese,
  },
  italian: {
    ...languages.italian,
    changes: changes.italian,
    dates: dates.italian,
    stem: italian,
  },
  dutch: {
    ...languages.dutch,
    changes: changes.dutch,
    dates: dates.dutch,
    stem: dutch,
  },
  russian: {
    ...languages.russian,
    changes: changes.russian,
    dates: dates.russian,
    stem: russian,
  },
}

/** The languages that have a word as a function word, by their places in `DATA`. */
type LanguagesOf = ReadonlyMap<string, readonly number[]>

function languagesOf(words: (data: LanguageData) => readonly string[]): LanguagesOf {
  const found = new Map<string, number[]>()
  for (const [at, data] of Object.values(DATA).entries())
    for (const word of new Set(words(data))) found.set(word, [...(found.get(word) ?? []), at])
  return found
}

let stopWordsKept: LanguagesOf | undefined

/** By function words, made when a text is first asked about: opening a memory asks about none. */
function stopWordsOf(): LanguagesOf {
  stopWordsKept ??= languagesOf(({ stopWords }) => wordsOf(stopWords))
  return stopWordsKept
}

/** Function words of English, and English words that other languages have as function words. */
const ENGLISH = wordSet(languages.english.functionWords)

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
    const data = Object.hasOwn(DATA, language) ? DATA[language] : undefined
    if (data !== undefined && !packs.has(language)) packs.set(language, createPack(data, english.dateTerms))
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
  return {
    id: `auto-1(${[english, ...Object.values(DATA)].map(({ id }) => id).join(',')})`,
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
    pastAsked: (question, now) => of(question).pastAsked?.(question, now) ?? pastInUnspaced(question),
    isAboutAsker: (question) => of(question).isAboutAsker?.(question) ?? false,
  }
}

/**
 * The language of a text by the names of `recall.language`, identified by its script and its function words; `english` where
 * too little tells. Ties go to English, then to the first. Cost: one look a word.
 */
export function detectLanguage(text: string): string {
  if (isCyrillic(text)) return 'russian'
  const words = new Set(wordsOf(text))
  return mostOf(hitsOf(words, stopWordsOf()), Math.max(ENOUGH - 1, englishIn(words)))
}

function isCyrillic(text: string): boolean {
  if (!NON_ASCII.test(text)) return false
  const cyrillic = text.match(CYRILLIC)?.length ?? 0
  return cyrillic > 0 && cyrillic * 2 >= (text.match(LETTER)?.length ?? 0)
}

/** Counts by language the words that it has as function words. */
function hitsOf(words: ReadonlySet<string>, known: LanguagesOf, hits: number[] = []): number[] {
  for (const word of words) for (const at of known.get(word) ?? []) hits[at] = (hits[at] ?? 0) + 1
  return hits
}

function englishIn(words: ReadonlySet<string>): number {
  let found = 0
  for (const word of words) if (ENGLISH.has(word)) found++
  return found
}

/** The first language with the most hits; English if none has more than it. */
function mostOf(hits: readonly number[], english: number): string {
  let [best, most] = ['english', english]
  for (const [at, language] of Object.keys(DATA).entries()) {
    const found = hits[at] ?? 0
    if (found > most) [best, most] = [language, found]
  }
  return best
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

/** Changes whenever the names of a text would come out differently. */
const NAMES = 'names-1'

type IndexedText = Pick<Block, 'id' | 'content' | 'summary' | 'cue' | 'source'>

/** How texts become what recall finds and ranks them by. */
export interface Analysis {
  /** Changes whenever stored terms would come out differently; the store remembers it. */
  readonly id: string
  readonly language: LanguagePack
  /** Makes a block's index entry; without a vector only words find it. Cost: one pass over the text. */
  entry(block: IndexedText, vector?: Float32Array): BlockIndex
}

/** Entries held in mind: what waits is read when it comes, and again by the dream that takes it in. */
const KEPT_MOST = 1_024

/** @param cueWeight how often a word of the cue counts; one of the content counts once */
export function createAnalysis(language: LanguagePack, cueWeight: number): Analysis {
  const held = new Map<string, { readonly block: IndexedText; readonly entry: BlockIndex }>()
  const entryOf = ({ id, content, summary, cue, source }: IndexedText): BlockIndex => {
    const known = held.get(id)
    const block = { id, content, summary, cue, source } as IndexedText
    if (known !== undefined && TEXTS.every((text) => known.block[text] === block[text])) return known.entry
    if (held.size >= KEPT_MOST) held.clear()
    const entry = read(block, language, cueWeight)
    held.set(id, { block, entry })
    return entry
  }
  return {
    id: `${language.id}/cue-${cueWeight}/${NAMES}`,
    language,
    entry: (block, vector) => {
      const entry = entryOf(block)
      return vector ? { ...entry, vector } : entry
    },
  }
}

/** The texts of an entry. */
const TEXTS = ['content', 'summary', 'cue', 'source'] as const

function read(block: IndexedText, language: LanguagePack, cueWeight: number): BlockIndex {
  const names = joinNames(namesOf(block, language))
  const asks = language.asks(block.content)
  const timed = language.speaksOfTime(block.content)
  const cues = Array.from({ length: cueWeight }, () => block.cue)
  const text = [block.source, ...cues, block.summary, block.content]
    .filter((part) => part !== undefined)
    .join('\n')
  const terms = language.terms(text).join(' ')
  return { id: block.id, terms, asks, timed, ...(names === '' ? {} : { names }) }
}

/** The names in what a block says and is said to be for, each once; its source is a label and no name. */
export function namesOf(
  { cue, summary, content }: Pick<Block, 'cue' | 'summary' | 'content'>,
  language: LanguagePack,
): readonly NameTerms[] {
  return language.names?.([cue, summary, content].filter((part) => part !== undefined).join('\n')) ?? []
}

/** English, for whoever builds an index without settings. */
export const LANGUAGE: LanguagePack = createEnglish()

/** A lower-case English word as it is compared with others: its stem, or itself where it has none. */
export function stemOf(word: string): string {
  return LANGUAGE.term(word) ?? word
}
