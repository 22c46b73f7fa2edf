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
