import { contentOf } from './parts.ts'
import type { Said, SaidWord } from './said.ts'

/** Most words that stand in the place where two statements differ. */
const PLACE_MOST = 4

/**
 * True of two statements that are the same but in one place, where each has other words: "Deliveries arrive at the back door" and
 * "Deliveries arrive at the side gate". Two that differ in two places speak of two things with a value each: "Bed 4 is free", "Bed 6
 * is taken". They may still both hold.
 */
export function differInOnePlace({ words: ours }: Said, { words: theirs }: Said): boolean {
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

function areSame(one: SaidWord | undefined, other: SaidWord | undefined): boolean {
  if (one === undefined || other === undefined) return false
  return one.term === undefined ? one.word === other.word : one.term === other.term
}

/** A little word may stand in one place twice: "Monday at 3", "Friday at 2". */
const saysMuch = ({ term, role }: SaidWord): boolean => term !== undefined || role === 'verb'
