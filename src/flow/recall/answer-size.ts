import { ANSWER_SIZE, NOTHING_NEAR } from '../../config/match-calibration.ts'
import type { Match } from '../../search/question.ts'

/** How sure an answer is: `nothing`: nothing bears on the question; `unasked`: no question was put. */
export type MatchQuality = 'match' | 'perhaps' | 'nothing' | 'unasked'

/**
 * Returns how far the nearest match lies above the line of a store of some blocks; below 0 nothing bears on the question.
 *
 * @param matches with cosines on the scale of the built-in model
 */
export function aboveLine(matches: readonly Pick<Match, 'cosine' | 'lexical'>[], blocks: number): number {
  const { floor, growth, growsTo, words } = NOTHING_NEAR
  const nearest =
    Math.max(...matches.map(({ cosine }) => cosine)) +
    words * Math.max(...matches.map(({ lexical }) => lexical))
  return nearest - floor - growth * Math.log(Math.min(Math.max(1, blocks), growsTo))
}

/**
 * Returns the places of the entries near the best, from 0: one at least if there is any, `ANSWER_SIZE.most` at most.
 *
 * @param shares of the best rank that each entry has, in the order of the answer
 * @param above how far the nearest match lies above the line; undefined where cosines do not tell
 */
export function cut(shares: readonly number[], above: number | undefined): readonly number[] {
  const { nearBest, most, faint, faintMost } = ANSWER_SIZE
  const near = shares.flatMap((share, place) => (share >= nearBest ? [place] : []))
  const size = above !== undefined && above < faint ? faintMost : most
  return near.length > 0 || shares.length === 0 ? near.slice(0, size) : [0]
}
