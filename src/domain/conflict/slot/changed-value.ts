import { derived, gapsOf, isChange, restOf } from '../parts.ts'
import type { Said, SaidWord } from '../said.ts'
import { isAside, isOfSubject, tellsChange } from './same-thing.ts'

/** Two statements near each other. */
export interface ChangePair {
  readonly newer: Said
  /** The same, sentence by sentence: what one tells as a guess another may tell as a fact. */
  readonly sentences: () => readonly Said[]
  readonly older: Said
  readonly question: Question
}

interface Question {
  /** Its comparable words. */
  readonly terms: readonly string[]
  /** Words of it that the newer has, and the older; names, numbers and options with a quotation mark before them. */
  readonly newer: () => readonly string[]
  readonly older: () => readonly string[]
}

/** Most words of a statement; a longer text tells of many things and shares words with every statement. */
const WORDS_MOST = 60

/**
 * True if the newer statement may tell what became of what the older says: it has words of change, or it repeats a value of the
 * older and has another of its kind. That is enough to show it first, and too little to hide the older or to tell somebody of it.
 */
export function mayTellChange(pair: ChangePair): boolean {
  const { newer, sentences, older, question } = pair
  if (newer.adds || Math.max(newer.words.length, older.words.length) > WORDS_MOST) return false
  const hasChange = newer.words.some(isChange)
  if (!hasChange && (newer.isOpen || !sharesValue(newer, older))) return false
  if (!sharesWords(newer, older, question.terms)) return false
  const tells = hasChange && sentences().some((each) => tellsChange(each) && !isBeside(each, older))
  return (tells || (!newer.isOpen && repeatsValue(pair))) && !isOfOther(pair)
}

/** See `isAside`; "is now 9, not 5" denies what the older says, and is no aside. */
function isBeside(newer: Said, older: Said): boolean {
  return isAside(sharesValue(newer, older) ? { ...newer, negates: false } : newer, older)
}

/** True if what the question names of the older alone shows that the newer is about something else. */
function isOfOther(pair: ChangePair): boolean {
  const { newer, older, question } = pair
  const [theirs, ours] = [question.older(), question.newer()]
  const own = theirs.filter((word) => !ours.includes(word))
  const isLacking = (word: string) => !newer.words.some((each) => each.word === word || each.term === word)
  if (own.map(plainOf).some((word) => /\p{N}|^-/u.test(word) && isLacking(word))) return true
  if (own.some((word) => isDayOf(older, word))) return true
  const named = theirs.filter((word) => word.startsWith('"'))
  if (named.length > 0 && named.every((word) => !ours.includes(word) && isLacking(plainOf(word)))) return true
  return hasOtherInPlace(newer, older, question.terms) && !repeatsValue(pair, isOfValue)
}

/** Most words in the place of others, more than these. */
const PLACE_MORE = 1

/** True for "The logs are now kept for 5 days" after "The traces are kept for 3 days", if traces are asked for. */
function hasOtherInPlace(newer: Said, older: Said, asked: readonly string[]): boolean {
  const isElsewhere = ({ term }: SaidWord) => newer.words.some((each) => each.term === term)
  const isOwn = (each: SaidWord) => each.term !== undefined && asked.includes(each.term) && !isElsewhere(each)
  const { gaps, shared } = gapsOf(newer, older)
  return gaps.some(
    (gap) =>
      gap.older.some((each) => isOwn(each) && isOfSubject(older, each.word)) &&
      gap.newer.length <= gap.older.length + PLACE_MORE &&
      shared > gap.before,
  )
}

/**
 * Least words of the older that the newer has, too: the number, and the share of all. One that is a name or number, or that the
 * question has, is enough by itself.
 */
const SHARED_LEAST = { words: 2, share: 0.25 }

function sharesWords(newer: Said, older: Said, asked: readonly string[]): boolean {
  const [ours, theirs] = [derived(newer.words).contentSet, derived(older.words).contentSet]
  const shared = [...ours].filter((term) => theirs.has(term))
  if (shared.length >= Math.max(SHARED_LEAST.words, SHARED_LEAST.share * theirs.size)) return true
  return shared.some((term) => asked.includes(term)) || sharesValue(newer, older)
}

function sharesValue(newer: Said, older: Said): boolean {
  const { spelled } = derived(newer.words)
  return derived(older.words).values.some(({ word }) => spelled.has(word))
}

/** True for "VLAN 40 grew from 10.40.0.0/24 to 10.40.0.0/22" after "… in VLAN 40, 10.40.0.0/24", unless the question names it. */
function repeatsValue(
  { newer, older, question }: ChangePair,
  counts: (value: SaidWord, said: Said) => boolean = () => true,
): boolean {
  const [ours, theirs] = [derived(newer.words), derived(older.words)]
  if (!sharesValue(newer, older)) return false
  const named = [...question.terms, ...question.older().map(plainOf)]
  const isFree = ({ word, term = '' }: SaidWord) => !named.includes(word) && !named.includes(term)
  const repeated = theirs.values.filter(
    (value) => ours.spelled.has(value.word) && isFree(value) && counts(value, older),
  )
  const others = ours.values.filter((value) => !theirs.spelled.has(value.word) && isFree(value))
  return repeated.some((value) => others.some((other) => isNumber(other) === isNumber(value)))
}

/** True of a value that is no part of what the statement is about, and no "Mr". */
function isOfValue({ word, term = word }: SaidWord, said: Said): boolean {
  return word.length > TITLE_MOST && restOf(said).includes(term)
}

/** Most letters of "Mr" and "Dr". */
export const TITLE_MOST = 2

/** "When does it close on Tuesdays?" asks for a statement about Tuesdays. */
const isDayOf = ({ words }: Said, named: string): boolean =>
  words.some(({ role, word, term }) => role === 'day' && (`=${word}` === named || term === named))

const plainOf = (word: string): string => word.replace(/^["=]/, '').toLowerCase()
const isNumber = ({ word }: SaidWord): boolean => /\p{Nd}/u.test(word)
