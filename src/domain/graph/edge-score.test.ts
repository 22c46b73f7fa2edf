import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compositeEdgeScore, EDGE_SCORE, type EdgeEnd, jaccard, temporalProximity } from './edge-score.ts'

const tags = fc.array(fc.constantFrom('a', 'b', 'c', 'd'))
const hours = fc.double({ min: 0, max: 1e5, noNaN: true })
const end: fc.Arbitrary<EdgeEnd> = fc.record({ tags, category: fc.constantFrom('k', 'p'), hours })
const cosines = fc.double({ min: -1, max: 1, noNaN: true })

test('jaccard is the share of common members, 0 for two empty sets', () => {
  expect(jaccard([], [])).toBe(0)
  expect(jaccard(['a', 'b', 'b'], ['b', 'c'])).toBeCloseTo(1 / 3, 12)
  fc.assert(
    fc.property(tags, tags, (a, b) => {
      expect(jaccard(a, b)).toBe(jaccard(b, a))
      expect(jaccard(a, b)).toBeLessThanOrEqual(1)
      if (a.length > 0) expect(jaccard(a, [...a].reverse())).toBe(1)
    }),
  )
})

test('nearness in time is 1 at once and falls on both sides alike', () => {
  fc.assert(
    fc.property(hours, hours, (a, b) => {
      expect(temporalProximity(a, a)).toBe(1)
      expect(temporalProximity(a, b)).toBe(temporalProximity(b, a))
      expect(temporalProximity(a, b)).toBeLessThanOrEqual(1)
    }),
  )
})

test('an edge score lies in 0..1, does not depend on direction, and is 0 below the cosine floor', () => {
  fc.assert(
    fc.property(cosines, end, end, (cosine, a, b) => {
      const score = compositeEdgeScore(cosine, a, b)
      expect(score).toBeGreaterThanOrEqual(0)
      expect(score).toBeLessThanOrEqual(1)
      expect(compositeEdgeScore(cosine, b, a)).toBeCloseTo(score, 12)
      if (cosine < EDGE_SCORE.cosineFloor) expect(score).toBe(0)
    }),
  )
})

test('a higher cosine never gives a lower edge score', () => {
  fc.assert(
    fc.property(cosines, cosines, end, end, (one, other, a, b) => {
      const [less, more] = one < other ? [one, other] : [other, one]
      expect(compositeEdgeScore(less, a, b)).toBeLessThanOrEqual(compositeEdgeScore(more, a, b))
    }),
  )
})
