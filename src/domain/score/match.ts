/**
 * How well a block answers a question, absolute, 0..1: the power mean ((max(0, c)^p + l^p) / 2)^(1/p) of its cosine and
 * its lexical share (docs/retrieval.md 3; p = 1.5 lets one strong side carry more than the plain mean).
 */
export function strength(cosine: number, lexical: number, power = 1.5): number {
  const dense = Math.min(1, Math.max(0, cosine))
  return ((dense ** power + lexical ** power) / 2) ** (1 / power)
}

/**
 * How much the words of a question say, 0..1: (1 − sizeLoss · ln N) · min(1, (n + 1) / (fullWords + 1)). One broad word is
 * no full match, where its subject has other names as well, and among many blocks some share a word by chance.
 */
export function wordsWeight(
  words: number,
  blocks: number,
  { fullWords, sizeLoss }: { readonly fullWords: number; readonly sizeLoss: number },
): number {
  const ofSize = Math.max(0, 1 - sizeLoss * Math.log(Math.max(1, blocks)))
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
 * where reachable = (k1 + 1)·Σ idf over all terms of the question, unseen ones too (docs/retrieval.md 3; the exponent is
 * ours). 0 when nothing is reachable.
 */
export function lexicalShare(
  bm25: number,
  reachable: number,
  { norm, exponent }: LexicalShareOptions,
): number {
  return reachable > 0 ? Math.min(1, Math.max(0, bm25) / (norm * reachable)) ** exponent : 0
}

/** What a question found, as far as it says whether its answer is there. */
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
 * cosine, lexical share, how far the match stands out, and the logarithm of the number of blocks (docs/retrieval.md 5).
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

/** What a description must show besides, so that its strongest match is the block meant. */
export interface MeantOptions {
  /** A store of fewer blocks counts as one of so many: there little speaks against a chance match. */
  readonly fewestBlocks: number
  /** Share by which a match must lead its runner-up to lose no more than a quarter; above 0. */
  readonly fullMargin: number
}

/**
 * Chance that a match is the block a description means, 0..1: that the answer is there, times tanh of its lead over the
 * runner-up. Two equal matches are none.
 */
export function meantProbability(
  evidence: MatchEvidence,
  constants: ProbabilityConstants,
  { fewestBlocks, fullMargin }: MeantOptions,
): number {
  const { strength, runnerUp } = evidence
  const lead = strength > 0 ? Math.max(0, 1 - runnerUp / strength) : 0
  const blocks = Math.max(fewestBlocks, evidence.blocks)
  return probabilityOf({ ...evidence, blocks }, constants) * Math.tanh(lead / fullMargin)
}

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
