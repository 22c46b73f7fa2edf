import { areSame, contentOf, derived, gapsOf, isChange } from '../parts.ts'
import type { Said, SaidWord } from '../said.ts'
import { tellsAskedValue } from './asked-value.ts'
import { tellsOtherProperty } from './other-property.ts'
import {
  hasOneValue,
  hasOtherCopulaValue,
  hasOtherQualifier,
  isAside,
  isOfSubject,
  speaksOfSame,
  tellsChange,
  tellsSameProperty,
} from './same-thing.ts'

/** Two statements that answer one question about as well, as far as words and vectors tell; what costs is asked last. */
export interface SlotPair {
  /** Cosine of the two, −1..1. */
  readonly cosine: number
  /** The older tells what happened, which may happen again, and no state. */
  readonly tellsEvent: () => boolean
  /** Words of the question that the older and the newer have; names, numbers and options with a quotation mark before them. */
  readonly olderNamed: () => readonly string[]
  readonly newerNamed: () => readonly string[]
  readonly newer: Said
  readonly older: Said
  /** Both were said in one session by an agent, which says many things there. */
  readonly isOneTalk?: boolean
  /** Comparable words of the question; none where nothing is asked. */
  readonly asked: readonly string[]
}

/** The cosines of the rule, each 0..1. */
export interface SlotOptions {
  /** Cosine from which two statements read alike. */
  readonly alikeCosine: number
  /** Cosine from which one that tells of change is about the same. */
  readonly changedCosine: number
}

/**
 * True if the newer of two statements is a later word about what the question asks (rule B of the study of updates, with
 * a look at what the question tells apart): they are near and speak of the same thing, and the newer tells of change, or both
 * tell of a state and begin alike and end in another value, or read alike and speak of the same thing first.
 */
export function isLaterInSlot(pair: SlotPair, { alikeCosine, changedCosine }: SlotOptions): boolean {
  if (pair.cosine < changedCosine) return false
  const { newer, older } = pair
  const words = { newerWords: termsOf(newer), olderWords: termsOf(older) }
  const isAlike = pair.cosine >= alikeCosine && isOfLike(words)
  const isOther = isAlike || hasOtherValue(words) || hasOtherCopulaValue(newer, older)
  const hasAnother = isOther && !pair.tellsEvent()
  const isChanged = tellsChange(newer) && isOfOneFact(words)
  if (!hasAnother && !isChanged) return false
  if ((pair.isOneTalk && !beginsAlike(newer, older)) || !saysOfSame(pair)) return false
  return !isToldApart(pair, words)
}

/** False where their words alone show that two statements are not of one slot, before either is read as a statement. */
export function mayBeLater(
  newerWords: readonly string[],
  olderWords: readonly string[],
  cosine: number,
  { alikeCosine, changedCosine }: SlotOptions,
): boolean {
  if (cosine < changedCosine) return false
  const words = { newerWords, olderWords }
  return isOfOneFact(words) || hasOtherValue(words) || (cosine >= alikeCosine && isOfLike(words))
}

/** By the older and the newer of two statements that are held in mind: most are compared for many questions. */
const COMPARED = new WeakMap<Said, WeakMap<Said, 'nothing' | 'thing' | 'property'>>()

function saysOfSame({ newer, older, asked }: SlotPair): boolean {
  const known = COMPARED.get(older) ?? new WeakMap()
  COMPARED.set(older, known)
  const found = known.get(newer) ?? sharedBy(newer, older)
  known.set(newer, found)
  return found === 'property' || (found === 'thing' && tellsAskedValue(newer, older, asked))
}

function sharedBy(newer: Said, older: Said): 'nothing' | 'thing' | 'property' {
  if (isAside(newer, older) || hasOtherQualifier(newer, older)) return 'nothing'
  if (tellsOtherProperty(newer, older)) return 'nothing'
  if (!speaksOfSame(newer, older) || !hasOneValue(newer, older)) return 'nothing'
  return tellsSameProperty(newer, older) ? 'property' : 'thing'
}

/** The comparable words of two statements, in order. */
interface Compared {
  readonly newerWords: readonly string[]
  readonly olderWords: readonly string[]
}

const termsOf = ({ words }: Said): readonly string[] => derived(words).terms

/** Words that the beginning of two statements of one talk must have in common, besides those of change. */
const BEGUN_ALIKE = 2

function beginsAlike(newer: Said, older: Said): boolean {
  const [ours, theirs] = [newer, older].map(({ words }) => words.filter((each) => !isChange(each)))
  return (ours ?? []).slice(0, BEGUN_ALIKE).every(({ word }, at) => word === theirs?.[at]?.word)
}

/** True if they speak of one thing first and have at least half of the words of each in common. */
function isOfLike({ olderWords, newerWords }: Compared): boolean {
  if (olderWords[0] !== newerWords[0]) return false
  const shared = olderWords.filter((word) => newerWords.includes(word)).length
  return shared * 2 >= Math.max(olderWords.length, newerWords.length)
}

/** Most comparable words of a statement of one fact; a longer one tells of many, and of all that one or another changes. */
export const FACT_MOST = 16
/** Least share of the older statement's words in the newer. */
const SHARED_LEAST = 0.25

function isOfOneFact({ olderWords, newerWords }: Compared): boolean {
  if (Math.max(olderWords.length, newerWords.length) > FACT_MOST) return false
  const shared = olderWords.filter((word) => newerWords.includes(word)).length
  return shared >= SHARED_LEAST * olderWords.length
}

/**
 * True if the question names something that only the older has: a name, number or option, or a word in whose place the newer
 * has another before the same noun, which is asked for, too: "the staging server" and "the production server".
 */
