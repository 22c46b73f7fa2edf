import { belief } from './belief.ts'
import { recency } from './decay.ts'
import type { ScoreTerm } from './score-term.ts'

/** What the multiplying score looks at. */
export interface LearnedSignals {
  /** Strength of the match, stretched over the pool, 0..1. */
  readonly similarity: number
  readonly successes: number
  readonly failures: number
  /** Active hours since the last outcome that said it helped, or since its promotion. */
  readonly hoursSinceUseful: number
  /** Decay of that recency, per active hour. */
  readonly lambda: number
}

/** How far experience may move a score away from its similarity. */
export interface LearnedWeights {
  /** 0..1; 0 switches belief off. */
  readonly beliefWeight: number
  /** 0..1; 0 switches recency off. */
  readonly recencyWeight: number
}

/**
 * The score of a query frame (docs/retrieval.md 6): similarity · (1 + beliefWeight·(2·belief − 1) + recencyWeight·recency).
 * Multiplied, so that what does not match stays out however good its record is. The amounts of `terms` sum to `score`.
 */
export function learnedScore(
  signals: LearnedSignals,
  weights: LearnedWeights,
): { readonly score: number; readonly terms: readonly ScoreTerm[] } {
  const { similarity } = signals
  const believed = belief(signals)
  const fresh = recency(signals.lambda, signals.hoursSinceUseful)
  const fromBelief = weights.beliefWeight * (2 * believed - 1)
  const fromRecency = weights.recencyWeight * fresh
  return {
    score: similarity * (1 + fromBelief + fromRecency),
    terms: [
      { name: 'similarity', value: similarity, amount: similarity },
      { name: 'belief', value: believed, amount: similarity * fromBelief },
      { name: 'recency', value: fresh, amount: similarity * fromRecency },
    ],
  }
}
