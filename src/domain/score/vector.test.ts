import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quantise } from '../../search/index/quantise.ts'
import { dot } from './vector.ts'

const component = fc.float({ min: -100, max: 100, noNaN: true })
const vector = fc.array(component, { minLength: 4, maxLength: 4 }).map((each) => Float32Array.from(each))

test('quantise is off by at most half a step in each component', () => {
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
