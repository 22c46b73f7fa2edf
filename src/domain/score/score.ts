import { matchesTag } from '../block/tags.ts'
import { type Beta, belief, explorationBonus, recency } from './experience.ts'

/** One line of a score's explanation. */
export interface ScoreTerm {
  readonly name: string
  /** The signal as it was measured. */
  readonly value: number
  /** Part of the score from this signal; the amounts of all terms add up to the score. */
  readonly amount: number
}

/** Signals of the multiplying score. */
export interface LearnedSignals {
  /** Strength of the match, normalised over the candidates, 0..1. */
  readonly similarity: number
  readonly successes: number
  readonly failures: number
  /** Active hours since the last outcome that said it helped, or since its promotion. */
  readonly hoursSinceUseful: number
  /** Decay of that recency, per active hour. */
  readonly lambda: number
  /** Centrality in its corpus, 0..1; 0 when left out. */
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

/**
 * Returns the strengths of one pool, normalised to floor..1 in their order: the best becomes 1, the last
 * `floor` (docs/benchmarks.md, learning). A single strength, or equal ones, become 1.
 */
export function normaliseOverCandidates(strengths: readonly number[], floor = 0.4): number[] {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const strength of strengths) {
    low = Math.min(low, strength)
    high = Math.max(high, strength)
  }
  const range = high - low
  if (!(range > 0)) return strengths.map(() => 1)
  return strengths.map((strength) => Math.min(1, floor + (1 - floor) * ((strength - low) / range)))
}

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

/** Options of the additive score, besides the signals and their weights. */
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

/** Factors by `tag:<prefix>` (any tag that starts so) or by category, each > 0. */
export type ScoreBoosts = Readonly<Record<string, number>>

const TAG_KEY = 'tag:'

/** How many times a block counts in a frame: the greatest factor that fits it, 1 when none does (Python elfmem). */
export function scoreBoost(
  block: { readonly tags: readonly string[]; readonly category: string },
  boosts: ScoreBoosts,
): number {
  const factors = Object.entries(boosts)
    .filter(([key]) => fits(block, key))
    .map(([, factor]) => factor)
  return factors.length === 0 ? 1 : Math.max(...factors)
}

function fits(block: { readonly tags: readonly string[]; readonly category: string }, key: string): boolean {
  if (!key.startsWith(TAG_KEY)) return block.category === key
  return block.tags.some((tag) => matchesTag(`${key.slice(TAG_KEY.length)}*`, tag))
}
