/**
 * Strengths of one pool spread over floor..1, order kept: the best becomes 1, the last `floor` (docs/benchmarks.md, learning).
 * A single strength, or equal ones, become 1: there is nothing to tell apart.
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
