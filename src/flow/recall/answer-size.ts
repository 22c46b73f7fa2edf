import { ANSWER_SIZE } from '../../config/match-calibration.ts'
import type { Asked } from './match.ts'
import type { Candidate } from './rank.ts'

/**
 * `unsure`: nothing surely bears on the question, the nearest are shown; `nothing`: there is nothing to show, or the best
 * match lies below the strength the caller wants; `unasked`: no question was put.
 */
export type MatchQuality = 'match' | 'weak' | 'unsure' | 'nothing' | 'unasked'

/** Fewest entries of an answer of a quality, as far as so many match. */
export function fewestOf(quality: MatchQuality): number {
  switch (quality) {
    case 'match':
      return ANSWER_SIZE.fewestOfMatch
    case 'weak':
      return ANSWER_SIZE.fewestOfWeak
    case 'unsure':
      return ANSWER_SIZE.unsure
    case 'unasked':
      return ANSWER_SIZE.queryless
    case 'nothing':
      return 0
  }
}

/**
 * Number of entries in an answer besides the guaranteed: what the caller says, else what the owner set, else as many as
 * bear on the question about as well as the best.
 *
 * @param owner the setting `recall.topK`; 0: not set
 */
export function answerSize(
  owner: number,
  { topK, asked }: { readonly topK: number | undefined; readonly asked: Asked | undefined },
  quality: MatchQuality,
  entries: readonly Candidate[],
): number {
  if (topK !== undefined) return topK
  const fewest = fewestOf(quality)
  if (quality === 'unsure') return owner > 0 ? Math.min(owner, fewest) : fewest
  if (owner > 0) return owner
  if (asked === undefined) return fewest
  const { nearBest, most } = ANSWER_SIZE
  // Who steps back behind a look-alike bears on the question no less.
  const ranks = entries.flatMap(({ match }) => (match ? [match.rank - match.coverage] : []))
  return sizeByRank(ranks, { nearBest, fewest, most })
}

/**
 * Number of entries for a match or weak match: those whose rank is near the best, within the limits of its quality.
 *
 * @param ranks of all entries that could be shown, in any order
 */
export function sizeByRank(
  ranks: readonly number[],
  { nearBest, fewest, most }: { readonly nearBest: number; readonly fewest: number; readonly most: number },
): number {
  const line = nearBest * Math.max(0, ...ranks)
  const near = ranks.filter((rank) => rank >= line).length
  return Math.min(most, Math.max(fewest, near))
}
