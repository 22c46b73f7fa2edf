import { expect, test } from 'vitest'
import { brier, fitConstants, type Judged, reliability } from '../../bench/confidence/fit.ts'
import { bestNeighbours, joinFrom, type Placed } from '../../bench/edges/pairs.ts'
import { createRandom } from '../../bench/lib/random.ts'
import { bootstrap, leastShare, quantile, tInterval } from '../../bench/lib/statistics.ts'
import { areaUnderCurve } from '../../bench/locomo/foreign.ts'
import { judge } from '../../bench/locomo/metrics.ts'
import { type ProbabilityConstants, probabilityOf } from '../../src/domain/score/score.ts'

test('a quantile is a value that was measured', () => {
  expect(quantile([5, 1, 4, 2, 3], 0.5)).toBe(3)
  expect(quantile([5, 1, 4, 2, 3], 0.95)).toBe(5)
  expect(quantile([], 0.5)).toBe(0)
})

test('the bootstrap interval holds the mean and narrows with more questions', () => {
  const values = [0, 1, 0, 1, 1, 0, 1, 1]
  const few = bootstrap(values)
  const many = bootstrap(Array.from({ length: 800 }, (_, i) => values[i % 8] as number))
  expect(few.mean).toBe(0.625)
  expect(few.low).toBeLessThan(0.625)
  expect(few.high).toBeGreaterThan(0.625)
  expect(many.high - many.low).toBeLessThan((few.high - few.low) / 3)
})

test('the t interval of three seeds is that of the table', () => {
  const { mean, low, high } = tInterval([1, 2, 3])
  expect(mean).toBe(2)
  expect(high - mean).toBeCloseTo(4.303 / Math.sqrt(3), 3)
  expect(mean - low).toBeCloseTo(high - mean, 12)
})

test('the lower bound of a share grows towards the share with more cases', () => {
  expect(leastShare(0, 0)).toBe(0)
  expect(leastShare(9, 10)).toBeCloseTo(0.596, 3)
  expect(leastShare(90, 100)).toBeCloseTo(0.826, 3)
})

test('random numbers depend on the seed alone and are spread evenly', () => {
  const draw = (...seed: number[]) => {
    const random = createRandom(...seed)
    return Array.from({ length: 1_000 }, () => random.next())
  }
  expect(draw(1, 2)).toEqual(draw(1, 2))
  expect(draw(1, 2)).not.toEqual(draw(1, 3))
  const mean = draw(5).reduce((sum, each) => sum + each, 0) / 1_000
  expect(mean).toBeCloseTo(0.5, 1)
})

test.each([
  ['evidence at places 2 and 7', [['x'], ['a'], ['x'], ['x'], ['x'], ['x'], ['b']], [0.5, 1, 1, 1, 0.5]],
  ['one piece of evidence in two blocks', [['a'], ['a']], [0.5, 0.5, 0.5, 1, 1]],
  ['a block that stands for both', [['a', 'b']], [1, 1, 1, 1, 1]],
  ['no answer', [], [0, 0, 0, 0, 0]],
])('judge with %s gives R@5, R@10, R@20, hit@5 and MRR', (_, ranked, expected) => {
  const { recall5, recall10, recall20, hit5, reciprocalRank } = judge(ranked, new Set(['a', 'b']))
  expect([recall5, recall10, recall20, hit5, reciprocalRank]).toEqual(expected)
})

test('the area under the curve is 1 for what is always told apart and 0.5 for chance', () => {
  expect(areaUnderCurve([0.9, 0.8], [0.1, 0.2])).toBe(1)
  expect(areaUnderCurve([0.5], [0.5])).toBe(0.5)
  expect(areaUnderCurve([0.1, 0.9], [0.5])).toBe(0.5)
})

const TRUE: ProbabilityConstants = {
  intercept: -2,
  cosine: 3,
  lexical: 1,
  standsOut: 6,
  runnerUpShare: 0.5,
  size: 0.4,
}

/** Matches that are right exactly as often as the constants say. */
function drawn(count: number): Judged[] {
  const random = createRandom(11)
  return Array.from({ length: count }, () => {
    const [cosine, lexical, strength] = [random.next(), random.next(), random.next()]
    const evidence = { cosine, lexical, strength, runnerUp: random.next() / 2, blocks: 500 }
    return { evidence, right: random.next() < probabilityOf(evidence, TRUE), weight: 1 }
  })
}

test('the true constants are reliable in every bin and have the best Brier score', () => {
  const judged = drawn(20_000)
  for (const { said, right, matches } of reliability(judged, ({ evidence }) => probabilityOf(evidence, TRUE)))
    expect(Math.abs(said - right)).toBeLessThan(2.5 / Math.sqrt(matches))
  const best = brier(judged, TRUE)
  expect(brier(judged, { ...TRUE, intercept: -1 })).toBeGreaterThan(best)
  expect(brier(judged, { ...TRUE, standsOut: 2 })).toBeGreaterThan(best)
})

test('the fit gives back probabilities of the constants that the matches were drawn from', () => {
  const judged = drawn(20_000)
  const fitted = fitConstants(judged, TRUE.runnerUpShare)
  for (const { evidence } of judged.slice(0, 200))
    expect(Math.abs(probabilityOf(evidence, fitted) - probabilityOf(evidence, TRUE))).toBeLessThan(0.05)
})

const at = (degrees: number, group: string): Placed => ({
  group,
  vector: Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)),
})

test('best neighbours above a floor become edges, each once, and precision is the share within a topic', () => {
  const best = bestNeighbours([at(200, 'note'), at(0, 'a'), at(10, 'a'), at(90, 'b'), at(60, 'b')])
  expect(joinFrom(0.9, best, 1)).toEqual({ joined: 0.5, right: 1, notesJoined: 0, edges: 1, precision: 1 })
  const all = joinFrom(-1, best, 1)
  expect(all).toMatchObject({ joined: 1, right: 1, notesJoined: 1, edges: 3 })
  expect(all.precision).toBeCloseTo(2 / 3, 12)
})
