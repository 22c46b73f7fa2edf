import type { Block } from '../block.ts'
import { mayCover } from '../source-class.ts'
import { type Dated, earlier, endBy, isLaterWord } from './validity.ts'

/** A block as far as it matters who takes its place, and when. */
type Succeeding = Pick<Block, 'sourceClass' | 'supersedes' | 'validFrom'> & Dated

/**
 * True if a block takes the place of another, as whoever remembered it said: what is trusted less, or dated before, only proposes
 * to, and ends nothing until somebody decides.
 */
export function takesPlaceOf(newer: Succeeding, older: Succeeding): boolean {
  if (newer.supersedes !== older.id) return false
  return mayCover(newer, older) && !isLaterWord(older, newer)
}

/** When a block ends for those that take its place: with the first of them; undefined if none does. */
export function endBySuccessors(older: Succeeding, newer: readonly Succeeding[]): string | undefined {
  return newer
    .filter((each) => takesPlaceOf(each, older))
    .reduce<string | undefined>((end, each) => earlier(end, endBy(older, each)), undefined)
}
