import { matchesTag } from '../block/tags.ts'
import { type Beta, explorationBonus } from './experience.ts'

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
  /** How the block did whatever was asked, −1..1 (`generalEvidence`). */
  readonly general: number
  /** How it did when such a question was asked, −1..1. */
  readonly own: number
  /** Of the last outcome that said it helped, or of its promotion, 0..1. */
  readonly recency: number
  /** Centrality in its corpus, 0..1; 0 when left out. */
  readonly centrality?: number
}

/** How far experience may move a score away from its similarity. */
export interface LearnedWeights {
  /** The most that general evidence may count, 0..1: `belief` of the frame; 0 switches experience off. */
  readonly beliefWeight: number
  /** 0..1; 0 switches recency off. */
  readonly recencyWeight: number
  /** 0..1; 0, or left out, switches centrality off. */
  readonly centralityWeight?: number
  /** Match strength that general evidence may make up for, times the trust in it. */
  readonly reach: number
  /** Match strength that evidence about such questions may make up for. */
  readonly ownReach: number
  /** Normalised similarity in a unit of match strength; see `rankScale`. */
  readonly slope: number
}

/**
 * The score of a query frame (docs/learning.md): s · (1 + w·general + w/beliefWeight·recencyWeight·recency +
 * centralityWeight·centrality) + slope·ownReach·own, with w = min(beliefWeight, reach·slope). Experience moves a block by a bounded
 * share of match strength, so that what clearly matches stays ahead. The amounts of `terms` sum to `score`.
 */
export function learnedScore(
  { similarity, general, own, recency, centrality = 0 }: LearnedSignals,
  { beliefWeight, recencyWeight, centralityWeight = 0, reach, ownReach, slope }: LearnedWeights,
): { readonly score: number; readonly terms: readonly ScoreTerm[] } {
  const weight = Math.min(beliefWeight, reach * slope)
  const share = beliefWeight > 0 ? weight / beliefWeight : 1
  const terms = [
    { name: 'similarity', value: similarity, amount: similarity },
    { name: 'belief', value: general, amount: similarity * weight * general },
    { name: 'recency', value: recency, amount: similarity * share * recencyWeight * recency },
    ...(own === 0 || beliefWeight === 0
      ? []
      : [{ name: 'asked', value: own, amount: ownAmount(slope * ownReach * own) }]),
    ...(centralityWeight > 0
      ? [{ name: 'centrality', value: centrality, amount: similarity * centralityWeight * centrality }]
      : []),
  ]
  return { score: terms.reduce((sum, { amount }) => sum + amount, 0), terms }
}

/** Of normalised similarity: one report brings a block of the pool to the front, and none lets it fall out of sight. */
const OWN_BOUNDS = [-0.3, 0.6] as const

function ownAmount(amount: number): number {
  return Math.min(OWN_BOUNDS[1], Math.max(OWN_BOUNDS[0], amount))
}

/** Scale by which the strengths of one pool become similarities. */
export interface RankScale {
  /** Similarity in a unit of match strength; 1 for equal strengths. */
  readonly slope: number
  /** The similarity of a strength of the pool or of another one, 0..1. */
  readonly of: (strength: number) => number
}

/**
 * Stretches the strengths of a pool to floor..1: the best becomes 1, the last `floor` (docs/benchmarks.md, learning). A single
 * strength, or equal ones, become 1.
 */
