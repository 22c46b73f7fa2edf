import { stemmer as stemDutch } from '@orama/stemmers/dutch'
import { stemmer as stemFrench } from '@orama/stemmers/french'
import { stemmer as stemGerman } from '@orama/stemmers/german'
import { stemmer as stemItalian } from '@orama/stemmers/italian'
import { stemmer as stemPortuguese } from '@orama/stemmers/portuguese'
import { stemmer as stemRussian } from '@orama/stemmers/russian'
import { stemmer as stemSpanish } from '@orama/stemmers/spanish'
import { stem as stemEnglish } from 'porter2'
import { type Block, type BlockIndex, type ContentVectors, PassageFlag } from '../block/block.ts'
import { NON_ASCII, passagesOf } from '../block/text.ts'
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
  joinNames,
  type LanguageData,
  type LanguagePack,
  type NameTerms,
  type PastAsked,
  pastRule,
  patternOf,
  wordsOf,
} from './pack.ts'
import portuguese from './portuguese.json' with { type: 'json' }
import russian from './russian.json' with { type: 'json' }
import spanish from './spanish.json' with { type: 'json' }
import unspaced from './unspaced.json' with { type: 'json' }

/** The data of each language and its stemmer, by the names that `recall.language` has. */
const LANGUAGES = new Map<string, { readonly data: LanguageData; readonly stem: (word: string) => string }>(
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

/** Returns the data of each language. */
export function allLanguages(): LanguageData[] {
  return [...LANGUAGES.values()].map(({ data }) => data)
}

const packs = new Map<string, LanguagePack>()

/** Returns the pack of a language, which is made at the first call; undefined for an unknown name. */
function packOf(name: string): LanguagePack | undefined {
  const language = LANGUAGES.get(name)
  if (language !== undefined && !packs.has(name)) packs.set(name, createPack(language.data, language.stem))
  return packs.get(name)
}

/** The languages of each function word; empty until the language of a text is wanted, since opening a memory needs none. */
const languagesByWord = new Map<string, string[]>()

function readFunctionWords(): void {
  for (const [name, { data }] of LANGUAGES)
    for (const word of new Set(wordsOf(data.functionWords ?? data.stopWords)))
      languagesByWord.set(word, [...(languagesByWord.get(word) ?? []), name])
}

const CYRILLIC = /\p{Script=Cyrillic}/gu
const LETTER = /\p{L}/gu

/** The English pack, for callers that build an index without settings. */
export const LANGUAGE = packOf('english') as LanguagePack

/** Returns the pack of a language that `recall.language` names, or the one that detects languages. */
export function createLanguage(name: string): LanguagePack {
  return packOf(name) ?? createAuto()
}

/** Returns a pack that reads every text in its own language. It reads English texts exactly as the English pack does. */
function createAuto(): LanguagePack {
  let last = { text: '', pack: LANGUAGE }
  // Callers ask several things about a text, one after the other.
  const of = (text: string): LanguagePack => {
    if (text !== last.text) last = { text, pack: packOf(detectLanguage(text)) ?? LANGUAGE }
    return last.pack
  }
  const asksInUnspaced = pastRule(unspaced.past)
  return {
    id: `auto-1(${[...LANGUAGES.values()].map(({ data }) => data.id).join(',')})`,
    terms: (text) => of(text).terms(text),
    names: (text) => of(text).names(text),
    term: LANGUAGE.term,
    speaksOfTime: (text) => of(text).speaksOfTime(text),
    asksWhen: (question) => of(question).asksWhen(question),
    namesBoth: (question, one, other) => of(question).namesBoth(question, one, other),
    pastAsked: (question, now) => of(question).pastAsked(question, now) ?? asksInUnspaced(question),
    isAboutAsker: (question) => of(question).isAboutAsker(question),
    // A short question may have too few words to tell its language.
    subjectOf: (question) => {
      for (const name of LANGUAGES.keys()) {
        const subject = packOf(name)?.subjectOf(question)
        if (subject !== undefined) return subject
      }
      return undefined
    },
    isStanding: (text) => of(text).isStanding(text),
    statesPreference: (text) => of(text).statesPreference(text),
  }
}

/**
 * Returns the language of a text by the names of `recall.language`, from its script and function words. It must have at least two of
 * these, and more than English has; otherwise the language is `english`. If two languages have most, the first counts. One look a word.
 */
export function detectLanguage(text: string): string {
  if (isCyrillic(text)) return 'russian'
  if (languagesByWord.size === 0) readFunctionWords()
  const hits = new Map<string, number>()
  for (const word of new Set(wordsOf(text)))
    for (const language of languagesByWord.get(word) ?? []) hits.set(language, (hits.get(language) ?? 0) + 1)
  let [best, most] = ['english', Math.max(1, hits.get('english') ?? 0)]
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
 * Returns true if at least half of the letters of a text are of scripts that the embedder was trained on, or if the text has no
 * letters. Throws `CONFIG_INVALID` if Unicode has no script of a name in `scripts`. Cost: a pass over the text for each
 * script.
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

/** Returns the form in which a lower-case English word is compared with others: its stem, or itself if it has no stem. */
export function stemOf(word: string): string {
  return LANGUAGE.term(word) ?? word
}

/**
 * Returns the rule that tells a correction from other messages, by the name that `recall.language` has. Without a language it uses the
 * phrases of all languages, because "no" and "non" are too short to tell a language. Cost: the first words of a message.
 */
export function correctionRule(language: string): (message: string) => boolean {
  const all = allLanguages().map(({ corrections }) => corrections)
  const named = LANGUAGES.get(language)?.data.corrections
  const known = named ? [named] : all
  const begins = patternOf(known.map((phrases) => phrases.begins).join('|'), '^ ')
  const holds = patternOf(known.map((phrases) => phrases.holds).join('|'))
  // Thanks in another language are no correction either.
  const others = patternOf(all.map((phrases) => phrases.others).join('|'), '^ ')
  return (message) => {
    // A correction comes first in a message; what follows is the next task.
    const words = wordsOf(message.slice(0, 1_000)).slice(0, 40)
    const sentence = ` ${words.join(' ')} `
    return !others.test(sentence) && (begins.test(sentence) || holds.test(sentence))
  }
}

const POSSESSIVE = /['’]s$/
const NOT_WORD = /[^\p{L}\p{N}_’']/gu
const CAPITAL = /^\p{Lu}/u
/** Sources of blocks that mean the user who asks. */
export const USERS: ReadonlySet<string> = new Set(['user', 'human', 'owner'])

/** A question as the index reads it has words, and says what kind of answer it wants. */
export interface Question {
  readonly text: string
  readonly terms: readonly string[]
  /** Text to embed: the question without names that too many blocks have to mean anything. */
  readonly toEmbed: string
  readonly asksWhen: boolean
  /** The earlier version of its subject that the question wants. */
  readonly past?: PastAsked
  /** The end of the future date that the question asks for, ISO-8601 UTC. */
  readonly ahead?: string
}

/**
 * Reads a question with the words that the memory knows.
 *
 * @param isCommon returns true if too many blocks have a term; such a capitalised word inside the question is left out of `toEmbed`
 * @param now milliseconds since 1970; without it the question wants no version of the past
 */
export function readQuestion(
  text: string,
  language: LanguagePack,
  isCommon: (term: string) => boolean,
  now: number | undefined,
): Question {
  const kept = text.split(/\s+/).filter((raw, i) => {
    if (i === 0 || !CAPITAL.test(raw)) return true
    const word = raw.replace(NOT_WORD, '').replace(POSSESSIVE, '').toLowerCase()
    const term = language.term(word)
    return term === undefined || !isCommon(term)
  })
  // A longer text as a question looks for similar texts, and wants no version of any.
  const then = now === undefined || text.length > 1_000 ? undefined : language.pastAsked(text, now)
  const terms = language.terms(text)
  const isAhead = typeof then === 'object' && 'from' in then && now !== undefined && then.from > now
  return {
    text,
    ...(isAhead ? { ahead: new Date(then.to - 1).toISOString() } : {}),
    ...(then === undefined || isAhead ? {} : { past: then }),
    terms: withoutRepeats(terms),
    toEmbed: kept.join(' ').trim() || text,
    asksWhen: language.asksWhen(text),
  }
}

/** The greatest number of repeats of a word in a question that count: further ones say no more, but each costs a pass over its postings. */
const REPEATS_MOST = 8

function withoutRepeats(terms: readonly string[]): readonly string[] {
  if (terms.length <= REPEATS_MOST) return terms
  const said = new Map<string, number>()
  return terms.filter((term) => {
    const times = (said.get(term) ?? 0) + 1
    said.set(term, times)
    return times <= REPEATS_MOST
  })
}

/** A source index knows the sources of blocks, and finds those that a question names. */
export class SourceIndex {
  readonly #language: LanguagePack
  /** The words of each source, by the number of the source. */
  readonly #words: (readonly string[])[] = []
  readonly #known = new Set<string>()

  constructor(language: LanguagePack) {
    this.#language = language
  }

  /** Takes in all new sources of a list that only grows; the place in the list is the number of a source. */
  take(sources: { readonly end: number; textOf(number: number): string }): void {
    while (this.#words.length < sources.end) {
      const all = wordsOf(sources.textOf(this.#words.length))
      const words = [...new Set(all)].filter((word) => this.#language.term(word) !== undefined)
      for (const word of words) this.#known.add(word)
      this.#words.push(words)
    }
  }

  /**
   * Returns for each source what a question says of it: 1 it is named, -1 another source is named, 0 nothing is said or it has no words.
   * A question that names two sources and does not list them means the first, and says nothing of the second. A question about the
   * asker means the user's words, and says nothing of other sources. Undefined if the question names no source.
   */
  mentions(question: string): Int8Array | undefined {
    const asked = new Set(wordsOf(question.replace(/['’]s\b/g, '')))
    const [first, second] = [...asked].filter((word) => this.#known.has(word))
    if (first === undefined) {
      if (!this.#language.isAboutAsker(question)) return undefined
      const mentions = Int8Array.from(this.#words, (words) => Number(words.some((word) => USERS.has(word))))
      return mentions.includes(1) ? mentions : undefined
    }
    const all = second === undefined || this.#language.namesBoth(question, first, second)
    return Int8Array.from(this.#words, (words) => {
      const isNamed = words.some((word) => asked.has(word))
      if (all ? isNamed : words.includes(first)) return 1
      return isNamed || words.length === 0 ? 0 : -1
    })
  }
}

/** Id of the rules for passages, flags and names; it changes whenever a text would have other ones. */
const PASSAGES = 'passages-2'

type IndexedText = Pick<Block, 'id' | 'content' | 'summary' | 'cue' | 'source'>

/** An analysis turns texts into the terms and marks by which recall finds and ranks them. */
export interface Analysis {
  /** Id of the analysis, which the store remembers; it changes whenever a text would have other terms. */
  readonly id: string
  readonly language: LanguagePack
  /** Returns the index entry of a block; without vectors only words find the block. Cost: one pass over the text. */
  entry(block: IndexedText, vectors?: ContentVectors): BlockIndex
}

/** Number of times that a word of a cue counts if a word of the content counts once: a cue says what the block is for. */
const CUE_WEIGHT = 2

/** Returns the analysis of texts in a language. */
export function createAnalysis(language: LanguagePack): Analysis {
  return {
    id: `${language.id}/cue-${CUE_WEIGHT}/${PASSAGES}`,
    language,
    entry: (block, vectors) => ({ ...read(block, language), ...(vectors && { vectors }) }),
  }
}

function read(block: IndexedText, language: LanguagePack): BlockIndex {
  const { id, content, summary, cue, source } = block
  const isOfAssistant = source?.toLowerCase() === ASSISTANT
  const [terms, names]: [string[], string[]] = [[], []]
  let flags = ''
  for (const [i, { from, to }] of passagesOf(content).entries()) {
    const passage = content.slice(from, to)
    // Words of the cue and the summary find the first passage.
    const beside = i === 0 ? [...Array<string | undefined>(CUE_WEIGHT).fill(cue), summary] : []
    const line = [source, ...beside, passage].filter(isGiven).join('\n')
    terms.push(language.terms(line).join(' '))
    flags += flagsOf(passage, language, isOfAssistant).toString(16)
    names.push(joinNames(namesOf(i === 0 ? { ...block, content: passage } : { content: passage }, language)))
  }
  const named = names.join('\n')
  return { id, terms: terms.join('\n'), flags, ...(named.trim() === '' ? {} : { names: named }) }
}

const isGiven = (part: string | undefined) => part !== undefined

/** The source of an assistant's words, whose instructions and preferences are nobody's. */
const ASSISTANT = 'assistant'

function flagsOf(passage: string, language: LanguagePack, isOfAssistant: boolean): number {
  const flags =
    (endsWithQuestion(passage) ? PassageFlag.asks : 0) |
    (language.speaksOfTime(passage) ? PassageFlag.timed : 0)
  if (isOfAssistant) return flags
  return (
    flags |
    (language.isStanding(passage) ? PassageFlag.standing : 0) |
    (language.statesPreference(passage) ? PassageFlag.prefers : 0)
  )
}

/** Returns the names in cue, summary and content of a block, each once; its source is a label and no name. */
export function namesOf(
  { cue, summary, content }: Pick<Block, 'cue' | 'summary' | 'content'>,
  language: LanguagePack,
): readonly NameTerms[] {
  return language.names([cue, summary, content].filter(isGiven).join('\n'))
}
