import { NON_ASCII, normalised, withoutFences, wordSet } from '../block/text.ts'
import { type NamingRules, properNamesIn, type Told } from './proper-names.ts'
import smallTalk from './small-talk.json' with { type: 'json' }

/**
 * Language data describe one language for `createPack`. Word lists have a space between words, in lower case, accents as written. Phrases
 * are alternatives of a regular expression over the result of `sentenceOf`, so `d ora in poi` stands for "d'ora in poi".
 */
export interface LanguageData {
  readonly id: string
  /** Words that say nothing by themselves. */
  readonly stopWords: string
  /** Words that tell the language of a text; the stop words if absent. */
  readonly functionWords?: string
  /** A regular expression of endings to leave out; with it the stemmer gets words without their accents. */
  readonly possessive?: string
  /** Groups of forms with different stems, the base form first; a bar stands between groups. */
  readonly irregularForms?: string
  /** The twelve names of months; their terms are the English ones, so that a stored date needs no language. */
  readonly months: string
  /** Words that place something in time: months, weekdays, "yesterday", "last", "ago". */
  readonly timeWords: string
  readonly timePhrases?: string
  /** Beginnings of questions that want a time as their answer. */
  readonly whenStarts: string
  /** Phrases anywhere in a question that wants a time as its answer. */
  readonly whenPhrases: string
  readonly and: string
  readonly both: string
  /** A regular expression of words that make a question one about the asker. */
  readonly aboutAsker?: string
  /** Capitalised words that begin no name; the stop words, time words, `and` and `both` if absent. */
  readonly nameOpenings?: string
  /** True if every noun has a capital, so that a single capitalised word is no name. */
  readonly nounsHaveCapitals?: boolean
  readonly broad: BroadWords
  /** Phrases that may stand before a standing instruction: "please", "from now on". */
  readonly polite: string
  /** Beginnings of standing instructions besides those of `forGood`. */
  readonly standing: string
  readonly preference: string
  /**
   * Phrases of sentences that hold for good: `hence` "from now on"; `always` "always", "never"; `not` words that forbid or narrow an act;
   * `does` imperatives of an agent's acts; `asked` "when I ask"; `facts` "remember that we"; `named` "call me"; `prefers` "I prefer";
   * `definite` words that point to one thing at hand; `passing` phrases that tie a sentence to this step or to somebody else.
   */
  readonly forGood: Readonly<
    Record<
      'hence' | 'always' | 'not' | 'does' | 'asked' | 'facts' | 'named' | 'prefers' | 'definite' | 'passing',
      string
    >
  >
  readonly past: PastWords
  readonly corrections: CorrectionWords
}

/** Phrases by which a message says that the previous message was wrong. */
interface CorrectionWords {
  /** Phrases that begin a correction. */
  readonly begins: string
  /** Phrases among the first words of a correction. */
  readonly holds: string
  /** Phrases that begin other messages, which are never corrections. */
  readonly others: string
}

interface BroadWords {
  /** Words that ask for what is known. */
  readonly asks: string
  /** Words for all that is known, of which a question without a name must have one. */
  readonly whole: string
}

interface PastWords {
  /** Phrases of questions that ask what held at first. */
  readonly first: string
  /** Phrases of questions that ask what held before. */
  readonly past: string
  /** Phrases at the end of questions that ask what held before. */
  readonly atEnd: string
  /** Phrases before four digits that are a year: "in 2024". */
  readonly beforeYear: string
  /** Phrases before a date that ask what held until then. */
  readonly beforeDate: string
  /** Phrases before a date that compare it with now, or ask what has been since. */
  readonly nowDate: string
}

interface TimeSpan {
  readonly from: number
  readonly to: number
}

/** This is the version of a fact that a question wants: the one before the newest, the first, or the one of a time. */
export type PastAsked = 'before' | 'first' | TimeSpan

const MONTH_TERMS = 'januari februari march april may june juli august septemb octob novemb decemb'.split(' ')
const YEAR = /\b(?:19|20)\d\d\b/

