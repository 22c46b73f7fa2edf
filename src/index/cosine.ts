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
