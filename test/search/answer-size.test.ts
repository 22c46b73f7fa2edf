import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sizeByRank } from '../../src/flow/recall/answer-size.ts'

const LIMITS = { nearBest: 0.7, fewest: 4, most: 10 }
const ranks = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 })

test('sizeByRank counts every entry near the best, within the least and the most', () => {
  expect(sizeByRank([1, 0.9, 0.8, 0.75, 0.7, 0.69, 0.2], LIMITS)).toBe(5)
  expect(sizeByRank([1, 0.2, 0.1, 0.1, 0.1], LIMITS)).toBe(4)
  expect(
    sizeByRank(
      Array.from({ length: 30 }, () => 0.5),
      LIMITS,
    ),
  ).toBe(10)
  expect(sizeByRank([], LIMITS)).toBe(4)
})

test('sizeByRank is the same in any order, and no smaller with a wider line', () => {
  fc.assert(
    fc.property(ranks, (given) => {
      const size = sizeByRank(given, LIMITS)
      expect(sizeByRank(given.toReversed(), LIMITS)).toBe(size)
      expect(sizeByRank(given, { ...LIMITS, nearBest: 0.5 })).toBeGreaterThanOrEqual(size)
    }),
  )
})
