import { cosine, normalise } from './vector.ts'

/** The unit mean of vectors of one length: where their meaning lies together. Undefined without any. */
export function centroid(vectors: readonly Float32Array[]): Float32Array | undefined {
  const [first] = vectors
  if (first === undefined) return undefined
  const sum = new Float64Array(first.length)
  for (const vector of vectors) for (const [at, value] of vector.entries()) sum[at] = (sum[at] ?? 0) + value
  return normalise(Float32Array.from(sum, (value) => value / vectors.length))
}

/** How far a block has drifted from a centre: (1 − cosine) / 2, 0..1; 0.5 when a vector is zero (Python elfmem). */
export function drift(vector: Float32Array, centre: Float32Array): number {
  return (1 - cosine(vector, centre)) / 2
}

/**
 * How many blocks a model should judge again in one go: `least` when none waits, else as many as wait, rounded up to
 * the next `step` (Python elfmem).
 */
export function driftRecommendedMax(
  waiting: number,
  options: { readonly least: number; readonly step: number } = { least: 20, step: 50 },
): number {
  if (waiting <= 0) return options.least
  return Math.ceil(Math.max(waiting, options.least) / options.step) * options.step
}