/**
 * Returns the pack for a language's data. Accents are folded after stemming, so only the stemmer sees them.
 *
 * @param stem takes a word in lower case
 */
export function createPack(data: LanguageData, stem: (word: string) => string): LanguagePack {
  const term = termRule(data, stem)
  const possessive = data.possessive === undefined ? undefined : new RegExp(data.possessive, 'g')
  const terms = (text: string): string[] => {
    const { wholes, parts } = identifiersOf(text)
    const plain = possessive ? wordsOf(text.replace(possessive, '')) : accentedWordsOf(text)
    const words = [...plain, ...parts].flatMap((word) => term(word) ?? [])
    return [...words, ...wholes]
  }
  const time = patternOf(
    wordsOf(data.timeWords)
      .concat(data.timePhrases ?? [])
      .join('|'),
  )
  const [whenStarts, whenPhrases] = [patternOf(data.whenStarts, '^ '), patternOf(data.whenPhrases)]
  const both = wordsOf(data.both)
  const aboutAsker = data.aboutAsker === undefined ? undefined : new RegExp(data.aboutAsker)
  const openings = data.nameOpenings ?? [data.stopWords, data.timeWords, data.and, data.both].join(' ')
  const naming = { openings: wordSet(openings), fewestWords: data.nounsHaveCapitals ? 2 : 1 }
  const { always, asked, not, does } = data.forGood
  const forbids = `(?:${not}) (?:${does})|(?:${does}) (?:${not})`
  const standing = patternOf(
    [data.standing, always, asked, forbids, instructionsOf(data)].join('|'),
    politely(data),
  )
  const preference = patternOf(data.preference)
  const broad = { asks: new Set(wordsOf(data.broad.asks)), whole: new Set(wordsOf(data.broad.whole)) }
  return {
    id: data.id,
    term,
    terms,
    names: (text) => namesIn(text, naming, terms),
    speaksOfTime: (text) => YEAR.test(text) || time.test(sentenceOf(text)),
    asksWhen: (question) => {
      const asked = sentenceOf(question)
      return whenStarts.test(asked) || whenPhrases.test(asked)
    },
    namesBoth: (question, one, other) => {
      const asked = sentenceOf(question)
      const phrases = [`${one} ${data.and} ${other}`, `${other} ${data.and} ${one}`, ...both]
      return phrases.some((phrase) => asked.includes(` ${phrase} `))
    },
    pastAsked: timeRule(data.past, wordsOf(data.months)),
    isAboutAsker: (question) => aboutAsker?.test(question) === true,
    subjectOf: (question) => broadSubject(question, broad),
    // Texts of more than 60 words only mention an instruction.
    isStanding: (text) => wordsOf(text).length <= 60 && standing.test(sentenceOf(text)),
    statesPreference: (text) => preference.test(sentenceOf(text)),
  }
}

/** Returns the phrases that begin instructions for good. */
export function instructionsOf({ polite, forGood }: LanguageData): string {
  const { hence, always, not, does, asked, facts } = forGood
  const [rule, act] = [`(?:${always}|${hence})`, `(?:(?:${not}) )?(?:${does})`]
  return [
    `${rule} (?:(?:${polite}|${always}|${hence}) )*${act} \\S+`,
    `(?:${hence}) (?:${always}) \\S+`,
    `${act} ${rule}`,
    `${act} (?:\\S+ ){1,20}(?:${hence})(?= $)`,
    `(?:${always}) (?:\\S+ ){1,20}(?:${asked})`,
    `(?:${facts}) \\S+`,
  ].join('|')
}

/** Returns the expression of a beginning with any phrases that may stand before an instruction. */
export function politely({ polite, forGood }: LanguageData): string {
  return `^ (?:(?:${foldAccents(`${polite}|${forGood.hence}`)}) )*`
}

