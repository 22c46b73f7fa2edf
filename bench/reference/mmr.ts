import { cosine } from '../../src/index/columns.ts'

/** A candidate of a diverse selection. */
export interface MmrItem {
  readonly score: number
  /** Unit vector; absent when the block has none yet. */
  readonly vector?: Float32Array
}

/**
 * The items in order of maximal marginal relevance: the best first, then whatever maximises
 * lambda·score − (1 − lambda)·(greatest cosine to those chosen); ties keep input order (Python elfmem). Cost n² cosines.
 *
 * An item without a vector counts as being as close to the chosen as the closest item left. So it never comes before
 * an item with a vector and a better score: lacking a vector is no merit (W46).
 */
export function mmrOrder<T extends MmrItem>(items: readonly T[], lambda = 0.7): T[] {
  const left: Candidate<T>[] = items.map((item) => ({ item, closest: undefined }))
  const chosen: T[] = []
  while (left.length > 0) {
    const [pick] = left.splice(indexOfBest(left, lambda), 1)
    if (pick === undefined) break
    chosen.push(pick.item)
    for (const candidate of left) approach(candidate, pick.item)
  }
  return chosen
}

interface Candidate<T> {
  readonly item: T
  /** Greatest cosine to a chosen item, undefined while nothing could be compared. */
  closest: number | undefined
}

function indexOfBest<T extends MmrItem>(left: readonly Candidate<T>[], lambda: number): number {
  const crowded = left.reduce<number | undefined>(
    (most, { closest }) => (closest === undefined ? most : Math.max(most ?? closest, closest)),
    undefined,
  )
  let best = -1
  let bestValue = Number.NEGATIVE_INFINITY
  for (const [index, { item, closest }] of left.entries()) {
    const value = lambda * item.score - (1 - lambda) * (closest ?? crowded ?? 0)
    if (best < 0 || value > bestValue) {
      best = index
      bestValue = value
    }
  }
  return best
}

function approach<T extends MmrItem>(candidate: Candidate<T>, chosen: T): void {
  if (candidate.item.vector === undefined || chosen.vector === undefined) return
  const nearness = cosine(candidate.item.vector, chosen.vector)
  candidate.closest = Math.max(candidate.closest ?? nearness, nearness)
}
