import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  betaMean,
  betaOf,
  confidenceOf,
  evidenceMass,
  explorationBonus,
  updateBeta,
  updateEvidence,
} from './experience.ts'

const count = fc.double({ min: 0, max: 1e6, noNaN: true })
const unit = fc.double({ min: 0, max: 1, noNaN: true })
const weight = fc.double({ min: 1e-3, max: 100, noNaN: true })

test('without evidence confidence is one half, whatever a model thought of its alignment', () => {
  expect(confidenceOf({ successes: 0, failures: 0 })).toBe(0.5)
  expect(confidenceOf({ successes: 0, failures: 0, alignment: 0.9 })).toBeCloseTo(0.9, 12)
})

test('confidence stays within 0..1', () => {
  fc.assert(
    fc.property(count, count, unit, (successes, failures, alignment) => {
      const value = confidenceOf({ successes, failures, alignment })
      expect(value).toBeGreaterThanOrEqual(0)
      expect(value).toBeLessThanOrEqual(1)
    }),
  )
})

test('a report adds exactly its weight and pulls the mean toward its signal', () => {
  fc.assert(
    fc.property(count, count, unit, weight, (alpha, beta, signal, w) => {
      fc.pre(alpha + beta > 0)
      const next = updateBeta({ alpha, beta }, { signal, weight: w })
      expect(next.alpha + next.beta).toBeCloseTo(alpha + beta + w, 4)
      const before = Math.abs(betaMean({ alpha, beta }) - signal)
      expect(Math.abs(betaMean(next) - signal)).toBeLessThanOrEqual(before + 1e-9)
    }),
  )
})

test('evidence updated apart from the prior gives the same confidence as a Beta updated with it', () => {
  fc.assert(
    fc.property(
      unit,
      fc.array(fc.record({ signal: unit, weight }), { maxLength: 10 }),
      (alignment, reports) => {
        const evidence = reports.reduce(updateEvidence, { successes: 0, failures: 0 })
        const beta = reports.reduce(updateBeta, { alpha: alignment, beta: 1 - alignment })
        expect(confidenceOf({ alignment, ...evidence })).toBeCloseTo(betaMean(beta), 9)
        expect(betaOf({ alignment, ...evidence }).alpha).toBeCloseTo(beta.alpha, 9)
      },
    ),
  )
})

test("a model's judgement is no evidence (W52)", () => {
  const block = { successes: 0, failures: 0, alignment: 0.9 }
  expect(evidenceMass(block)).toBe(0)
  expect(evidenceMass({ successes: 1.5, failures: 0.5 })).toBe(2)
})

test('nothing known at all is a mean of one half', () => {
  expect(betaMean({ alpha: 0, beta: 0 })).toBe(0.5)
})

test('certainty and total ignorance earn no exploration bonus (W25)', () => {
  for (const certain of [
    { alpha: 0, beta: 0 },
    { alpha: 0, beta: 3 },
    { alpha: 3, beta: 0 },
  ]) {
    expect(explorationBonus(certain)).toBe(0)
  }
})

test('the exploration bonus is at most half its scale and shrinks as evidence grows', () => {
  fc.assert(
    fc.property(count, count, (alpha, beta) => {
      const bonus = explorationBonus({ alpha, beta })
      expect(bonus).toBeGreaterThanOrEqual(0)
      expect(bonus).toBeLessThanOrEqual(0.025)
      expect(explorationBonus({ alpha: alpha * 2, beta: beta * 2 })).toBeLessThanOrEqual(bonus)
    }),
  )
})