/** Returns the rule that maps a word to its term, and a stop word to undefined. */
function termRule(
  { stopWords, months, irregularForms }: LanguageData,
  stem: (word: string) => string,
): (word: string) => string | undefined {
  const stopped = new Set(wordsOf(stopWords))
  const monthTerms = new Map(wordsOf(months).map((name, i) => [name, MONTH_TERMS[i] as string]))
  const baseForms = new Map(
    irregularForms?.split('|').flatMap((group) => {
      const [base, ...forms] = group.split(' ').map(stem) as [string, ...string[]]
      return forms.map((form) => [form, base] as const)
    }),
  )
  const cache = new Map<string, string>()
  return (word) => {
    const plain = foldAccents(word)
    if (stopped.has(plain)) return undefined
    const known = cache.get(word)
    if (known !== undefined) return known
    const stemmed = foldAccents(stem(word))
    const found = monthTerms.get(plain) ?? baseForms.get(stemmed) ?? stemmed
    // The vocabulary of a memory is far smaller than the cache.
    if (cache.size >= 50_000) cache.clear()
    cache.set(word, found)
    return found
  }
}

const BROAD_LENGTH = 200
const SPOKEN = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’-][\p{L}\p{M}\p{N}]+)*/gu

type BroadSets = { readonly [kind in keyof BroadWords]: ReadonlySet<string> }

