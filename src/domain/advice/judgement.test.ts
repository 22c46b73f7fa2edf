import { expect, test } from 'vitest'
import { driftRecommendedMax, isDrifting, rescoreAdvice } from './health.ts'

const limits = { count: 25, percent: 25 }

test.each([
  [{ active: 1_000, unjudged: 25, stale: 0 }, false],
  [{ active: 1_000, unjudged: 20, stale: 6 }, true],
  [{ active: 40, unjudged: 5, stale: 5 }, false],
  [{ active: 40, unjudged: 11, stale: 0 }, true],
  [{ active: 0, unjudged: 0, stale: 0 }, false],
])('isDrifting of %o is %s: the lower of count and share decides', (state, drifts) => {
  expect(isDrifting(state, limits)).toBe(drifts)
})

test('rescoreAdvice names 20 blocks if none waits, else as many as wait in steps of fifty', () => {
  const advice = (unjudged: number, stale: number) => rescoreAdvice({ active: 500, unjudged, stale })
  expect(advice(0, 0)).toContain('rescoreMax: 20 ')
  expect(advice(1, 0)).toContain('rescoreMax: 50 ')
  expect(advice(30, 21)).toContain('rescoreMax: 100 ')
})

test('driftRecommendedMax covers all that wait, in steps of fifty', () => {
  expect([-5, 0, 1, 50, 51, 120].map((waiting) => driftRecommendedMax(waiting))).toEqual([
    20, 20, 50, 50, 100, 150,
  ])
})
