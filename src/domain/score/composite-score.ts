import { type Beta, explorationBonus } from '../belief/belief.ts'
import type { ScoreTerm } from './score-term.ts'

const SIGNALS = ['similarity', 'confidence', 'recency', 'centrality', 'reinforcement'] as const

/** The five signals of the additive score, each 0..1. */
export type ScoreSignals = Readonly<Record<(typeof SIGNALS)[number], number>>

/** How much each signal counts in a frame: each ≥ 0, together 1. */
export type FrameWeights = ScoreSignals

/**
 * The weights of a frame asked without a query: similarity 0, the others divided by their sum (Python elfmem).
 * A frame that weighs nothing but similarity keeps zeros.
 */
export function renormalisedWeights(weights: FrameWeights): FrameWeights {
  const rest = weights.confidence + weights.recency + weights.centrality + weights.reinforcement
  const share = (weight: number): number => (rest > 0 ? weight / rest : 0)
  return {
    similarity: 0,
    confidence: share(weights.confidence),
    recency: share(weights.recency),
    centrality: share(weights.centrality),
    reinforcement: share(weights.reinforcement),
  }
}

/** A reinforcement count against the greatest one in sight: ln(1 + count) / ln(1 + max), 0..1, 0 when max is 0. */
export function reinforcementNorm(count: number, max: number): number {
  return max <= 0 ? 0 : Math.log1p(Math.min(count, max)) / Math.log1p(max)
}

/** Lifts a fresh block that had no time to make links. */
export interface ColdStartOptions {
  /** Only a raw centrality below this is lifted. */
  readonly centralityBelow: number
  /** Only a block with recency above this is lifted. */
  readonly recencyAbove: number
  /** It is lifted to this share of its recency. */
  readonly share: number
}

/** The cold-start floor of the reference (Python elfmem). */
const COLD_START: ColdStartOptions = { centralityBelow: 0.1, recencyAbove: 0.7, share: 0.5 }

/** Centrality after the cold-start floor: max(raw, share·recency) for a fresh, unlinked block, else raw (Python elfmem). */
export function effectiveCentrality(
  raw: number,
  recency: number,
  options: ColdStartOptions = COLD_START,
): number {
  const isCold = raw < options.centralityBelow && recency > options.recencyAbove
  return isCold ? Math.max(raw, options.share * recency) : raw
}

/** What the additive score needs besides the signals and their weights. */
export interface CompositeOptions {
  /** The block's Beta, for the exploration bonus. */
  readonly belief: Beta
  /** Scale of the exploration bonus, ≥ 0; 0 switches it off, 0.05 when left out. */
  readonly explorationScale?: number
  /** Multiplies the whole score; 1 when left out. */
  readonly boost?: number
}

/**
 * The additive score of the seeds, used where there is no query (Python elfmem):
 * (weights · signals + exploration) · boost, at most (1 + explorationScale / 2) · boost.
 * `terms` lists what each part gave, and their amounts sum to `score`.
 */
export function compositeScore(
  signals: ScoreSignals,
  weights: FrameWeights,
  options: CompositeOptions,
): { readonly score: number; readonly terms: readonly ScoreTerm[] } {
  const boost = options.boost ?? 1
  const bonus = explorationBonus(options.belief, options.explorationScale)
  const terms: ScoreTerm[] = SIGNALS.map((name) => ({
    name,
    value: signals[name],
    amount: weights[name] * signals[name] * boost,
  }))
  terms.push({ name: 'exploration', value: bonus, amount: bonus * boost })
  return { score: terms.reduce((sum, term) => sum + term.amount, 0), terms }
}