/** Returns the one name in a question that has no other words than broad ones, or '' without a name; undefined if it has others. */
function broadSubject(question: string, { asks, whole }: BroadSets): string | undefined {
  if (question.length > BROAD_LENGTH) return undefined
  const spoken = [...question.matchAll(SPOKEN)]
  const isBroad = ([word]: RegExpExecArray) =>
    wordsOf(word).every((part) => asks.has(part) || whole.has(part))
  const others = spoken.filter((each) => !isBroad(each))
  const [first, last] = [others[0], others.at(-1)]
  if (first === undefined || last === undefined)
    return spoken.some(([word]) => wordsOf(word).some((part) => whole.has(part))) ? '' : undefined
  const isName = first !== spoken[0] && others.every(([word]) => /^\p{Lu}/u.test(word))
  const isOne = spoken.indexOf(last) - spoken.indexOf(first) < others.length
  return isName && isOne
    ? question.slice(first.index, last.index + last[0].replace(/['’]s$/, '').length)
    : undefined
}

/** Returns the terms of an ISO-8601 date such as "8 May 2023", which are equal in all languages. */
export function dateTerms(iso: string): string[] {
  const [year, month, day] = iso.slice(0, 10).split('-').map(Number) as [number, number, number]
  return [String(day), MONTH_TERMS[month - 1] ?? '', String(year)]
}

interface FoundDate {
  readonly span: TimeSpan
  readonly lead: string
}

const DAY_IN_DIGITS =
  /\b(?:(?<year>(?:19|20)\d\d)-(?<month>0[1-9]|1[0-2])(?:-(?<day>[0-2]\d|3[01]))?(?![\w-])|(?<dottedDay>[0-2]?\d|3[01])\.(?<dottedMonth>0?[1-9]|1[0-2])\.(?<dottedYear>(?:19|20)\d\d)\b)/
/** A year that begins an identifier: "release 2024.2", "invoice 2025-03-117". */
const YEAR_OF_NAME = /\b(?:19|20)\d\d(?=[./-]\d)\S*/g

/** Returns the rule that finds the part of the past for which the words of a question ask. Cost: one pass over the question. */
export function pastRule(data: Pick<PastWords, 'first' | 'past' | 'atEnd'>) {
  const [first, past] = [patternOf(data.first), patternOf(data.past)]
  const atEnd = patternOf(data.atEnd, ' ', ' $')
  return (question: string): 'before' | 'first' | undefined => {
    const words = sentenceOf(question)
    if (first.test(words)) return 'first'
    return past.test(words) || atEnd.test(words) ? 'before' : undefined
  }
}

/**
 * Returns the rule that finds the part of the past, or of the future, for which a question asks: by its date, or else by its
 * words. The rule takes the present time in milliseconds since 1970.
 *
 * @param months the twelve names, folded
 */
function timeRule(
  data: PastWords,
  months: readonly string[],
): (question: string, at: number) => PastAsked | undefined {
  const byWords = pastRule(data)
  const names = months.flatMap((name) => [name, name.slice(0, 4), name.slice(0, 3)]).join('|')
  const day = '(\\d{1,2})(?:st|nd|rd|th)?'
  const written = new RegExp(
    ` (?:${day} (?:of |de )?)?(${names})(?: ${day})?(?: \\S{1,3})? ((?:19|20)\\d\\d) `,
  )
  const year = new RegExp(`(?<= (?:${foldAccents(data.beforeYear)}) )(?:19|20)\\d\\d(?= )`)
  // One word, such as an article, may stand between the phrase and the date.
  const atEnd = ' (?:\\S+ )?$'
  const [before, now] = [patternOf(data.beforeDate, ' ', atEnd), patternOf(data.nowDate, ' ', atEnd)]
  const dateInWords = (question: string): FoundDate | undefined => {
    const words = sentenceOf(question.replace(YEAR_OF_NAME, ' '))
    const month = written.exec(words)
    if (month !== null) {
      const number = months.findIndex((name) => name.startsWith(month[2] as string))
      const span = spanOfDate(Number(month[4]), number, Number(month[1] ?? month[3]))
      return { span, lead: words.slice(0, month.index + 1) }
    }
    const found = year.exec(words)
    return found === null
      ? undefined
      : { span: spanOfDate(Number(found[0])), lead: words.slice(0, found.index) }
  }
  return (question, at) => {
    const found = dateInDigits(question) ?? dateInWords(question)
    if (found === undefined) return byWords(question)
    const { span, lead } = found
    if (now.test(lead)) return undefined
    if (before.test(lead)) return span.from <= at ? { from: span.from - 1, to: span.from } : byWords(question)
    return span.to <= at || span.from > at ? span : byWords(question)
  }
}

/** Returns the first date in digits of a question: `2026-02-03`, `2026-02`, `3.2.2026`. */
function dateInDigits(question: string): FoundDate | undefined {
  const found = DAY_IN_DIGITS.exec(question)
  if (found?.groups === undefined) return undefined
  const { year, month, day, dottedYear, dottedMonth, dottedDay } = found.groups
  const span = spanOfDate(
    Number(year ?? dottedYear),
    Number(month ?? dottedMonth) - 1,
    Number(day ?? dottedDay),
  )
  return { span, lead: sentenceOf(question.slice(0, found.index)) }
}

/** Returns the span of a year, a month or a day; without a month, or with NaN as the day, the longer one. */
function spanOfDate(year: number, month?: number, day = Number.NaN): TimeSpan {
  if (month === undefined) return { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1) }
  if (Number.isNaN(day)) return { from: Date.UTC(year, month, 1), to: Date.UTC(year, month + 1, 1) }
  return { from: Date.UTC(year, month, day), to: Date.UTC(year, month, day + 1) }
}

/** Stands between the names of a passage in an index entry; a space stands between the words of a name. */
const BETWEEN_NAMES = '\t'

function namesIn(
  text: string,
  rules: NamingRules,
  termsOf: (word: string) => readonly string[],
): readonly NameTerms[] {
  const names = new Map<string, NameTerms>()
  for (const { text: name, words, told } of properNamesIn(text, rules)) {
    const terms = [...new Set(words.flatMap(termsOf))]
    const key = terms.join(' ')
    const known = names.get(key)
    const best = known?.told === 'inside' ? known.told : (told ?? known?.told)
    if (terms.length > 0) names.set(key, { text: known?.text ?? name, terms, ...(best && { told: best }) })
  }
  return [...names.values()]
}

/** Returns names as an index entry has them: their terms alone. */
export function joinNames(names: readonly NameTerms[]): string {
  return names.map(({ terms }) => terms.join(' ')).join(BETWEEN_NAMES)
}

export function splitNames(kept: string): readonly (readonly string[])[] {
  return kept === '' ? [] : kept.split(BETWEEN_NAMES).map((name) => name.split(' '))
}

export interface NameTerms {
  readonly text: string
  readonly terms: readonly string[]
  readonly told?: Told
}

/**
 * A language pack has the rules of a language for retrieval: words to leave out, word forms, and words for time and questions.
 * No rule about a language is anywhere else.
 */
export interface LanguagePack {
  /** Id of the pack, which the store remembers; it changes whenever a text would have other terms. */
  readonly id: string
  /** Returns the terms of a text: its words folded, stemmed, without stop words, irregular forms replaced by their base. */
  terms(text: string): string[]
  names(text: string): readonly NameTerms[]
  term(word: string): string | undefined
  /** Returns true if the text speaks of a time: a date, a weekday, "last week", "two days ago". */
  speaksOfTime(text: string): boolean
  asksWhen(question: string): boolean
  /** Returns true if a question means both of two sources, as in "Anna and Ben" or "both". */
  namesBoth(question: string, one: string, other: string): boolean
  /** Returns the version of a fact that a question wants, earlier or of a date; undefined for the present one. `now`: ms since 1970. */
  pastAsked(question: string, now: number): PastAsked | undefined
  /** Returns true if a question is about the asker, as in "my" and "I". */
  isAboutAsker(question: string): boolean
  /** Returns the name that a broad question is about, '' for a question about everything; undefined for any other question. */
  subjectOf(question: string): string | undefined
  /** Returns true if a text begins as a standing instruction does: "Always …", "Never …", "Whenever …". */
  isStanding(text: string): boolean
  statesPreference(text: string): boolean
}

const ASCII_WORD = /[a-z0-9]+/g
const ANY_WORD = /[\p{L}\p{N}\p{M}]+/gu
/** Marks that people leave out or type in two ways. In other scripts marks are vowels and must stay. */
const ACCENTS =
  /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}])\p{M}+/gu
