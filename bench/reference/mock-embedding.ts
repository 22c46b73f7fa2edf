import { createHash } from 'node:crypto'
import { dot, normalise } from '../../src/index/columns.ts'

/**
 * The reference's test embedding (Python elfmem): the bytes of the text's SHA-256, repeated, each b/127.5 − 1, length 1.
 * Quirk: no similarity survives; two texts are as near as chance has it.
 */
export function mockEmbedding(text: string, dimensions = 64): Float32Array {
  const digest = createHash('sha256').update(text, 'utf8').digest()
  const at = (i: number) => (digest[i % digest.length] as number) / 127.5 - 1
  return normalise(Float32Array.from({ length: dimensions }, (_, i) => at(i)))
}

/** The vector in the plane of both that has the wanted cosine to `first`: how the reference's tests force similarity. */
export function withCosine(first: Float32Array, second: Float32Array, wanted: number): Float32Array {
  const along = dot(first, second)
  const across = normalise(second.map((value, i) => value - along * (first[i] as number)))
  const rest = Math.sqrt(1 - wanted * wanted)
  return first.map((value, i) => wanted * value + rest * (across[i] as number))
}
