import { areSame, isChange } from '../parts.ts'
import type { Said, SaidWord } from '../said.ts'

/** A place where two statements have words of their own, with all little words. */
interface Place {
  readonly newer: readonly SaidWord[]
  readonly older: readonly SaidWord[]
}

/**
 * True if two statements say two things of what they speak of, so that both may hold: they differ in two places ("36 at least",
 * "38 at most"), or in the little word before the value ("by Aino", "for Pekka"), or one value is a number and the other is none
 * ("is called Rolf", "is 9 years old"), or they are numbers of other things ("3 m long", "2 m wide"). A later word that tells of a
 * change says by that which of them is over.
 */
export function tellsOtherProperty(newer: Said, older: Said): boolean {
  if (newer.topic !== undefined || older.topic !== undefined || tellsOfChange(newer, older)) return false
  const places = placesOf(newer.words, older.words).filter((place, at, all) => !isAddition(place, at, all))
  if (places.some(hasOtherLittleWord)) return true
  const unlike = places.filter((place) => !isOfNumbers(place))
  if (places.length > 1) return unlike.length > 0
  const [place] = unlike
  if (place === undefined) return hasOtherUnit(newer.words, older.words)
  if (place.newer.length === 0 || place.older.length === 0) return false
  return place.newer.some(hasNumber) !== place.older.some(hasNumber)
}

/**
 * True of "24 degrees before kneading" and "31 degrees after kneading". "In the bakery" and "at the bakery" may well be one fact in
 * other words, so another number is asked for, too.
 */
export function differsInLittleWord(newer: Said, older: Said): boolean {
  const places = placesOf(newer.words, older.words)
  return places.some(isOfNumbers) && places.some(hasOtherLittleWord)
}

/** One word more, as in "now" of a language that is not known, or a reason behind all else, is no place of its own. */
function isAddition({ newer, older }: Place, at: number, all: readonly Place[]): boolean {
  return older.length === 0 && (newer.length === 1 || (at === all.length - 1 && at > 0))
}

/** "La poste ferme" tells of no change if the older statement says it, too. */
function tellsOfChange(newer: Said, older: Said): boolean {
  return newer.words.some((each) => isChange(each) && !older.words.some((other) => areSame(each, other)))
}

function placesOf(ours: readonly SaidWord[], theirs: readonly SaidWord[]): Place[] {
  const places: Place[] = []
  let [from, own] = [0, [] as SaidWord[]]
  const close = (until: number) => {
    const between = ours.slice(from, until)
    if (between.length > 0 || own.length > 0) places.push({ newer: between, older: own })
    own = []
  }
  for (const each of theirs) {
    const at = ours.findIndex((other, i) => i >= from && areSame(each, other))
    if (at < 0) own.push(each)
    else {
      close(at)
      from = at + 1
    }
  }
  close(ours.length)
  return places
}

const hasNumber = ({ word }: SaidWord): boolean => /\p{N}/u.test(word)
const isOfNumbers = ({ newer, older }: Place): boolean => newer.some(hasNumber) && older.some(hasNumber)

/** Of the little words before the values each has one, and not the same. */
function hasOtherLittleWord({ newer, older }: Place): boolean {
  const [ours, theirs] = [newer, older].map((words) => words.filter(isLittle).map(({ word }) => word))
  if (ours === undefined || theirs === undefined || ours.length === 0 || theirs.length === 0) return false
  return !ours.some((word) => theirs.includes(word))
}

const isLittle = ({ term, role, word }: SaidWord): boolean =>
  (term === undefined || role === 'place' || role === 'opening') &&
  role !== 'article' &&
  role !== 'verb' &&
  !/\p{N}/u.test(word)

/** True if behind the last number of each stand words, and none of them the same. */
function hasOtherUnit(ours: readonly SaidWord[], theirs: readonly SaidWord[]): boolean {
  const [own, other] = [ours, theirs].map((words) => words.slice(words.findLastIndex(hasNumber) + 1))
  if (own === undefined || other === undefined || own.length === 0 || other.length === 0) return false
  return !own.some((each) => other.some((another) => areSame(each, another)))
}