const LONE_MARKS = /(?<![\p{L}\p{M}])\p{M}+/gu
/** Letters that do not decompose, with the letters that replace them. */
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
/** Scripts that are written without spaces, or with particles attached to words; pairs of neighbouring characters are their words. */
const UNSPACED_SCRIPTS =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}'
const UNSPACED = new RegExp(`(?=[\\p{L}\\p{N}])[${UNSPACED_SCRIPTS}]`, 'u')
const UNSPACED_RUN = new RegExp(`[${UNSPACED_SCRIPTS}]+|[^${UNSPACED_SCRIPTS}]+`, 'gu')
/** A letter with the vowels and tones written on it. */
const CLUSTER = /\P{M}\p{M}*/gu

/** Finds words, and words that signs join to one; no part of a text is matched twice. */
const JOINED_WORDS = /[\p{L}\p{N}_]+(?:[-./:\\][\p{L}\p{N}_]+)*/gu
/** A capital inside a word: `openMemory`, `HTTPServer`. */
const INNER_CAPITAL = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}{2}/u
const NO_LETTER = /[^\p{L}\p{N}]+/u
const SIGN = /[-./:\\]/
const JOINED = /[-./:\\_]/
const VERSION = /^v(?=\d+\.\d)/
const THOUSANDS = /(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g
/** A part of a word that capitals set off: `openHTTPFile2` → open, HTTP, File2. */
const HUMP = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?\p{Ll}+\p{N}*|\p{N}+/gu

/** Returns words in lower case with accents folded, in order; runs of an unspaced script become overlapping pairs. */
export function wordsOf(text: string): string[] {
  const lower = text.toLowerCase()
  if (!NON_ASCII.test(lower)) return lower.match(ASCII_WORD) ?? []
  return wordsIn(foldAccents(lower))
}

/** Returns the words of a text as `wordsOf` does, but with their accents, for a stemmer that knows accents. */
function accentedWordsOf(text: string): string[] {
  const lower = text.toLowerCase()
  return NON_ASCII.test(lower) ? wordsIn(normalised(lower, 'NFKC')) : (lower.match(ASCII_WORD) ?? [])
}

/** Returns the words of a text with single spaces between, before and after them. */
export function sentenceOf(text: string): string {
  return ` ${wordsOf(text).join(' ')} `
}

/**
 * Returns an expression that finds phrases in the result of `sentenceOf`.
 *
 * @param phrases alternatives of a regular expression, with bars between; accents are folded
 * @param before an expression for the text before a phrase
 * @param after an expression for the text behind a phrase
 */
export function patternOf(phrases: string, before = ' ', after = ' '): RegExp {
  return new RegExp(`${before}(?:${foldAccents(phrases)})${after}`)
}

/** Returns a lower-case text without accents, in the width and composition that people type. */
export function foldAccents(lower: string): string {
  if (!NON_ASCII.test(lower)) return lower
  const bare = normalised(lower, 'NFKD')
    .replace(ACCENTS, '$1')
    .replace(SPECIAL_LETTER, (letter) => LETTERS[letter] as string)
  return normalised(bare, 'NFC')
}

/**
 * Returns the terms that structured words add to the plain words of a text, in order: the wholes (`snake_case`, `src/a.ts`, `1.2.3` for
 * `v1.2.3`, `4210` for `4,210`), and the parts that capitals set off (`open` and `memory` of `openMemory`). Parts between signs
 * are plain words already.
 */
export function identifiersOf(text: string): { readonly wholes: string[]; readonly parts: string[] } {
  // Longer words are encoded data.
  const structured = structuredOf(text).filter(({ length }) => length <= 80)
  const joined = structured.filter((word) => JOINED.test(word)).map(folded)
  const numbers = (text.match(THOUSANDS) ?? []).map((number) => number.replaceAll(',', ''))
  return {
    wholes: [...joined.map((word) => word.replace(VERSION, '')), ...numbers],
    parts: structured.flatMap((word) => word.split(NO_LETTER)).flatMap(humpsOf),
  }
}

/** Returns words joined by signs, or with capitals inside: code, paths, addresses, versions, compounds. */
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

/** Returns the parts of a word that capitals set off, without single letters; empty if there is only one part. */
function humpsOf(word: string): string[] {
  const humps = word.match(HUMP) ?? []
  return humps.length > 1 ? humps.filter(({ length }) => length > 1).map(folded) : []
}

function folded(word: string): string {
  return foldAccents(word.toLowerCase())
}

const QUESTION_AT_END = /[?？؟](?:\s*\[[^\]]*\])?$/

