const INT8_MAX = 127

/** Sum of products; both vectors have the same length. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

/** Cosine of two vectors of one dimension and any length, clamped to −1..1; 0 when one is zero. */
export function cosine(a: Float32Array, b: Float32Array): number {
  const norms = Math.sqrt(dot(a, a) * dot(b, b))
  return norms > 0 ? Math.min(1, Math.max(-1, dot(a, b) / norms)) : 0
}

/** A copy of length 1; a zero vector stays zero. */
export function normalise(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  return length > 0 ? vector.map((value) => value / length) : vector.slice()
}

/** A vector in a quarter of the space: component ≈ byte · scale. */
export interface QuantisedVector {
  readonly bytes: Int8Array
  readonly scale: number
}

/** Symmetric int8: scale = greatest magnitude / 127, each component off by at most half a scale; zero gives scale 0. */
export function quantise(vector: Float32Array): QuantisedVector {
  let greatest = 0
  for (let at = 0; at < vector.length; at++) {
    const magnitude = Math.abs(vector[at] as number)
    if (magnitude > greatest) greatest = magnitude
  }
  const scale = greatest / INT8_MAX
  const bytes = new Int8Array(vector.length)
  if (scale > 0)
    for (let at = 0; at < vector.length; at++) bytes[at] = Math.round((vector[at] as number) / scale)
  return { bytes, scale }
}

/**
 * The cosine of a question with a row as a matrix of quantised unit vectors reads it: to the bit what a scan gives, so
 * that vectors inside and outside of one are ranked alike.
 */
export function quantisedCosine(question: QuantisedVector, row: QuantisedVector): number {
  const { bytes } = question
  let sum = 0
  for (let at = 0; at < bytes.length; at++) sum += (bytes[at] as number) * (row.bytes[at] as number)
  return Math.fround(sum * Math.fround(row.scale) * question.scale)
}
