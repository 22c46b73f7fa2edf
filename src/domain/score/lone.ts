/**
 * How far a block has no words of neighbours, 0..1: 1 − min(1, `lent` / enough).
 *
 * @param lent the sum of the neighbours' weights, each times how related it is, at least 0
 * @param enough sum from which a block is not alone at all, above 0
 */
export function loneliness(lent: number, enough: number): number {
  return 1 - Math.min(1, lent / enough)
}
