/** How strong the best match of a description is, and the one after it; absolute match strengths, 0..1. */
export interface MatchStrengths {
  readonly strength: number
  /** 0 when nothing else was found. */
  readonly runnerUp: number
}

/** Shape of the confidence curve. */
export interface MatchConfidenceOptions {
  /** Share of the runner-up's strength that counts against the best match, 0..1. */
  readonly runnerUpShare: number
  /** How far the best match stands out where right and wrong are equally likely. */
  readonly midpoint: number
  /** Distance from the midpoint at which confidence is 0.73 or 0.27; above 0. */
  readonly width: number
}

/**
 * Midpoint and width are fitted on descriptions of which one in four had no block to be found; the share is the one
 * that holds in large and small memories and conversations alike (docs/benchmarks.md, `bench -- confidence`).
 */
export const MATCH_CONFIDENCE: MatchConfidenceOptions = { runnerUpShare: 0.75, midpoint: 0.16, width: 0.054 }

/** How far the best match stands out: strength − share·runnerUp, −1..1. */
export function standsOut({ strength, runnerUp }: MatchStrengths, runnerUpShare: number): number {
  return strength - runnerUpShare * runnerUp
}

/**
 * How likely the best match of a description is the block that was meant, 0..1:
 * 1 / (1 + exp(−(strength − share·runnerUp − midpoint) / width)) (docs/benchmarks.md). Never falls as the match gets
 * stronger, never rises as the runner-up does.
 */
export function matchConfidence(
  match: MatchStrengths,
  { runnerUpShare, midpoint, width }: MatchConfidenceOptions = MATCH_CONFIDENCE,
): number {
  return 1 / (1 + Math.exp((midpoint - standsOut(match, runnerUpShare)) / width))
}
