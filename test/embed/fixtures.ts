import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { DIMENSIONS } from '../../src/adapters/embed/minilm/kernel.ts'

/** Reads a gzipped JSON file of test/fixtures. */
export function readFixture<T>(name: string): T {
  const bytes = readFileSync(new URL(`../fixtures/${name}`, import.meta.url))
  return JSON.parse(gunzipSync(bytes).toString('utf8')) as T
}

/** The vectors of the float model, one after another in base64 of little-endian float16. */
export function floatVectors(base64: string): Float32Array[] {
  const bytes = Buffer.from(base64, 'base64')
  const values = Float32Array.from({ length: bytes.length / 2 }, (_, i) =>
    fromFloat16(bytes.readUInt16LE(2 * i)),
  )
  const count = values.length / DIMENSIONS
  return Array.from({ length: count }, (_, i) => values.subarray(i * DIMENSIONS, (i + 1) * DIMENSIONS))
}

function fromFloat16(bits: number): number {
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15)
  return bits & 0x8000 ? -size : size
}
