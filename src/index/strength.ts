// How well words and meaning of a block match a question, and how sure that makes (docs/retrieval.md).

/** Constants of the ranking; the recipe and its ablations are in docs/retrieval.md. */
export const RANKING = {
  /** Share of the reachable BM25 that already counts as full. */
  lexicalNorm: 0.5,
  /** Exponent of a share that rests on one word of three or more: chance words lift nothing above a similarity. */
  loneWordExponent: 2,
  /** Words of a question below which its words say (n + 1) / (this + 1) of their share. */
  fullWords: 4,
  /** Share less that words say for each e-fold of blocks: in a large store some block shares a word by chance. */
  wordsSizeLoss: 0.03,
  /** Exponent of the mean of both signals; lets one strong signal carry a match. */
  powerMean: 1.5,
  /** Sum of lexicalWindow times relatedness from which a block is not alone at all. */
  lentEnough: 0.5,
  /** Rank score that a name shared with the best match adds at most to a block without words of neighbours. */
  throughNames: 0.25,
  /** Share of blocks in which a name tells nothing, if it is in more than three. */
  throughNamesShare: 0.01,
  /** Share of the best rank that a name brings at most; without it hit@1 on notes falls. */
  throughNamesCap: 0.95,
  /** Rank score of a block whose source the question names. */
  sourceWeight: 0.08,
  /** Rank score that a block loses that asks: it is rarely the answer. */
  questionPenalty: 0.05,
  /** Rank score of a block that speaks of a time, if the question asks when. */
  whenBonus: 0.07,
  /** Rank score that a look-alike loses, times the difference of the squared shares of the words asked. */
  lookAlikePenalty: 0.2,
  /** Cosine from which two blocks of one lexical share look alike. */
  lookAlikeCosine: 0.5,
  /** Share of blocks above which a capitalised word is left out of the embedded question. */
  nameShare: 0.1,
  /** Cosine below which neighbours share no words. */
  gateFloor: 0.1,
  /** Cosine from the floor to the full share. */
  gateWidth: 0.2,
  /** Weights of the words 3, 2, 1 before and 1, 2 after a block in its session, times how related they are. */
  lexicalWindow: [0.2, 0.4, 0.6, 0.4, 0.25],
  /** Weights of the cosines 2, 1 before and 1, 2 after a block, times how related they are. */
  vectorWindow: [0.2, 0.2, 0.1, 0.1],
  /** True: a block is found by its date in words. */
  dateWords: true,
}

/**
 * How well a block answers a question, absolute, 0..1: the power mean ((max(0, c)^p + l^p) / 2)^(1/p) of its cosine and
 * its lexical share (docs/retrieval.md; p = 1.5 lets one strong side carry more than the plain mean).
 */
export function strength(cosine: number, lexical: number, power = RANKING.powerMean): number {
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