function isToldApart(
  { olderNamed, newerNamed, older, newer }: SlotPair,
  { newerWords, olderWords }: Compared,
): boolean {
  const shared = newerNamed()
  // "was upgraded to Postgres 16" has no other Postgres than "runs Postgres 14", and a leader leads.
  const ofChange = new Set(newer.words.filter(isChange).map(({ term }) => term))
  const isOther = (other: string, word: string) =>
    !olderWords.includes(other) && !ofChange.has(other) && !areOfOneRoot(other, word)
  const own = olderNamed().filter((word) => !shared.includes(word))
  if (!tellsChange(newer) && isOwnInPlace({ newer, older }, own)) return true
  return own.some((word) => {
    if (word.startsWith('"') || /\p{N}/u.test(word)) return true
    if (word.startsWith('=') && isOfSubject(older, word.slice(1))) return true
    const next = olderWords[olderWords.indexOf(word) + 1] ?? ''
    if (!olderWords.includes(word) || !shared.includes(next)) return false
    return newerWords.some((other, at) => newerWords[at + 1] === next && isOther(other, word))
  })
}

/** True for "What is the memory limit?" of "memory limit 6Gi" and "memory request 2Gi": it asks for what only the older says there. */
function isOwnInPlace({ newer, older }: Pick<SlotPair, 'newer' | 'older'>, own: readonly string[]): boolean {
  const { gaps, shared } = gapsOf(newer, older)
  return gaps.some(
    (gap) =>
      gap.older.length < shared &&
      gap.older.some(({ word, term = '' }) => own.includes(`=${word}`) || own.includes(term)),
  )
}

/** Least letters of a word that another begins with and is derived from. */
const ROOT_LEAST = 4

function areOfOneRoot(one: string, other: string): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one]
  return shorter.length >= ROOT_LEAST && longer.startsWith(shorter)
}

/** Comparable words that two statements begin with when they speak of the same property of the same thing. */
const SAME_LEAST = 2
/** Most words of a newer value with its reason. */
const TOLD_MOST = 8

/** True for "Backups are hosted in the Dublin region" after "… the Frankfurt region": the value is shorter than what is the same before it. */
function hasOtherValue({ olderWords, newerWords }: Compared): boolean {
  const before = olderWords.findIndex((word, at) => word !== newerWords[at])
  if (before < SAME_LEAST) return false
  const rest = olderWords.slice(before)
  const told = newerWords.slice(before)
  const after = rest.toReversed().findIndex((word, at) => word !== told.at(-1 - at))
  return after >= 0 && rest.length - after < before && told.length >= 1 && told.length <= TOLD_MOST
}

/** Most words that stand in the place where two statements differ. */
const PLACE_MOST = 4
/** Most words that have another stem in another language. */
const STEMS_MOST = 2

/**
 * False where their words alone show that two statements differ in more than one place, before either is read as a statement. Each
 * by itself may be taken for another language, in which a word or two have another stem.
 */
export function mayDifferInOnePlace(ours: readonly string[], theirs: readonly string[]): boolean {
  const most = PLACE_MOST + STEMS_MOST
  if (Math.abs(ours.length - theirs.length) > most || !beginOrEndAlike(ours, theirs)) return false
  return !lackMore(ours, theirs, most) && !lackMore(theirs, ours, most)
}

/** True if more words than `most` are not among others. Most pairs that are compared show that with their first words. */
function lackMore(words: readonly string[], others: readonly string[], most: number): boolean {
  let lacking = 0
  return words.some((word) => !others.includes(word) && ++lacking > most)
}

/** True unless two statements differ where they begin and where they end, which are two places. */
function beginOrEndAlike(ours: readonly string[], theirs: readonly string[]): boolean {
  for (let at = 0; at <= STEMS_MOST; at++)
    if (ours.at(at) === theirs.at(at) || ours.at(-1 - at) === theirs.at(-1 - at)) return true
  return false
}

/**
 * True of two statements that are the same but in one place, where each has other words: "Deliveries arrive at the back door" and
 * "Deliveries arrive at the side gate". Two that differ in two places speak of two things with a value each: "Bed 4 is free", "Bed 6
 * is taken". They may still both hold.
 */
export function differInOnePlace(newer: Said, { words: theirs }: Said): boolean {
  const ours = mainClauseOf(newer)
  const most = Math.min(ours.length, theirs.length)
  const isSame = (at: number) => areSame(ours.at(at), theirs.at(at))
  let before = 0
  while (before < most && isSame(before)) before++
  let behind = 0
  while (before + behind < most && isSame(-1 - behind)) behind++
  const placeIn = (words: readonly SaidWord[]) => words.slice(before, words.length - behind)
  const [own, other] = [placeIn(ours), placeIn(theirs)]
  if (own.length === 0 || other.length === 0 || Math.max(own.length, other.length) > PLACE_MOST) return false
  const around = [...ours.slice(0, before), ...ours.slice(ours.length - behind)]
  if (contentOf(around).length === 0) return false
  return !own.some((each) => saysMuch(each) && other.some((another) => areSame(each, another)))
}

/** The words before "because", "but" or "since", if something is said there: a reason is no second place. */
function mainClauseOf({ words }: Said): readonly SaidWord[] {
  const turn = words.findIndex(({ role }) => role === 'turn')
  const main = words.slice(0, Math.max(0, turn))
  return contentOf(main).length < SAME_LEAST ? words : main
}

/** A little word may stand in one place twice: "Monday at 3", "Friday at 2". */
const saysMuch = ({ term, role }: SaidWord): boolean => term !== undefined || role === 'verb'
