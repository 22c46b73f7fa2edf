import { WORDS } from './english.ts'
import { amountOf, type ConflictFacts, type Term } from './facts.ts'

/** A rule by which the differing words of two statements exclude each other. */
export type ContradictionRule = 'negation' | 'number' | 'date' | 'antonym' | 'replacement'

type Rule = (difference: Difference) => boolean

/** The rules in the order of their use: a day of a month is a date before it is a number. */
const RULES: readonly (readonly [ContradictionRule, Rule])[] = [
  ['negation', isNegation],
  ['date', isDate],
  ['number', isNumber],
  ['antonym', isAntonym],
  ['replacement', isReplacement],
]

/** Shared words that a near-duplicate must have besides the telling ones. */
const SHARED_LEAST = 2

/** Returns the first rule by which two statements that differ in one place contradict, in either order. */
export function contradictionIn(
  difference: Difference,
  allowed: (rule: ContradictionRule) => boolean,
): ContradictionRule | undefined {
  if (difference.before.length + difference.after.length < SHARED_LEAST) return undefined
  return RULES.find(([rule, holds]) => holds(difference) && allowed(rule))?.[0]
}

/** True for a negation: "is" and "is not", "may" and "must not". */
function isNegation({ before, newer, older, after }: Difference): boolean {
  const [shorter, longer] = newer.length < older.length ? [newer, older] : [older, newer]
  const negated = longer.at(-1)?.word ?? ''
  if (!WORDS.negations.has(negated) || isPartial([...before, ...after])) return false
  if (shorter.length === 0 && longer.length === 1) return true
  const modals = [...shorter, ...longer.slice(0, -1)].map(({ word }) => word)
  return shorter.length === 1 && longer.length === 2 && modals.every((word) => WORDS.modals.has(word))
}

/** True for two dates of what has only one; both need the same parts: "in May" may well be "on Monday". */
function isDate(difference: Difference): boolean {
  const { before, after, isIndefinite } = difference
  if (isIndefinite || !areDates(difference)) return false
  const said = before.filter(({ word }) => !WORDS.light.has(word) || WORDS.copulas.has(word))
  const isOnce = [...before, ...after].some(({ word }) => WORDS.once.has(word))
  return isOnce || WORDS.copulas.has(said.at(-1)?.word ?? '')
}

function areDates({ before, newer, older, after }: Difference): boolean {
  if (newer.length === 0 || newer.length !== older.length) return false
  const [ours, theirs] = [datePartsOf(newer), datePartsOf(older)]
  if (ours.some((part, at) => part === undefined || part !== theirs[at])) return false
  if (ours.some((part) => part !== 'day' && part !== 'year')) return true
  const nearMonth = [before.at(-1), after[0]].some((term) => term && datePart(term) === 'month')
  return nearMonth || (ours[0] === 'year' && WORDS.yearly.has(before.at(-1)?.word ?? ''))
}

/** True for two amounts of the same thing; a number that only tells which thing is meant is no amount. */
function isNumber(difference: Difference): boolean {
  const { before, newer, older, after } = difference
  const [one, other, previous] = [newer[0], older[0], before.at(-1)]
  if (newer.length !== 1 || older.length !== 1 || !one || !other || !previous) return false
  if (!isAmount(one) || !isAmount(other)) return false
  if (shapeOf(one.word) !== shapeOf(other.word) || areDates(difference)) return false
  const next = after[0]?.word ?? ''
  const isLabel = WORDS.numbered.has(previous.word) || previous.isName || before.length < 2
  const isSubject = WORDS.being.has(next) || WORDS.modals.has(next) || WORDS.isPast(next)
  const isBound =
    WORDS.measured.has(previous.word) || before.slice(-3).some(({ word }) => WORDS.loose.has(word))
  return !isLabel && !isSubject && !isBound && !tellsEvent(before)
}

/** True if it is an event, which may recur: a past verb, but no participle behind "was". */
export function tellsEvent(before: readonly Term[]): boolean {
  return before.some(({ word }, at) => WORDS.isPast(word) && !WORDS.being.has(before[at - 1]?.word ?? ''))
}

