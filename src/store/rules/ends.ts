import { type Ends, orderedPair } from '../../domain/graph/edge.ts'
import type { LookUp, Transaction } from '../transaction.ts'

/** One string for two ids, for maps. */
export function pairKey(from: string, to: string): string {
  return `${from}\n${to}`
}

/** Each pair of different blocks once, its ends in canonical order. */
export function orderedPairs(pairs: readonly Ends[]): Ends[] {
  const different = pairs
    .filter(([one, other]) => one !== other)
    .map(([one, other]) => orderedPair(one, other))
  return [...new Map(different.map((ends) => [pairKey(...ends), ends])).values()]
}

/** Finds the blocks at the ends of pairs. */
export function lookUpEnds(tx: Transaction, pairs: readonly Ends[]): Promise<LookUp> {
  return tx.lookUp(pairs.flat())
}
