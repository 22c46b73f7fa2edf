import type { Answer } from '../lib/answer.ts'
import type { Counts } from '../lib/counts.ts'

/** Where an answer shows a block: as its first entry, as a later one, as a version under an entry, or not at all. */
type Place = 'first' | 'entry' | 'under' | 'absent'

/** The places of two blocks that both hold. */
export interface PairPlaces {
  readonly a: Place
  readonly b: Place
}

/** Returns the place of a block in an answer. */
export function placeIn({ entries, under }: Answer, block: string): Place {
  if (entries[0] === block) return 'first'
  if (entries.includes(block)) return 'entry'
  return under.has(block) ? 'under' : 'absent'
}

/** Counts what an answer does to a pair that both hold, of which one or both are asked for, against the ranking alone. */
export function pairCounts(ask: 'a' | 'b' | 'both', answer: PairPlaces, alone: PairPlaces): Counts {
  const wanted = ask === 'both' ? (['a', 'b'] as const) : ([ask] as const)
  const isBoth = ask === 'both'
  const isFirst = !isBoth && answer[ask] === 'first'
  const isFirstAlone = !isBoth && alone[ask] === 'first'
  const isEntry = (place: Place) => place === 'first' || place === 'entry'
  return {
    questions: 1,
    folded: [answer.a, answer.b].filter((place) => place === 'under').length,
    'folded, wanted': wanted.filter((one) => answer[one] === 'under').length,
    cut: wanted.filter((one) => answer[one] === 'absent' && alone[one] !== 'absent').length,
    'both wanted': Number(isBoth),
    'both there': Number(isBoth && isEntry(answer.a) && isEntry(answer.b)),
    'one wanted': Number(!isBoth),
    first: Number(isFirst),
    'first by rank': Number(isFirstAlone),
    'place taken': Number(isFirstAlone && !isFirst),
  }
}
