import fc from 'fast-check'
import { expect, test } from 'vitest'
import { corpusCentrality } from '../outcome/formulas.ts'

test('corpusCentrality lies in 0..1 and never falls with more edges', () => {
  const strength = fc.double({ min: 0, max: 20, noNaN: true })
  expect(corpusCentrality(3, 0)).toBe(0)
  fc.assert(
    fc.property(strength, strength, strength, (one, other, scale) => {
      const [less, more] = one < other ? [one, other] : [other, one]
      const values = [corpusCentrality(less, scale), corpusCentrality(more, scale)] as const
      expect(values[0]).toBeGreaterThanOrEqual(0)
      expect(values[0]).toBeLessThanOrEqual(values[1])
      expect(values[1]).toBeLessThanOrEqual(1)
      if (scale > 0 && more >= scale) expect(values[1]).toBe(1)
    }),
  )
})
