import fc from 'fast-check'
import { expect, test } from 'vitest'
import { penalisedLambda, recoveredLambda } from './experience.ts'

const lambda = fc.double({ min: 1e-6, max: 1, noNaN: true })
const PENALTY = { factor: 2, ceiling: 0.05, immuneAt: 0.001 }

test('penalisedLambda never slows decay, never passes the ceiling and spares what lasts', () => {
  fc.assert(
    fc.property(lambda, (rate) => {
      const next = penalisedLambda(rate, PENALTY)
      expect(next).toBeGreaterThanOrEqual(rate)
      expect(next).toBeLessThanOrEqual(Math.max(rate, PENALTY.ceiling))
      if (rate <= PENALTY.immuneAt) expect(next).toBe(rate)
    }),
  )
})

test('recoveredLambda goes back to the decay of the tier and no further', () => {
  expect(recoveredLambda(0.04, 0.01, 2)).toBe(0.02)
  expect(recoveredLambda(0.015, 0.01, 2)).toBe(0.01)
  expect(recoveredLambda(0.001, 0.01, 2)).toBe(0.001)
  fc.assert(
    fc.property(fc.double({ min: 0.002, max: 0.025, noNaN: true }), (rate) => {
      expect(recoveredLambda(penalisedLambda(rate, PENALTY), rate, 2)).toBeCloseTo(rate, 12)
    }),
  )
})
