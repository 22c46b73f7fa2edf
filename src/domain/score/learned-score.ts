import { belief } from '../belief/belief.ts'
import { recency } from '../belief/decay.ts'
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
  /** How well it is joined, 0..1 in its corpus; 0 when left out. */
  readonly centrality?: number
}

/** How far experience may move a score away from its similarity. */
export interface LearnedWeights {
  /** 0..1; 0 switches belief off. */
  readonly beliefWeight: number
  /** 0..1; 0 switches recency off. */
  readonly recencyWeight: number
  /** 0..1; 0, or left out, switches centrality off. */
  readonly centralityWeight?: number
}

/**
 * The score of a query frame (docs/retrieval.md 6): similarity · (1 + beliefWeight·(2·belief − 1) + recencyWeight·recency
 * + centralityWeight·centrality).
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
  const fromCentrality = (weights.centralityWeight ?? 0) * (signals.centrality ?? 0)
  return {
    score: similarity * (1 + fromBelief + fromRecency + fromCentrality),
    terms: [
      { name: 'similarity', value: similarity, amount: similarity },
      { name: 'belief', value: believed, amount: similarity * fromBelief },
      { name: 'recency', value: fresh, amount: similarity * fromRecency },
      ...(weights.centralityWeight
        ? [
            {
              name: 'centrality',
              value: signals.centrality ?? 0,
              amount: similarity * fromCentrality,
            },
          ]
        : []),
    ],
  }
}
