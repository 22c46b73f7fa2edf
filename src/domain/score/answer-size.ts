/** How many entries an answer has, by how sure it is. */
export interface AnswerSize {
  /** An entry belongs to the answer when its rank is at least this share of the best, 0..1. */
  readonly nearBest: number
  readonly fewestOfMatch: number
  readonly fewestOfWeak: number
  /** Most entries of a match or weak match, and all of them for a question that asks for a list. */
  readonly most: number
  /** Nearest entries shown when nothing surely bears on the question. */
  readonly unsure: number
  /** Entries without a question. */
  readonly queryless: number
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
