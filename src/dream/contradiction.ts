import { bareWord, spelledOut } from '../block/summary.ts'
import { normalised, splitWhitespace, wordSet } from '../block/text.ts'

/** Cosine below which two texts are about different things, so that a contradiction between them would be a guess. */
export const CONFLICT_COSINE = 0.6

/** The rules by which two statements exclude each other are in the order of their use: a day of a month is a date first. */
const RULES = { negation: isNegation, date: isDate, number: isNumber } as const
type ContradictionRule = keyof typeof RULES

/** A statement is a text as the rules read it; one reading serves all its comparisons. */
export interface Statement {
  readonly words: readonly Word[]
  /** False for a question, a supposition, and a text that holds on one day only. */
  readonly isClaim: boolean
}

interface Word {
  /** The word in lower case, without the punctuation around it. */
  readonly text: string
  /** Key that is equal for words of the same meaning: the stem of a plain word, the value of a number. */
  readonly key: string
}

/** Words that carry no meaning for a comparison. */
const FILLERS = wordSet('a an the do does did')
const NEGATIONS = wordSet('not never no')
/** Words by which a text states nothing, or only for the day on which it is said. */
const UNSURE = wordSet('if unless whether might would could maybe perhaps today yesterday tomorrow tonight')
/** Words for a part or for some times, so that the opposite may hold as well. */
const PARTIAL = wordSet(
  'some sometimes several many few most other others another each every half often usually',
)
const COPULAS = wordSet('is are was')
const BEING = wordSet('is are was were be been being')
/** Past forms without a regular ending; a past state may have been otherwise at another time. */
const PAST = wordSet(
  'was were had paid took lost bought sold ran spent found got drank ate won saw met made wrote read sent gave went ' +
    'slept drove came fell heard broke told wore stood built spoke',
)
/** Words for things that have one date only. */
const ONCE = wordSet(
  'born founded died ends end starts begins expires due valid birthday anniversary wedding renews opens reopens closes ' +
    'planned scheduled published first last deadline place until',
)
const MONTHS = wordSet(
  'january february march april may june july august september october november december ' +
    'jan feb mar apr jun jul aug sep sept oct nov dec',
)
const WEEKDAYS = wordSet('monday tuesday wednesday thursday friday saturday sunday')
const NUMERALS = ['zero', ...wordSet('one two three four five six seven eight nine ten eleven twelve')]
const AMOUNT = /^([$€£]?)(\d+|\d{1,3}(?:,\d{3})+)(\.\d+)?(%?)$/

/** Reads a text for `contradictionBetween`; `stem` returns the stem of a lower-case word. Makes one pass over the text. */
export function readStatement(text: string, stem: (word: string) => string): Statement {
  const plain = normalised(text, 'NFC').replaceAll('’', "'").replaceAll('−', '-')
  const words = splitWhitespace(plain)
    .map(bareWord)
    .flatMap((written) => {
      const lower = written.toLowerCase()
      return spelledOut(lower).map((word) => ({ text: word, key: keyOf(word, written === lower, stem) }))
    })
    .filter(({ text: word }) => word !== '' && !FILLERS.has(word))
  return { words, isClaim: !text.includes('?') && !words.some(({ text: word }) => UNSURE.has(word)) }
}

