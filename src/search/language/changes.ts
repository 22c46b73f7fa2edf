import { Phrases } from './phrases.ts'
import { wordsOf } from './words.ts'

/** A language's words about what changes; phrases are separated by bars, in lower case, accents as written; dots stand for a few words. */
export interface ChangeWords {
  /** A text with one of them may say that something is not what it was. */
  readonly change: string
  /** A question with one of them asks what held before. */
  readonly past: string
  /** So does a question with one of these beside a word of `was`. */
  readonly pastIfWas: string
  readonly was: string
  /** Ends of verbs that are words of `was`, too. */
  readonly wasEnds: string
  /** A question that ends with one of them asks what held before, unless it has one of `notPast`. */
  readonly pastAtEnd: string
  readonly notPast: string
  /** Behind a word of `pastIfWas` these say a time of day: "before lunch". */
  readonly notBefore: string
  /** A question with one of them asks what held at first. */
  readonly first: string
  /** Words of `past` and `first` that say something else in these: "is used to open". */
  readonly other: string
}

/** A period from one time to just before another, in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

/** Which version of a fact a question wants: the one before the newest, the first, or the one of a time. */
export type PastAsked = 'before' | 'first' | TimeSpan

/** The rules of a language about what changes, made when they are first asked for. Cost: one look a word. */
export function changeRules(data: ChangeWords): {
  /** Returns which part of the past the words of a question ask for, if any. */
  asksPast(question: string): 'before' | 'first' | undefined
} {
  let made: ReturnType<typeof make> | undefined
  const make = () => ({
    past: new Phrases(data.past),
    pastIfWas: new Phrases(data.pastIfWas),
    first: new Phrases(data.first),
    other: new Phrases(data.other),
    atEnd: data.pastAtEnd.split('|').map(wordsOf),
    was: new Set(wordsOf(data.was)),
    wasEnds: wordsOf(data.wasEnds),
    notPast: new Set(wordsOf(data.notPast)),
    notBefore: new Set(wordsOf(data.notBefore)),
  })
  const rules = () => (made ??= make())
  /** True for "What was it before?" and "… before the move", and not for "What did we eat before lunch?". */
  const tellsWas = (words: readonly string[]) => {
    const { pastIfWas, was, wasEnds, notBefore } = rules()
    const isWas = (word: string) => was.has(word) || wasEnds.some((end) => word.endsWith(end))
    return (
      words.some(isWas) && pastIfWas.placesIn(words).some((place) => !notBefore.has(words[place + 1] ?? ''))
    )
  }
  /** True for "Who guarded the gate before?" and not for "Must I be there before?". */
  const endsInPast = (words: readonly string[]) => {
    const { atEnd, notPast } = rules()
    const endsWith = (phrase: readonly string[]) =>
      phrase.length < words.length &&
      phrase.every((word, i) => words[words.length - phrase.length + i] === word)
    return atEnd.some(endsWith) && !words.some((word) => notPast.has(word))
  }
  return {
    asksPast: (question) => {
      const words = wordsOf(question)
      const { first, past, other } = rules()
      const others = new Set(other.placesIn(words))
      const holds = (phrases: Phrases) => phrases.placesIn(words).some((place) => !others.has(place))
      if (holds(first)) return 'first'
      const isPast = holds(past) || tellsWas(words) || endsInPast(words)
      return isPast ? 'before' : undefined
    },
  }
}

/** Stands before a month that may be another word: "in May", "since March". */
const BEFORE_MONTH = new Set(
  'in of since on until during by last early late mid before after from'.split(' '),
)
const AMBIGUOUS = new Set(['may', 'march'])
const ISO_DAY = /\b((?:19|20)\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b/
const ISO_MONTH = /\b((?:19|20)\d\d)-(0[1-9]|1[0-2])(?![\d-])/
/** A year that begins an identifier: "release 2024.2", "invoice 2025-03-117". */
const YEAR_OF_NAME = /\b(?:19|20)\d\d(?=[./-]\d)\S*/g
const YEAR = /^(?:19|20)\d\d$/
const DAY_OF_MONTH = /^(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?$/

/**
 * The day, month or year a question names by date; undefined when it names none. A month without a year is the latest that
 * has begun.
 *
 * @param monthOf the number of a month from 0; undefined for other words
 * @param now milliseconds since 1970
 */
export function dateIn(
  question: string,
  monthOf: (word: string) => number | undefined,
  now: number,
): TimeSpan | undefined {
  const [iso, isoYear, isoMonth, isoDay] = ISO_DAY.exec(question) ?? []
  if (iso !== undefined) return spanOfDate(Number(isoYear), Number(isoMonth) - 1, Number(isoDay))
  const [isIsoMonth, ofYear, isoMonthOf] = ISO_MONTH.exec(question) ?? []
  if (isIsoMonth !== undefined) return spanOfDate(Number(ofYear), Number(isoMonthOf) - 1)
  const words = wordsOf(question.replace(YEAR_OF_NAME, ' '))
  const year = words.find((word) => YEAR.test(word))
  const at = words.findIndex((word, i) => {
    if (monthOf(word) === undefined) return false
    const [before = '', after = ''] = [words[i - 1], words[i + 1]]
    return !AMBIGUOUS.has(word) || BEFORE_MONTH.has(before) || /^\d/.test(before) || /^\d/.test(after)
  })
  if (at < 0) return year === undefined ? undefined : spanOfDate(Number(year))
  const month = monthOf(words[at] as string) as number
  const day = [words[at - 1], words[at + 1]].map((word = '') => DAY_OF_MONTH.exec(word)?.[1]).find(Boolean)
  const thisYear = new Date(now).getUTCFullYear()
  const latest = Date.UTC(thisYear, month, Number(day ?? 1)) <= now ? thisYear : thisYear - 1
  return spanOfDate(
    year === undefined ? latest : Number(year),
    month,
    day === undefined ? undefined : Number(day),
  )
}

function spanOfDate(year: number, month?: number, day?: number): TimeSpan {
  if (month === undefined) return { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1) }
  if (day === undefined) return { from: Date.UTC(year, month, 1), to: Date.UTC(year, month + 1, 1) }
  return { from: Date.UTC(year, month, day), to: Date.UTC(year, month, day + 1) }
}
