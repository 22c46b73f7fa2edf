import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quantise } from '../../search/index/quantise.ts'
import { cosine, dot, normalise } from './vector.ts'

const component = fc.float({ min: -100, max: 100, noNaN: true })
const vector = fc.array(component, { minLength: 4, maxLength: 4 }).map((each) => Float32Array.from(each))

test('a cosine lies in -1..1, is 1 with itself and 0 with a zero vector', () => {
  expect(cosine(Float32Array.of(1, 0), Float32Array.of(0, 0))).toBe(0)
  fc.assert(
    fc.property(vector, vector, (a, b) => {
      expect(Math.abs(cosine(a, b))).toBeLessThanOrEqual(1)
      expect(cosine(a, b)).toBe(cosine(b, a))
      if (dot(a, a) > 1e-6) expect(cosine(a, a)).toBeCloseTo(1, 9)
    }),
  )
})

test('a normalised vector has length 1, and zero stays zero', () => {
  expect(Array.from(normalise(Float32Array.of(0, 0)))).toEqual([0, 0])
  fc.assert(
    fc.property(vector, (given) => {
      fc.pre(dot(given, given) > 1e-6)
      expect(dot(normalise(given), normalise(given))).toBeCloseTo(1, 5)
    }),
  )
})

test('a quantised component is off by at most half a step', () => {
  expect(quantise(Float32Array.of(0, 0))).toEqual({ bytes: Int8Array.of(0, 0), scale: 0 })
  fc.assert(
    fc.property(vector, (given) => {
      fc.pre(dot(given, given) > 1e-6)
      const { bytes, scale } = quantise(given)
      for (const [at, value] of given.entries()) {
        expect(Math.abs((bytes[at] ?? 0) * scale - value)).toBeLessThanOrEqual(scale * 0.5000001)
      }
    }),
  )
})
