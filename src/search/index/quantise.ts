const INT8_MAX = 127

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
  // Halves go up, as with Math.round, which takes three times as long.
  if (scale > 0)
    for (let at = 0; at < vector.length; at++)
      bytes[at] = (((vector[at] as number) / scale + INT8_MAX + 1.5) | 0) - INT8_MAX - 1
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

/** A unit vector as int8, in a quarter of the space; its cosines are off by about 0.005 at most. */
export function packUnit(vector: Float32Array): Uint8Array {
  return new Uint8Array(quantise(vector).bytes.buffer)
}

/** The unit vector that was packed; undefined for one without a direction, as a damaged file may have. */
export function unpackUnit(packed: Uint8Array): Float32Array | undefined {
  const bytes = new Int8Array(packed.buffer, packed.byteOffset, packed.byteLength)
  let squares = 0
  for (let i = 0; i < bytes.length; i++) squares += (bytes[i] as number) ** 2
  if (squares === 0) return undefined
  const scale = 1 / Math.sqrt(squares)
  const vector = new Float32Array(bytes.length)
  for (let i = 0; i < bytes.length; i++) vector[i] = (bytes[i] as number) * scale
  return vector
}
