import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aboveLine } from '../../src/recall/match.ts'
import { cut } from '../../src/recall/rank.ts'

const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 })
const above = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined })

test('cut takes the entries near the best, three at most where the nearest is barely near enough', () => {
  expect(cut([0.9, 0.65, 1, 0.67, 0.2], 0.3)).toEqual([0, 2, 3])
  expect(cut([0.1, 0.2], 0.3)).toEqual([0])
  expect(cut([1, 1, 1, 1, 1], 0.01)).toEqual([0, 1, 2])
  expect(cut([1, 1, 1, 1, 1], undefined)).toHaveLength(5)
  expect(cut([], 0.3)).toEqual([])
})

test('cut takes 1 to 10 entries, and no fewer when an entry comes nearer', () => {
  fc.assert(
    fc.property(shares, above, fc.nat(), (given, far, at) => {
      const { length } = cut(given, far)
      expect(length).toBeGreaterThanOrEqual(1)
      expect(length).toBeLessThanOrEqual(10)
      const nearer = given.map((share, i) => (i === at % given.length ? 1 : share))
      expect(cut(nearer, far).length).toBeGreaterThanOrEqual(length)
    }),
  )
})

test('aboveLine falls as a store grows, and no further from 150 blocks on', () => {
  const near = [{ ownCosine: 0.2, lexical: 0.1 }]
  expect(aboveLine(near, 10)).toBeGreaterThan(aboveLine(near, 100))
  expect(aboveLine(near, 150)).toBe(aboveLine(near, 100_000))
  expect(aboveLine([], 10)).toBe(Number.NEGATIVE_INFINITY)
})
