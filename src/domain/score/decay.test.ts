import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decayTier, penalisedLambda, recency, recoveredLambda } from './experience.ts'

const lambda = fc.double({ min: 1e-6, max: 1, noNaN: true })
const hours = fc.double({ min: -1_000, max: 1e6, noNaN: true })
const PENALTY = { factor: 2, ceiling: 0.05, immuneAt: 0.001 }

test('the strongest reason to last decides the tier', () => {
  expect(decayTier(['self/goal', 'self/constitutional'], 'observation')).toBe('permanent')
  expect(decayTier(['self/goal'], 'observation')).toBe('durable')
  expect(decayTier([], 'mind')).toBe('durable')
  expect(decayTier(['self/style'], 'observation')).toBe('ephemeral')
  expect(decayTier([], 'anything')).toBe('standard')
})

test('recency lies in 0..1 and never rises with time', () => {
  fc.assert(
    fc.property(lambda, hours, hours, (rate, one, other) => {
      const [early, late] = one < other ? [one, other] : [other, one]
      expect(recency(rate, late)).toBeLessThanOrEqual(recency(rate, early))
      expect(recency(rate, early)).toBeLessThanOrEqual(1)
      expect(recency(rate, late)).toBeGreaterThanOrEqual(0)
    }),
  )
})

test('a penalty never slows decay, never passes the ceiling and spares what lasts', () => {
  fc.assert(
    fc.property(lambda, (rate) => {
      const next = penalisedLambda(rate, PENALTY)
      expect(next).toBeGreaterThanOrEqual(rate)
      expect(next).toBeLessThanOrEqual(Math.max(rate, PENALTY.ceiling))
      if (rate <= PENALTY.immuneAt) expect(next).toBe(rate)
    }),
  )
})

test('good outcomes bring a penalised decay back to its tier and no further (W27)', () => {
  expect(recoveredLambda(0.04, 0.01, 2)).toBe(0.02)
  expect(recoveredLambda(0.015, 0.01, 2)).toBe(0.01)
  expect(recoveredLambda(0.001, 0.01, 2)).toBe(0.001)
  fc.assert(
    fc.property(fc.double({ min: 0.002, max: 0.025, noNaN: true }), (rate) => {
      expect(recoveredLambda(penalisedLambda(rate, PENALTY), rate, 2)).toBeCloseTo(rate, 12)
    }),
  )
})