function isAntonym({ before, newer, older, after, isIndefinite }: Difference): boolean {
  const [one, other] = [newer[0]?.word ?? '', older[0]?.word ?? '']
  if (newer.length !== 1 || older.length !== 1 || isIndefinite || before.length === 0) return false
  if (isPartial([...before, ...after])) return false
  const isOpposite = WORDS.antonyms.get(one)?.has(other) || isPrefixed(one, other) || isPrefixed(other, one)
  return isOpposite === true && tellsWhatIs({ before, newer, older, after })
}

function isPrefixed(word: string, opposite: string): boolean {
  return word.length > 3 && opposite === WORDS.oppositePrefix + word
}

/** True if a state word says what something is, and a past form tells no event. */
function tellsWhatIs({
  before,
  newer,
  older,
  after,
}: Pick<Difference, 'before' | 'newer' | 'older' | 'after'>): boolean {
  if (WORDS.being.has(before.at(-1)?.word ?? '')) return true
  const both = [...newer, ...older].map(({ word }) => word)
  if (both.some((word) => WORDS.isPast(word))) return false
  return after.length === 0 || !both.some((word) => WORDS.states.has(word))
}

/** True for two values of what has one: the site's owner "is" two names, the site "is in" two places. */
function isReplacement({ before, newer, older, after, isIndefinite }: Difference): boolean {
  if (isIndefinite || after.length > 0 || newer.length === 0 || older.length === 0) return false
  if (newer.length > 2 || older.length > 2) return false
  const areNames = [...newer, ...older].every((term) => isProperName(term))
  const frame = before.map(({ word }) => word).filter((word) => !WORDS.possessives.has(word))
  const last = frame.at(-1) ?? ''
  if (WORDS.singular.has(last))
    return frame.length > 2 && (areNames || frame.some((word) => WORDS.single.has(word)))
  const held = frame.at(-2) ?? ''
  return areNames && WORDS.places.has(last) && (WORDS.located.has(held) || WORDS.singular.has(held))
}

function isProperName(term: Term): boolean {
  return term.isName && datePart(term) === undefined && !isAmount(term)
}

function isPartial(terms: readonly Term[]): boolean {
  return terms.some(({ word }) => WORDS.partial.has(word))
}

type DatePart = 'month' | 'weekday' | 'season' | 'year' | 'day'

function datePartsOf(terms: readonly Term[]): (DatePart | undefined)[] {
  return terms.map((term) => datePart(term))
}

function datePart({ word, isName }: Term): DatePart | undefined {
  if (isName && WORDS.months.has(word)) return 'month'
  if (WORDS.weekdays.has(word)) return 'weekday'
  if (WORDS.seasons.has(word)) return 'season'
  if (/^\d{1,2}(?:st|nd|rd|th)?$/.test(word)) return 'day'
  return /^(?:19|20)\d\d$/.test(word) ? 'year' : undefined
}

function isAmount({ word }: Term): boolean {
  return amountOf(word) !== undefined || /^[$€£]?\d/.test(word)
}

/** Numbers of one form can be compared; its digits and separators do not count. */
function shapeOf(word: string): string {
  const plain = word.replace(/\d+(?:[.,]\d+)*/g, '0')
  return /\d/.test(word) ? plain : '0'
}

/** The one place where two statements differ; all before and behind it is said in the same words. */
interface Difference {
  readonly before: readonly Term[]
  readonly newer: readonly Term[]
  readonly older: readonly Term[]
  readonly after: readonly Term[]
  readonly isIndefinite: boolean
}

/** Undefined when the statements are equal word by word. Cost: one pass. */
export function differenceOf(newer: ConflictFacts, older: ConflictFacts): Difference | undefined {
  const [one, other] = [newer.terms, older.terms]
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start]?.key === other[start]?.key) start++
  let end = 0
  while (end < shorter - start && one.at(-1 - end)?.key === other.at(-1 - end)?.key) end++
  if (start + end === one.length && one.length === other.length) return undefined
  return {
    before: one.slice(0, start),
    newer: one.slice(start, one.length - end),
    older: other.slice(start, other.length - end),
    after: one.slice(one.length - end),
    isIndefinite: newer.isIndefinite || older.isIndefinite,
  }
}