/** Returns the key of a word. A word with a capital is not stemmed: it may be a name. */
function keyOf(word: string, isLower: boolean, stem: (word: string) => string): string {
  const [, currency = '', whole, fraction = '', percent = ''] = AMOUNT.exec(word) ?? []
  if (whole !== undefined) return `${currency}${Number(whole.replaceAll(',', '') + fraction)}${percent}`
  const numeral = NUMERALS.indexOf(word)
  if (numeral >= 0) return `${numeral}`
  if (word === 'has') return 'have'
  return isLower && /^[a-z']+$/.test(word) ? stem(word) : word
}

/**
 * Returns the first rule by which two statements contradict, in either order; undefined in doubt. The statements differ in one place alone:
 * a negation, a date or a number. The cost is linear in the words.
 */
export function contradictionBetween(one: Statement, other: Statement): ContradictionRule | undefined {
  if (!one.isClaim || !other.isClaim) return undefined
  const difference = differenceOf(one.words, other.words)
  return (Object.keys(RULES) as ContradictionRule[]).find((rule) => RULES[rule](difference))
}

type Difference = ReturnType<typeof differenceOf>

/** Returns the one place where two statements differ, and the equal words before and behind it. */
function differenceOf(one: readonly Word[], other: readonly Word[]) {
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && areSame(one[start], other[start])) start++
  let end = 0
  while (end < shorter - start && areSame(one.at(-1 - end), other.at(-1 - end))) end++
  return {
    before: one.slice(0, start),
    ours: one.slice(start, one.length - end),
    theirs: other.slice(start, other.length - end),
    after: one.slice(one.length - end),
  }
}

function areSame(one: Word | undefined, other: Word | undefined): boolean {
  return one?.text === other?.text || one?.key === other?.key
}

/** Returns true if one of the statements has a negation more, and neither speaks of a part. */
function isNegation({ before, ours, theirs, after }: Difference): boolean {
  const [word, ...more] = [...ours, ...theirs]
  if (word === undefined || more.length > 0 || !NEGATIONS.has(word.text)) return false
  return ![...before, ...after].some(({ text }) => PARTIAL.has(text))
}

/** Returns true for two dates of a thing that has only one: a word says so, or the thing "is on" the date. */
function isDate(difference: Difference): boolean {
  const { before, after } = difference
  if (!areDates(difference)) return false
  const isOnce = [...before, ...after].some(({ text }) => ONCE.has(text))
  return isOnce || before.slice(-2).some(({ text }) => COPULAS.has(text))
}

/** Returns true for dates with the same parts: "in May" may well be "on Monday". */
function areDates({ before, ours, theirs, after }: Difference): boolean {
  const parts = ours.map(datePart)
  if (parts.length === 0 || parts.length !== theirs.length) return false
  if (parts.some((part, at) => part === undefined || part !== datePart(theirs[at]))) return false
  // One or two digits are a day only beside a month.
  return parts.some((part) => part !== 'day') || [before.at(-1), after[0]].map(datePart).includes('month')
}

function datePart(word: Word | undefined): 'month' | 'weekday' | 'year' | 'day' | undefined {
  const text = word?.text ?? ''
  if (MONTHS.has(text)) return 'month'
  if (WEEKDAYS.has(text)) return 'weekday'
  if (/^\d{1,2}(?:st|nd|rd|th)?$/.test(text)) return 'day'
  return /^(?:19|20)\d\d$/.test(text) ? 'year' : undefined
}

/** Returns true for two amounts of one thing that are not in the past. A number of the subject tells which thing is meant. */
function isNumber(difference: Difference): boolean {
  const { before, ours, theirs, after } = difference
  if (ours.length !== 1 || theirs.length !== 1 || before.length < 2 || areDates(difference)) return false
  const form = formOf(ours[0])
  if (form === undefined || form !== formOf(theirs[0])) return false
  const isOfSubject = BEING.has(after[0]?.text ?? '') || isPast(after[0])
  return !isOfSubject && !before.some((word, at) => isPast(word) && !BEING.has(before[at - 1]?.text ?? ''))
}

/** Returns the form of a number without its digits: numbers of one form can be compared. Undefined for a word without a number first. */
function formOf(word: Word | undefined): string | undefined {
  const text = word?.text ?? ''
  if (NUMERALS.includes(text)) return '0'
  return /^[$€£]?\d/.test(text) ? text.replace(/\d+(?:[.,]\d+)*/g, '0') : undefined
}

function isPast(word: Word | undefined): boolean {
  const text = word?.text ?? ''
  return PAST.has(text) || (text.length > 4 && text.endsWith('ed') && !text.endsWith('eed'))
}
