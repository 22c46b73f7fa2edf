import { expect, test } from 'vitest'
import { fitConstants, type Judged } from '../../bench/confidence/fit.ts'
import { createRandom } from '../../bench/lib/random.ts'
import { areaUnderCurve } from '../../bench/locomo/foreign.ts'
import { judge } from '../../bench/locomo/metrics.ts'
import { type ProbabilityConstants, probabilityOf } from '../../src/index/rank.ts'

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

/** Draws matches that are right exactly as often as the constants say. */
function drawn(count: number): Judged[] {
  const random = createRandom(11)
  return Array.from({ length: count }, () => {
    const [cosine, lexical, strength] = [random.next(), random.next(), random.next()]
    const evidence = { cosine, lexical, strength, runnerUp: random.next() / 2, blocks: 500 }
    return { evidence, right: random.next() < probabilityOf(evidence, TRUE), weight: 1 }
  })
}

test('the fit gives back probabilities of the constants that the matches were drawn from', () => {
  const judged = drawn(20_000)
  const fitted = fitConstants(judged, TRUE.runnerUpShare)
  for (const { evidence } of judged.slice(0, 200))
    expect(Math.abs(probabilityOf(evidence, fitted) - probabilityOf(evidence, TRUE))).toBeLessThan(0.05)
})
