import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mmrOrder } from '../../bench/reference/mmr.ts'
import { normalise } from '../../src/domain/score/vector.ts'

const component = fc.double({ min: -1, max: 1, noNaN: true })
const vector = fc.tuple(component, component, component).map((each) => normalise(Float32Array.from(each)))
const item = fc
  .record({
    // Scores a rounding apart are the same to the rule.
    score: fc.nat({ max: 1000 }).map((thousandths) => thousandths / 1000),
    vector: fc.option(vector, { nil: undefined }),
  })
  .map((each) =>
    each.vector === undefined ? { score: each.score } : { score: each.score, vector: each.vector },
  )
const items = fc.array(item, { maxLength: 10 })
const lambda = fc.double({ min: 0.05, max: 1, noNaN: true })

test('selecting for variety shows every item once', () => {
  fc.assert(
    fc.property(items, lambda, (given, weight) => {
      const order = mmrOrder(given, weight)
      expect(order).toHaveLength(given.length)
      expect(new Set(order)).toEqual(new Set(given))
    }),
  )
})

test('the best item comes first, and without a price on similarity the order is that of the scores', () => {
  fc.assert(
    fc.property(items, lambda, (given, weight) => {
      const sorted = [...given].sort((a, b) => b.score - a.score)
      expect(mmrOrder(given, weight)[0]?.score).toBe(sorted[0]?.score)
      expect(mmrOrder(given, 1)).toEqual(sorted)
    }),
  )
})

test('an item without a vector never comes before one with a vector and a better score (W46)', () => {
  fc.assert(
    fc.property(items, lambda, (given, weight) => {
      const order = mmrOrder(given, weight)
      for (const [at, early] of order.entries()) {
        if (early.vector !== undefined) continue
        for (const late of order.slice(at + 1)) {
          if (late.vector !== undefined) expect(late.score).toBeLessThanOrEqual(early.score + 1e-9)
        }
      }
    }),
  )
})

test('of two equally good items the less alike comes first', () => {
  const first = { score: 0.9, vector: Float32Array.of(1, 0) }
  const twin = { score: 0.8, vector: Float32Array.of(1, 0) }
  const other = { score: 0.8, vector: Float32Array.of(0, 1) }
  expect(mmrOrder([first, twin, other])).toEqual([first, other, twin])
})