export function rankScale(strengths: readonly number[], floor = 0.4): RankScale {
  const [low, high] = [Math.min(...strengths), Math.max(...strengths)]
  const range = high - low
  if (!(range > 0)) return { slope: 1, of: (strength) => Math.min(1, Math.max(0, 1 + strength - low)) }
  const of = (strength: number) => Math.min(1, Math.max(0, floor + (1 - floor) * ((strength - low) / range)))
  return { slope: (1 - floor) / range, of }
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

/** A fresh block that had no time to make links is lifted to this share of its recency (Python elfmem). */
const COLD_START = { centralityBelow: 0.1, recencyAbove: 0.7, share: 0.5 } as const

/** Centrality after the cold-start floor: max(raw, share·recency) for a fresh, unlinked block, else raw (Python elfmem). */
export function effectiveCentrality(raw: number, recency: number): number {
  const isCold = raw < COLD_START.centralityBelow && recency > COLD_START.recencyAbove
  return isCold ? Math.max(raw, COLD_START.share * recency) : raw
}

/** Options of the additive score, besides the signals and their weights. */
interface CompositeOptions {
  /** The block's Beta, for the exploration bonus. */
  readonly belief: Beta
  /** Multiplies the whole score; 1 when left out. */
  readonly boost?: number
}

/**
 * The additive score of the seeds, used where there is no query (Python elfmem):
 * (weights · signals + exploration) · boost, at most 1.025 · boost.
 * `terms` lists what each part gave, and their amounts sum to `score`.
 */
export function compositeScore(
  signals: ScoreSignals,
  weights: FrameWeights,
  options: CompositeOptions,
): { readonly score: number; readonly terms: readonly ScoreTerm[] } {
  const boost = options.boost ?? 1
  const bonus = explorationBonus(options.belief)
  const terms: ScoreTerm[] = SIGNALS.map((name) => ({
    name,
    value: signals[name],
    amount: weights[name] * signals[name] * boost,
  }))
  terms.push({ name: 'exploration', value: bonus, amount: bonus * boost })
  return { score: terms.reduce((sum, term) => sum + term.amount, 0), terms }
}

/** Factors by `tag:<prefix>` (any tag that starts so) or by category, each > 0. */
type ScoreBoosts = Readonly<Record<string, number>>

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

/**
 * How well a block answers a question, absolute, 0..1: the power mean ((max(0, c)^p + l^p) / 2)^(1/p) of its cosine and
 * its lexical share (docs/retrieval.md; p = 1.5 lets one strong side carry more than the plain mean).
 */
export function strength(cosine: number, lexical: number, power = 1.5): number {
  const dense = Math.min(1, Math.max(0, cosine))
  return ((dense ** power + lexical ** power) / 2) ** (1 / power)
}

/**
 * How much the words of a question say, 0..1: (1 − wordsSizeLoss · ln N) · min(1, (n + 1) / (fullWords + 1)). One broad word is
 * no full match, where its subject has other names as well, and among many blocks some share a word by chance.
 */
export function wordsWeight(
  words: number,
  blocks: number,
  { fullWords, wordsSizeLoss }: { readonly fullWords: number; readonly wordsSizeLoss: number },
): number {
  const ofSize = Math.max(0, 1 - wordsSizeLoss * Math.log(Math.max(1, blocks)))
  return ofSize * Math.min(1, (words + 1) / (fullWords + 1))
}

/** How much of the reachable already counts as full, and how much less a small share says. */
interface LexicalShareOptions {
  /** Share of the reachable that counts as full, 0..1. */
  readonly norm: number
  /** ≥ 1; above 1 a share says less than it is, for words that may be chance. */
  readonly exponent: number
}

/**
 * How much of what a question could reach its words found in a block, 0..1: min(1, bm25 / (norm·reachable))^exponent,
 * where reachable = (k1 + 1)·Σ idf over all terms of the question, unseen ones too (docs/retrieval.md; the exponent is
 * ours). 0 when nothing is reachable.
 */
export function lexicalShare(
  bm25: number,
  reachable: number,
  { norm, exponent }: LexicalShareOptions,
): number {
  return reachable > 0 ? Math.min(1, Math.max(0, bm25) / (norm * reachable)) ** exponent : 0
}

/** The part of a result that says if the answer to a question is there. */
export interface MatchEvidence {
  /** Cosine of the strongest match on the scale the constants were fitted on. */
  readonly cosine: number
  /** Lexical share of the strongest match, 0..1. */
  readonly lexical: number
  /** Strength of the strongest match, 0..1. */
  readonly strength: number
  /** Strength of the second match; 0 when there is none. */
  readonly runnerUp: number
  /** Blocks that could have matched; of more blocks the best is stronger by chance alone. */
  readonly blocks: number
}

/** Weights of the evidence in log-odds; only `intercept` may be below 0. */
export interface ProbabilityConstants {
  readonly intercept: number
  readonly cosine: number
  readonly lexical: number
  /** Of how far the strongest match stands out: strength − runnerUpShare · runnerUp. */
  readonly standsOut: number
  /** 0..1 */
  readonly runnerUpShare: number
  /** Taken off for each e-fold of blocks. */
  readonly size: number
}

/**
 * Chance that a question found what it asks for, 0..1, comparable across questions and stores of every size: logistic in
 * cosine, lexical share, how far the match stands out, and the logarithm of the number of blocks (docs/retrieval.md).
 */
export function probabilityOf(
  { cosine, lexical, strength, runnerUp, blocks }: MatchEvidence,
  constants: ProbabilityConstants,
): number {
  const logOdds =
    constants.intercept +
    constants.cosine * cosine +
    constants.lexical * lexical +
    constants.standsOut * (strength - constants.runnerUpShare * runnerUp) -
    constants.size * Math.log(Math.max(1, blocks))
  return 1 / (1 + Math.exp(-logOdds))
}

/**
 * Chance that a match is the block a description means, 0..1: that the answer is there, times tanh of its lead over the
 * runner-up. Two equal matches are none.
 *
 * @param fullMargin share by which a match must lead its runner-up to lose no more than a quarter; above 0
 */
export function meantProbability(
  evidence: MatchEvidence,
  constants: ProbabilityConstants,
  fullMargin: number,
): number {
  const { strength, runnerUp } = evidence
  const lead = strength > 0 ? Math.max(0, 1 - runnerUp / strength) : 0
  return probabilityOf(evidence, constants) * Math.tanh(lead / fullMargin)
}

/**
 * Loneliness of a block, 0..1: 1 − min(1, `lent` / `enough`); 1 without words of neighbours.
 *
 * @param lent the sum of the neighbours' weights, each times how related it is, at least 0
 * @param enough sum from which a block is not alone at all, above 0
 */
export function loneliness(lent: number, enough: number): number {
  return 1 - Math.min(1, lent / enough)
}
