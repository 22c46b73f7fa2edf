import { allContentOf, contentOf, isChange, isContent, restOf, verbOf } from '../parts.ts'
import type { Said, SaidWord } from '../said.ts'

/** Least words of a question about a thing and its value: "the default branch", "the cat called". */
const ASKED_LEAST = 2
/** Most words of a value. */
const VALUE_MOST = 3

/**
 * True if a question asks for just what the older statement says of a thing, and the newer says it anew or changes that thing
 * to another value: "What is the default branch?", "The default branch is master", and then "The default branch is main" or
 * "We switched the default branch to main".
 *
 * @param asked comparable words of the question
 */
export function tellsAskedValue(newer: Said, older: Said, asked: readonly string[]): boolean {
  const subject = subjectOf(older)
  const told = restOf(older)
  if (subject.length === 0 || asked.length < ASKED_LEAST || told.length === 0) return false
  const known = [...subject, ...told.slice(0, -1)]
  if (told.length > VALUE_MOST || !asked.every((term) => known.includes(term))) return false
  if (!subject.every((term) => asked.includes(term))) return false
  return saysAnew(newer, subject) || changesTo(newer, subject)
}

/** Terms of the subject of a statement with a copula; none of one without. */
function subjectOf({ words }: Said): readonly string[] {
  const verb = verbOf(words)
  return verb < 0 ? [] : contentOf(words.slice(0, verb))
}

function saysAnew(newer: Said, subject: readonly string[]): boolean {
  const own = subjectOf(newer)
  const told = restOf(newer).length
  return told > 0 && told <= VALUE_MOST && own.join(' ') === subject.join(' ')
}

/** True for "switched our main database to PostgreSQL". */
function changesTo({ words }: Said, subject: readonly string[]): boolean {
  const changed = words.findIndex(({ role }) => role === 'change')
  const behind = words.slice(changed + 1)
  const first = behind.findIndex(isContent)
  if (changed < 0 || first < 0 || !behind.slice(0, first).every(isLittle)) return false
  const [object, rest] = [behind.slice(first, first + subject.length), behind.slice(first + subject.length)]
  if (object.map(({ term }) => term).join(' ') !== subject.join(' ')) return false
  return rest[0] !== undefined && isLittle(rest[0]) && rest.some(isContent)
}

const isLittle = (each: SaidWord): boolean => each.term === undefined

/** True if a statement says of a thing on which day it is, and the newer that it was put to another. */
export function tellsOtherDay(newer: Said, older: Said): boolean {
  const verb = verbOf(older.words)
  const [place, day] = older.words.slice(verb + 1)
  if (verb < 0 || place?.role !== 'place' || day?.role !== 'day') return false
  const changed = newer.words.findLastIndex(({ role }) => role === 'change')
  const [to, value] = newer.words.slice(changed + 1)
  return changed >= 0 && to?.role === undefined && value?.role === 'day' && allContentOf(older).length > 1
}

/** True for "The cluster was upgraded to 16" after "The cluster runs Postgres 14": a number alone, of which the older has one. */
export function tellsAmountAlone(newer: Said, older: Said): boolean {
  const told = restOf(newer)
  const number = told.length === 1 && told.every(isNumber)
  return number && newer.words.some(isChange) && allContentOf(older).filter(isNumber).length === 1
}

const isNumber = (term: string): boolean => /^\p{N}+$/u.test(term)
