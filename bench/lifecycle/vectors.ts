import { normalise } from '../../src/index/columns.ts'
import type { Random } from '../lib/random.ts'

/** Components of the world's vectors. */
export const DIMENSIONS = 64

/** A direction nothing speaks for: a unit vector of normal deviates. */
export function randomDirection(random: Random): Float32Array {
  return normalise(Float32Array.from({ length: DIMENSIONS }, () => random.normal()))
}

/** The direction of a weighted sum. */
export function mix(...parts: readonly (readonly [weight: number, vector: Float32Array])[]): Float32Array {
  const sum = new Float32Array(DIMENSIONS)
  for (const [weight, vector] of parts)
    for (let i = 0; i < DIMENSIONS; i++) sum[i] = (sum[i] as number) + weight * (vector[i] as number)
  return normalise(sum)
}

/** The plain mean, not a unit vector. */
export function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(DIMENSIONS)
  for (const vector of vectors)
    for (let i = 0; i < DIMENSIONS; i++) sum[i] = (sum[i] as number) + (vector[i] as number) / vectors.length
  return sum
}
