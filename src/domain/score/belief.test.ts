import fc from 'fast-check'
import { expect, test } from 'vitest'
import { confidenceOf, evidenceMass, explorationBonus } from './experience.ts'

const count = fc.double({ min: 0, max: 1e6, noNaN: true })
const unit = fc.double({ min: 0, max: 1, noNaN: true })

test('confidenceOf lies in 0..1', () => {
  fc.assert(
    fc.property(count, count, unit, (successes, failures, alignment) => {
      const value = confidenceOf({ successes, failures, alignment })
      expect(value).toBeGreaterThanOrEqual(0)
      expect(value).toBeLessThanOrEqual(1)
    }),
  )
})

test('evidenceMass counts no judgement of a model', () => {
  const block = { successes: 0, failures: 0, alignment: 0.9 }
  expect(evidenceMass(block)).toBe(0)
  expect(evidenceMass({ successes: 1.5, failures: 0.5 })).toBe(2)
})

test('explorationBonus is at most half its scale and shrinks with evidence', () => {
  fc.assert(
    fc.property(count, count, (alpha, beta) => {
      const bonus = explorationBonus({ alpha, beta })
      expect(bonus).toBeGreaterThanOrEqual(0)
      expect(bonus).toBeLessThanOrEqual(0.025)
      expect(explorationBonus({ alpha: alpha * 2, beta: beta * 2 })).toBeLessThanOrEqual(bonus)
    }),
  )
})
