import {
  type MatchConfidenceOptions,
  type MatchStrengths,
  matchConfidence,
  standsOut,
} from '../../src/domain/score/match-confidence.ts'

/** A best match: how strong it was, whether it was the one meant, and how much it counts. */
export interface Judged extends MatchStrengths {
  readonly right: boolean
  readonly weight: number
}

const ROUNDS = 50
const DONE = 1e-9

/**
 * The midpoint and width of greatest weighted likelihood for a share of the runner-up: Newton's method on
 * P = 1 / (1 + exp(−(a + b·x))), where x is how far the best match stands out.
 */
export function fitConfidence(judged: readonly Judged[], runnerUpShare: number): MatchConfidenceOptions {
  let [a, b] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    const [stepA, stepB] = newtonStep(judged, runnerUpShare, [a, b])
    a += stepA
    b += stepB
    if (Math.abs(stepA) + Math.abs(stepB) < DONE) break
  }
  return { runnerUpShare, midpoint: -a / b, width: 1 / b }
}

function newtonStep(
  judged: readonly Judged[],
  runnerUpShare: number,
  [a, b]: readonly [number, number],
): [number, number] {
  let [slopeA, slopeB, curveAA, curveAB, curveBB] = [0, 0, 0, 0, 0]
  for (const match of judged) {
    const x = standsOut(match, runnerUpShare)
    const expected = 1 / (1 + Math.exp(-(a + b * x)))
    const miss = match.weight * (Number(match.right) - expected)
    const curve = match.weight * expected * (1 - expected)
    slopeA += miss
    slopeB += miss * x
    curveAA += curve
    curveAB += curve * x
    curveBB += curve * x * x
  }
  const determinant = curveAA * curveBB - curveAB * curveAB
  if (!(determinant > 0)) throw new Error('The matches are too few or too alike to fit a curve to.')
  return [
    (curveBB * slopeA - curveAB * slopeB) / determinant,
    (curveAA * slopeB - curveAB * slopeA) / determinant,
  ]
}

/** Matches of about one confidence. */
export interface Bin {
  /** Confidences from here, one bin's width wide. */
  readonly from: number
  readonly matches: number
  readonly confidence: number
  readonly right: number
}

const BINS = 10

/** Weighted means of what was said and what was so, in ten bins of confidence; empty ones are left out. */
export function reliability(judged: readonly Judged[], options: MatchConfidenceOptions): Bin[] {
  const byBin = Map.groupBy(judged, (match) =>
    Math.min(BINS - 1, Math.floor(matchConfidence(match, options) * BINS)),
  )
  return [...byBin]
    .sort(([a], [b]) => a - b)
    .map(([bin, inside]) => ({ from: bin / BINS, matches: inside.length, ...meansOf(inside, options) }))
}

/** The weighted means of confidence and of being right. */
export function meansOf(
  judged: readonly Judged[],
  options: MatchConfidenceOptions,
): { readonly confidence: number; readonly right: number } {
  return {
    confidence: weightedMean(judged, (match) => matchConfidence(match, options)),
    right: weightedMean(judged, ({ right }) => Number(right)),
  }
}

/** The weighted mean square of confidence minus truth: 0 is perfect, 0.25 what saying one half always gives. */
export function brier(judged: readonly Judged[], options: MatchConfidenceOptions): number {
  return weightedMean(judged, (match) => (matchConfidence(match, options) - Number(match.right)) ** 2)
}

function weightedMean(judged: readonly Judged[], read: (judged: Judged) => number): number {
  const total = judged.reduce((sum, { weight }) => sum + weight, 0)
  return total === 0 ? 0 : judged.reduce((sum, each) => sum + each.weight * read(each), 0) / total
}
