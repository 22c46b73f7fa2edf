import { foldAccents, patternOf, sentenceOf } from './words.ts'

/** Phrases of a language about the past in questions. */
export interface PastWords {
  /** A question with one of them asks what held at first. */
  readonly first: string
  /** A question with one of them asks what held before. */
  readonly past: string
  /** A question that ends with one of them asks what held before. */
  readonly atEnd: string
}

/** Phrases of a language before dates. */
export interface DateWords {
  /** Four digits behind one of them are a year: "in 2024". */
  readonly beforeYear: string
  /** Before a date these ask what was until then. */
  readonly beforeDate: string
  /** Before a date these compare it with now, or ask for what has been since. */
  readonly nowDate: string
}

/** A period from one time to just before another, in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

/** Which version of a fact a question wants: the one before the newest, the first, or the one of a time. */
export type PastAsked = 'before' | 'first' | TimeSpan

/** A date in a question, and the text before it. */
interface FoundDate {
  readonly span: TimeSpan
  readonly lead: string
}

const DAY_IN_DIGITS =
  /\b(?:(?<year>(?:19|20)\d\d)-(?<month>0[1-9]|1[0-2])(?:-(?<day>[0-2]\d|3[01]))?(?![\w-])|(?<dottedDay>[0-2]?\d|3[01])\.(?<dottedMonth>0?[1-9]|1[0-2])\.(?<dottedYear>(?:19|20)\d\d)\b)/
/** A year that begins an identifier: "release 2024.2", "invoice 2025-03-117". */
const YEAR_OF_NAME = /\b(?:19|20)\d\d(?=[./-]\d)\S*/g

/** Returns the rule that tells which part of the past the words of a question ask for. Cost: one pass over the question. */
export function pastRule(data: PastWords): (question: string) => 'before' | 'first' | undefined {
  const [first, past] = [patternOf(data.first), patternOf(data.past)]
  const atEnd = patternOf(data.atEnd, ' ', ' $')
  return (question) => {
    const words = sentenceOf(question)
    if (first.test(words)) return 'first'
    return past.test(words) || atEnd.test(words) ? 'before' : undefined
  }
}

/**
 * Returns the rule that tells which part of the past, or of the time to come, a question asks for: by its date, or else by
 * its words. The rule takes the time now in milliseconds since 1970.
 *
 * @param months the twelve names, folded
 */
export function timeRule(
  data: PastWords & DateWords,
  months: readonly string[],
): (question: string, at: number) => PastAsked | undefined {
  const byWords = pastRule(data)
  const names = months.flatMap((name) => [name, name.slice(0, 4), name.slice(0, 3)]).join('|')
  const day = '(\\d{1,2})(?:st|nd|rd|th)?'
  const written = new RegExp(
    ` (?:${day} (?:of |de )?)?(${names})(?: ${day})?(?: \\S{1,3})? ((?:19|20)\\d\\d) `,
  )
  const year = new RegExp(`(?<= (?:${foldAccents(data.beforeYear)}) )(?:19|20)\\d\\d(?= )`)
  // One word, such as an article, may stand between.
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

/** A date in digits: `2026-02-03`, `2026-02`, `3.2.2026`. */
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

/** The year, the month or the day that is given; NaN for no day. */
function spanOfDate(year: number, month?: number, day = Number.NaN): TimeSpan {
  if (month === undefined) return { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1) }
  if (Number.isNaN(day)) return { from: Date.UTC(year, month, 1), to: Date.UTC(year, month + 1, 1) }
  return { from: Date.UTC(year, month, day), to: Date.UTC(year, month, day + 1) }
}
