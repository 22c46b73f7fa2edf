import { quantise } from '../index/quantise.ts'

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
