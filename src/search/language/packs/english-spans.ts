import type { TimeSpan } from '../language.ts'

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
 * The stretch of time an English question names by its distance from now, in days of UTC with weeks from Monday;
 * undefined when it names none: "yesterday", "three weeks ago", "in the past two days", "last month", "last Friday".
 *
 * @param now milliseconds since 1970
 */
export function englishSpan(question: string, now: number): TimeSpan | undefined {
  for (const [pattern, spanOf] of READINGS) {
    const [found, ...words] = pattern.exec(question) ?? []
    if (found !== undefined) return spanOf(words, now)
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

/** The day, week, month or year a moment lies in. */
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
