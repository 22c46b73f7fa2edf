import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compositeEdgeScore, EDGE_SCORE, type EdgeEnd } from './edge-score.ts'

const tags = fc.array(fc.constantFrom('a', 'b', 'c', 'd'))
const hours = fc.double({ min: 0, max: 1e5, noNaN: true })
const end: fc.Arbitrary<EdgeEnd> = fc.record({ tags, category: fc.constantFrom('k', 'p'), hours })
const cosines = fc.double({ min: -1, max: 1, noNaN: true })

test('compositeEdgeScore lies in 0..1, is the same in both directions, and 0 below the cosine floor', () => {
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

test('compositeEdgeScore never falls with a higher cosine', () => {
  fc.assert(
    fc.property(cosines, cosines, end, end, (one, other, a, b) => {
      const [less, more] = one < other ? [one, other] : [other, one]
      expect(compositeEdgeScore(less, a, b)).toBeLessThanOrEqual(compositeEdgeScore(more, a, b))
    }),
  )
})
