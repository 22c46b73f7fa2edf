import { stem } from 'porter2'
import languages from './languages.json' with { type: 'json' }
import { createPack, type LanguagePack } from './pack.ts'
import past from './past.json' with { type: 'json' }
import type { TimeSpan } from './past.ts'
import { endsWithQuestion } from './words.ts'

const TIME_EXPRESSION =
  /\b(yesterday|today|tonight|tomorrow|last|next|this (?:week|month|year|morning|weekend|summer|winter|spring|fall|autumn)|ago|recently|since|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|weekend|(?:19|20)\d\d|\d+ (?:days?|weeks?|months?|years?))\b/i

const WHEN_QUESTION =
  /^\s*(when|since when|how long|how many (?:days|weeks|months|years))\b|\b(what|which|on what|in which) (date|day|month|year|time|week|season)\b/i

const LIST_START = /^\s*(?:how many|what (?:kind|type|sort)s?|where (?:has|have)|who (?:are|were))\b/i
/**
 * "Which two small towns has she": up to three words, the last a plural, before a verb that asks for all of them. No plural are names
 * ("Which Postgres do we run?"), words like "status" and "analysis", and the names of things that people write small.
 */
const LIST_OF_PLURAL =
  /^\s*[Ww](?:hat|hich)(?: [\w'’-]+){0,2}? (?!(?:is|was|does|has|postgres|kubernetes|jenkins|rails|windows|pandas|news)\b)[a-z\d_'’-]*[^siuA-Z\W]s (?:has|have|had|does|do|did|are|were)\b/
const LIST_WORDS = /\b(?:both|in common)\b/i

/** A capital I alone: a small one may be a letter or a variable. */
const ABOUT_ASKER = /\bI\b|\b(?:[Mm]y|[Mm]ine|[Mm]yself)\b/

const POSSESSIVE = /['’]s\b/g

/** English, as chosen on the development data; each list is switched off by choosing another pack. */
export function createEnglish(): LanguagePack {
  const pack = createPack({
    ...languages.english,
    past: past.english,
    stem,
    possessive: POSSESSIVE,
    timeWords: '',
    whenStarts: [],
    whenPhrases: [],
  })
  return {
    ...pack,
    asks: (text) => endsWithQuestion(text, '?'),
    speaksOfTime: (text) => TIME_EXPRESSION.test(text),
    asksWhen: (question) => WHEN_QUESTION.test(question),
    asksForList: (question) =>
      LIST_START.test(question) || LIST_OF_PLURAL.test(question) || LIST_WORDS.test(question),
    spanOf,
    pastAsked: (question, now) => pack.pastAsked(question, now, spanOf(question, now)),
    isAboutAsker: (question) => ABOUT_ASKER.test(question),
  }
}

const DAY = 86_400_000
const WEEK_DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const NUMBERS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
}
const COUNT = `(\\d{1,4}|${Object.keys(NUMBERS).join('|')}|a couple of)`
const UNIT = '(day|week|month|year)s?'

type Reading = readonly [pattern: RegExp, span: (words: readonly string[], now: number) => TimeSpan]

/** Ways to name a time; the words in brackets are handed over, the first way that fits counts. */
const READINGS: readonly Reading[] = [
  [/\bday before yesterday\b/i, (_, now) => around(now - 2 * DAY, 'day')],
  [/\b(?:yesterday|last night)\b/i, (_, now) => around(now - DAY, 'day')],
  [/\b(?:today|tonight|this (?:morning|afternoon|evening))\b/i, (_, now) => around(now, 'day')],
  [
    new RegExp(`\\b(?:in|over|within|during) the (?:last|past) (?:${COUNT} )?${UNIT}\\b`, 'i'),
    ([count, unit = ''], now) => ({ from: before(now, numberOf(count ?? 'one'), unit), to: now }),
  ],
  [
    new RegExp(`\\b${COUNT} ${UNIT} ago\\b`, 'i'),
    ([count = '', unit = ''], now) => around(before(now, numberOf(count), unit), unit),
  ],
  [/\bthis (week|month|year)\b/i, ([unit = ''], now) => around(now, unit)],
  [/\b(?:last|previous) (week|month|year)\b/i, ([unit = ''], now) => around(before(now, 1, unit), unit)],
  [
    new RegExp(`\\blast (${WEEK_DAYS.join('|')})\\b`, 'i'),
    ([day = ''], now) => {
      const back = (new Date(now).getUTCDay() - WEEK_DAYS.indexOf(day.toLowerCase()) + 7) % 7
      return around(now - (back || 7) * DAY, 'day')
    },
  ],
]

/**
 * The stretch of time a question names by its distance from now, in days of UTC with weeks from Monday;
 * undefined when it names none: "yesterday", "three weeks ago", "in the past two days", "last month", "last Friday".
 *
 * @param now milliseconds since 1970
 */
function spanOf(question: string, now: number): TimeSpan | undefined {
  for (const [pattern, read] of READINGS) {
    const [found, ...words] = pattern.exec(question) ?? []
    if (found !== undefined) return read(words, now)
  }
  return undefined
}

function numberOf(text: string): number {
  const word = text.toLowerCase()
  return word === 'a couple of' ? 2 : (NUMBERS[word] ?? Number(word))
}

function daysFrom(from: number, days: number): TimeSpan {
  return { from, to: from + days * DAY }
}

function before(now: number, count: number, unit: string): number {
  const date = new Date(now)
  switch (unit.toLowerCase()) {
    case 'day':
      return now - count * DAY
    case 'week':
      return now - count * 7 * DAY
    case 'month':
      // The first of the month, because not every month has a 31st.
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - count, 1)
    default:
      return Date.UTC(date.getUTCFullYear() - count, 0, 1)
  }
}

/** The day, week, month or year a time lies in. */
function around(moment: number, unit: string): TimeSpan {
  const date = new Date(moment)
  const day = Math.floor(moment / DAY) * DAY
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  switch (unit.toLowerCase()) {
    case 'day':
      return daysFrom(day, 1)
    case 'week':
      return daysFrom(day - ((date.getUTCDay() + 6) % 7) * DAY, 7)
    case 'month':
      return { from: Date.UTC(year, month, 1), to: Date.UTC(year, month + 1, 1) }
    default:
      return { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1) }
  }
}
