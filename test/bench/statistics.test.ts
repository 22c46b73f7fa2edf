import { expect, test } from 'vitest'
import { createRandom } from '../../bench/lib/random.ts'
import { bootstrap, quantile, tInterval } from '../../bench/lib/statistics.ts'

test('quantiles are values that were measured', () => {
  expect(quantile([5, 1, 4, 2, 3], 0.5)).toBe(3)
  expect(quantile([5, 1, 4, 2, 3], 0.95)).toBe(5)
  expect(quantile([], 0.5)).toBe(0)
})

test('the bootstrap interval holds the mean and narrows with more questions', () => {
  const few = bootstrap([0, 1, 0, 1, 1, 0, 1, 1])
  const many = bootstrap(Array.from({ length: 800 }, (_, i) => [0, 1, 0, 1, 1, 0, 1, 1][i % 8] as number))
  expect(few.mean).toBe(0.625)
  expect(few.low).toBeLessThan(0.625)
  expect(few.high).toBeGreaterThan(0.625)
  expect(many.high - many.low).toBeLessThan((few.high - few.low) / 3)
})

test('the t interval of three seeds is the known one', () => {
  const { mean, low, high } = tInterval([1, 2, 3])
  expect(mean).toBe(2)
  expect(high - mean).toBeCloseTo(4.303 / Math.sqrt(3), 3)
  expect(mean - low).toBeCloseTo(high - mean, 12)
})

test('the same seed gives the same numbers, another one others', () => {
  const draw = (...seed: number[]) => {
    const random = createRandom(...seed)
    return Array.from({ length: 5 }, () => random.next())
  }
  expect(draw(1, 2, 3)).toEqual(draw(1, 2, 3))
  expect(draw(1, 2, 3)).not.toEqual(draw(1, 2, 4))
  expect(draw(1, 2, 3)).not.toEqual(draw(2, 2, 3))
})

test('numbers are spread as they should be', () => {
  const random = createRandom(5)
  const uniform = Array.from({ length: 10_000 }, () => random.next())
  const normal = Array.from({ length: 10_000 }, () => random.normal())
  const average = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length
  expect(average(uniform)).toBeCloseTo(0.5, 1)
  expect(average(normal)).toBeCloseTo(0, 1)
  expect(average(normal.map((each) => each ** 2))).toBeCloseTo(1, 1)
  expect(Math.min(...uniform)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...uniform)).toBeLessThan(1)
})

test('a sample takes nothing twice and prefers what weighs more', () => {
  const random = createRandom(9)
  expect(random.sample([1, 2, 3], 3).sort()).toEqual([1, 2, 3])
  const firsts = Array.from({ length: 1_000 }, () => random.sample(['light', 'heavy'], 1, [1, 9])[0])
  expect(firsts.filter((each) => each === 'heavy').length).toBeGreaterThan(850)
})
