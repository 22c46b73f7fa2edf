import type { PastAsked, TimeSpan } from './changes.ts'
import { Phrases } from './phrases.ts'
import { wordsOf } from './words.ts'

/** A language's words about dates in questions, in lower case; phrases are separated by bars. */
export interface DateWords {
  /** Behind one of them four digits are a year, and a word that may be another is a month: "in 2024", "since March". */
  readonly beforeYear: string
  /** Before a date these ask what was until then. */
  readonly beforeDate: string
  /** Before a date these ask for what has been since, so for now. */
  readonly sinceDate: string
  /** Before a date these compare it with now, which is asked for. */
  readonly compareDate: string
  /** Twelve abbreviations; a slash parts two of one month. */
  readonly monthsInShort: string
}

/** A date in a question, and the words before it. */
interface FoundDate {
  readonly span: TimeSpan
  readonly lead: readonly string[]
}

/** Names of months that may be another word. */
const AMBIGUOUS = new Set(['may', 'march'])
const ISO_DAY = /\b((?:19|20)\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b/
const ISO_MONTH = /\b((?:19|20)\d\d)-(0[1-9]|1[0-2])(?![\d-])/
const DOTTED_DAY = /\b(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.((?:19|20)\d\d)\b/
/** A year that begins an identifier: "release 2024.2", "invoice 2025-03-117". */
const YEAR_OF_NAME = /\b(?:19|20)\d\d(?=[./-]\d)\S*/g
const YEAR = /^(?:19|20)\d\d$/
const DAY_OF_MONTH = /^(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?$/
/** The year of a month stands at most so many words behind it: "marzo del año 2025". */
const YEAR_BEHIND = 3
/** So many words as "the end of" may stand between a word of relation and its date. */
const BETWEEN_MOST = 3

/** Reads the dates of questions in a language. */
export class DateReader {
  readonly #data: DateWords
  readonly #monthOf: (word: string) => number | undefined
  #made: ReturnType<typeof rulesOf> | undefined

  /** @param monthOf the number of a whole month's name from 0; undefined for other words */
  constructor(data: DateWords, monthOf: (word: string) => number | undefined) {
    this.#data = data
    this.#monthOf = monthOf
  }

  /** Made when a question is first read: opening a memory reads none. */
  get #rules() {
    this.#made ??= rulesOf(this.#data)
    return this.#made
  }

  /**
   * The part of the past, or of the time to come, that a question asks for: by its date, or else as `otherwise` tells. A date that is
   * only compared with asks for now, and so does one since which something goes on.
   *
   * @param now milliseconds since 1970
   */
  pastIn(
    question: string,
    now: number,
    {
      near,
      otherwise,
    }: {
      /** A time that the question names by its distance from now. */
      readonly near?: TimeSpan | undefined
      readonly otherwise: (question: string) => 'before' | 'first' | undefined
    },
  ): PastAsked | undefined {
    const found = near === undefined ? this.#find(question, now) : { span: near, lead: [] }
    if (found === undefined) return otherwise(question)
    const { span, lead } = found
    const relation = this.#relationOf(lead)
    if (relation === 'none') return undefined
    if (relation === 'before' && span.from <= now) return { from: span.from - 1, to: span.from }
    return span.to <= now || (span.from > now && relation === undefined) ? span : otherwise(question)
  }

  /**
   * The day, month or year a question names by date; undefined when it names none. A month without a year is the latest that
   * has begun.
   */
  dateIn(question: string, now: number): TimeSpan | undefined {
    return this.#find(question, now)?.span
  }

  #find(question: string, now: number): FoundDate | undefined {
    const written = dateInDigits(question)
    if (written !== undefined) return written
    const words = wordsOf(question.replace(YEAR_OF_NAME, ' '))
    const at = words.findIndex((_, i) => this.#isMonthAt(words, i))
    if (at >= 0) return monthAt(words, at, { month: this.#number(words[at] as string), now })
    const year = words.findIndex(
      (word, i) => YEAR.test(word) && this.#rules.beforeYear.has(words[i - 1] ?? ''),
    )
    if (year < 0) return undefined
    return { span: spanOfDate(Number(words[year])), lead: words.slice(0, year) }
  }

  #number(word: string): number {
    return this.#monthOf(word) ?? (this.#rules.inShort.get(word) as number)
  }

  #isMonthAt(words: readonly string[], i: number): boolean {
    const word = words[i] as string
    const isWhole = this.#monthOf(word) !== undefined
    if (isWhole && !AMBIGUOUS.has(word)) return true
    if (!isWhole && !this.#rules.inShort.has(word)) return false
    const [before = '', after = ''] = [words[i - 1], words[i + 1]]
    // A year needs no word before an abbreviation: "Feb 2025"; a small number alone may count anything.
    if (isWhole) return this.#rules.beforeYear.has(before) || /^\d/.test(before) || /^\d/.test(after)
    return YEAR.test(after) || DAY_OF_MONTH.test(before) || this.#rules.beforeYear.has(before)
  }

  #relationOf(lead: readonly string[]): 'before' | 'none' | undefined {
    for (let dropped = 0; dropped <= BETWEEN_MOST && dropped < lead.length; dropped++) {
      const words = lead.slice(0, lead.length - dropped)
      const found = this.#rules.relations.find(([, phrases]) =>
        phrases.placesIn(words).includes(words.length - 1),
      )
      if (found !== undefined) return found[0]
      const last = words.at(-1) ?? ''
      if (!this.#rules.beforeYear.has(last) && last.length > SMALL_WORD) return undefined
    }
    return undefined
  }
}

function rulesOf(data: DateWords) {
  const relations: readonly (readonly [relation: 'before' | 'none', phrases: Phrases])[] = [
    ['none', new Phrases(data.compareDate)],
    ['none', new Phrases(data.sinceDate)],
    ['before', new Phrases(data.beforeDate)],
  ]
  return {
    relations,
    beforeYear: new Set(wordsOf(data.beforeYear)),
    inShort: new Map(
      data.monthsInShort.split(' ').flatMap((names, month) =>
        names
          .split('/')
          .flatMap(wordsOf)
          .map((name) => [name, month] as const),
      ),
    ),
  }
}

/** Articles and the like have at most so many letters. */
const SMALL_WORD = 3

/** Of a month the time it is, with its day and year as far as they stand beside it. */
function monthAt(
  words: readonly string[],
  at: number,
  { month, now }: { readonly month: number; readonly now: number },
): FoundDate {
  const year = words.slice(at + 1, at + 1 + YEAR_BEHIND).find((word) => YEAR.test(word))
  const isDay = (word = '') => DAY_OF_MONTH.exec(word)?.[1]
  const [before, after] = [isDay(words[at - 1]), isDay(words[at + 1])]
  // "3 de mayo": a little word may stand between.
  const further = before === undefined && (words[at - 1]?.length ?? 0) <= 2 ? isDay(words[at - 2]) : undefined
  const day = before ?? after ?? further
  const thisYear = new Date(now).getUTCFullYear()
  const latest = Date.UTC(thisYear, month, Number(day ?? 1)) <= now ? thisYear : thisYear - 1
  const from = before !== undefined ? at - 1 : further !== undefined ? at - 2 : at
  return {
    span: spanOfDate(
      year === undefined ? latest : Number(year),
      month,
      day === undefined ? undefined : Number(day),
    ),
    lead: words.slice(0, from),
  }
}

/** A date in digits: `2026-02-03`, `2026-02`, `3.2.2026`. */
function dateInDigits(question: string): FoundDate | undefined {
  const found = (match: RegExpExecArray, span: TimeSpan): FoundDate => ({
    span,
    lead: wordsOf(question.slice(0, match.index)),
  })
  const iso = ISO_DAY.exec(question)
  if (iso) return found(iso, spanOfDate(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3])))
  const dotted = DOTTED_DAY.exec(question)
  if (dotted) return found(dotted, spanOfDate(Number(dotted[3]), Number(dotted[2]) - 1, Number(dotted[1])))
  const month = ISO_MONTH.exec(question)
  return month ? found(month, spanOfDate(Number(month[1]), Number(month[2]) - 1)) : undefined
}

function spanOfDate(year: number, month?: number, day?: number): TimeSpan {
  if (month === undefined) return { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1) }
  if (day === undefined) return { from: Date.UTC(year, month, 1), to: Date.UTC(year, month + 1, 1) }
  return { from: Date.UTC(year, month, day), to: Date.UTC(year, month, day + 1) }
}