/** Returns true if a text ends with a question mark, which a note in square brackets, such as who asked, may follow. */
export function endsWithQuestion(text: string): boolean {
  return QUESTION_AT_END.test(text.trimEnd().slice(-200))
}

/** Words that say nothing, alone or together: consent, thanks, greetings, "go on"; no names and no words with content. */
const EMPTY_WORDS: ReadonlySet<string> = wordSet(smallTalk.words.join(' '))

/**
 * Returns true if a text says nothing by itself: blank, signs alone, or a few words of consent, thanks or greeting. Such a message asks
 * nothing, and nobody will look for it. Numbers, names and unknown words say something.
 */
export function isSmallTalk(text: string): boolean {
  const plain = text.trim()
  if (plain.length > 200) return !/[\p{L}\p{N}]/u.test(plain)
  const words = plain.toLowerCase().match(ANY_WORD) ?? []
  return words.length <= 8 && words.every((word) => EMPTY_WORDS.has(word))
}

/** Characters at the beginning of a long message that are kept, and at its end, where a question stands behind pasted text. */
const [BEGINNING, END] = [1_500, 500]

/**
 * Returns the question of a message, without recalled text in it; empty if the message asks nothing. A long message is cut to its
 * beginning and its end.
 */
export function questionOf(message: string): string {
  const own = withoutFences(message).text.trim()
  if (isSmallTalk(own)) return ''
  return own.length > BEGINNING + END ? `${own.slice(0, BEGINNING)} … ${own.slice(-END)}`.toWellFormed() : own
}
