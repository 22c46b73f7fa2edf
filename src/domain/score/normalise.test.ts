import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normaliseOverCandidates } from './normalise.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })

test('the best of a pool becomes 1 and the last the floor', () => {
  expect(normaliseOverCandidates([0.25, 0.75, 0.5], 0.5)).toEqual([0.5, 1, 0.75])
  expect(Math.min(...normaliseOverCandidates([0.2, 0.6]))).toBe(0.4)
})

test('a single strength and equal ones become 1, and no pool stays empty', () => {
  expect([
    normaliseOverCandidates([0.1]),
    normaliseOverCandidates([0.3, 0.3]),
    normaliseOverCandidates([]),
  ]).toEqual([[1], [1, 1], []])
})

test('stretching keeps the order and stays between the floor and 1', () => {
  fc.assert(
    fc.property(fc.array(unit, { minLength: 2 }), unit, (strengths, floor) => {
      const stretched = normaliseOverCandidates(strengths, floor)
      for (const [at, value] of stretched.entries()) {
        expect(value).toBeGreaterThanOrEqual(floor)
        expect(value).toBeLessThanOrEqual(1)
        for (const [other, otherValue] of stretched.entries()) {
          if ((strengths[at] ?? 0) < (strengths[other] ?? 0)) expect(value).toBeLessThanOrEqual(otherValue)
        }
      }
      expect(Math.max(...stretched)).toBeCloseTo(1, 12)
    }),
  )
})
