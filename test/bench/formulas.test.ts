import { expect, test } from 'vitest'
import { judge } from '../../bench/locomo/metrics.ts'

test.each([
  ['evidence at places 2 and 7', [['x'], ['a'], ['x'], ['x'], ['x'], ['x'], ['b']], [0.5, 1, 1, 1, 0.5]],
  ['one piece of evidence in two blocks', [['a'], ['a']], [0.5, 0.5, 0.5, 1, 1]],
  ['a block that stands for both', [['a', 'b']], [1, 1, 1, 1, 1]],
  ['no answer', [], [0, 0, 0, 0, 0]],
])('judge with %s gives R@5, R@10, R@20, hit@5 and MRR', (_, ranked, expected) => {
  const { recall5, recall10, recall20, hit5, reciprocalRank } = judge(ranked, new Set(['a', 'b']))
  expect([recall5, recall10, recall20, hit5, reciprocalRank]).toEqual(expected)
})
