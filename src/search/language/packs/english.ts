import { stem } from 'porter2'
import { identifiersOf } from '../identifiers.ts'
import type { LanguagePack } from '../language.ts'
import { wordsOf } from '../words.ts'
import { englishSpan } from './english-spans.ts'

const STOP_WORDS = new Set(
  (
    'a an and are as at be been but by did do does for from had has have he her hers him his how i if in into is it ' +
    'its me my of on or our she so that the their them they this to was we were what when where which who whom why ' +
    'will with would you your s t d ll ve re m no not about than then there these those can could should am also just'
  ).split(' '),
)

/** Base form first. Only forms a stemmer cannot reach; ambiguous ones (saw, left as side) cost less than they find. */
const IRREGULAR_FORMS = (
  'go went gone;buy bought;take took taken;make made;get got gotten;give gave given;see saw seen;say said;tell told;' +
  'think thought;know knew known;find found;feel felt;meet met;leave left;bring brought;begin began begun;' +
  'write wrote written;run ran;come came;become became;win won;lose lost;teach taught;catch caught;eat ate eaten;' +
  'drink drank drunk;drive drove driven;ride rode ridden;fly flew flown;swim swam swum;sing sang sung;' +
  'speak spoke spoken;break broke broken;choose chose chosen;wear wore worn;build built;spend spent;send sent;' +
  'sell sold;sleep slept;keep kept;hear heard;hold held;grow grew grown;draw drew drawn;throw threw thrown;' +
  'show shown;fall fell fallen;forget forgot forgotten;stand stood;understand understood;sit sat;lie lay lain;' +
  'pay paid;lead led;fight fought;seek sought;hang hung;stick stuck;steal stole stolen;wake woke woken;' +
  'shake shook shaken;rise rose risen;hide hid hidden;bite bit bitten;dig dug;feed fed;shoot shot;sew sewn;' +
  'child children;man men;woman women;person people;foot feet;tooth teeth;mouse mice;wife wives;life lives;' +
  'knife knives;leaf leaves'
).split(';')

const BASE_FORMS = new Map(
  IRREGULAR_FORMS.flatMap((group) => {
    const [base, ...forms] = group.split(' ').map(stem) as [string, ...string[]]
    return forms.map((form) => [form, base] as const)
  }),
)

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)

const TIME_EXPRESSION =
  /\b(yesterday|today|tonight|tomorrow|last|next|this (?:week|month|year|morning|weekend|summer|winter|spring|fall|autumn)|ago|recently|since|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|weekend|(?:19|20)\d\d|\d+ (?:days?|weeks?|months?|years?))\b/i

const WHEN_QUESTION =
  /^\s*(when|since when|how long|how many (?:days|weeks|months|years))\b|\b(what|which|on what|in which) (date|day|month|year|time|week|season)\b/i

/** A capital I alone: a small one may be a letter or a variable. */
const ABOUT_ASKER = /\bI\b|\b(?:[Mm]y|[Mm]ine|[Mm]yself)\b/

const POSSESSIVE = /['’]s\b/g
const ENDS_WITH_QUESTION = /\?\s*(\[[^\]]*\]\s*)?$/
/** Words seen lately; a memory's vocabulary is far smaller than this. */
const CACHED_WORDS = 50_000

/** English, as chosen on the development data; each list is switched off by choosing another pack. */
export function createEnglish(): LanguagePack {
  const cache = new Map<string, string>()
  const term = (word: string): string | undefined => {
    if (STOP_WORDS.has(word)) return undefined
    const known = cache.get(word)
    if (known !== undefined) return known
    const stemmed = stem(word)
    const base = BASE_FORMS.get(stemmed) ?? stemmed
    if (cache.size >= CACHED_WORDS) cache.clear()
    cache.set(word, base)
    return base
  }
  const terms = (text: string): string[] => {
    const found: string[] = []
    for (const word of wordsOf(text.replace(POSSESSIVE, ''))) {
      const comparable = term(word)
      if (comparable !== undefined) found.push(comparable)
    }
    const { wholes, parts } = identifiersOf(text)
    for (const part of parts) {
      const comparable = term(part)
      if (comparable !== undefined) found.push(comparable)
    }
    found.push(...wholes)
    return found
  }
  const dates = new Map<string, string[]>()
  return {
    id: 'english-2',
    terms,
    term,
    dateTerms: (iso) => {
      const day = iso.slice(0, 10)
      const known = dates.get(day)
      if (known) return known
      const [year, month, date] = day.split('-').map(Number) as [number, number, number]
      const words = terms(`${date} ${MONTHS[month - 1] ?? ''} ${year}`)
      if (dates.size >= CACHED_WORDS) dates.clear()
      dates.set(day, words)
      return words
    },
    asks: (text) => ENDS_WITH_QUESTION.test(text),
    speaksOfTime: (text) => TIME_EXPRESSION.test(text),
    asksWhen: (question) => WHEN_QUESTION.test(question),
    namesBoth: (question, one, other) =>
      new RegExp(`\\b(?:${one} and ${other}|${other} and ${one}|both)\\b`, 'i').test(question),
    spanOf: englishSpan,
    isAboutAsker: (question) => ABOUT_ASKER.test(question),
  }
}
