import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pairFeatures, pairText } from '../../src/recall/pair-score.ts'
import weights from '../../src/recall/pair-weights.json' with { type: 'json' }

test('the shipped weights have a number for each feature and take at most 10 kB', () => {
  const [older, newer] = ['The gate opens at 6.', 'The gate opens at 7.'].map((text, at) => ({
    text: pairText(text, (words) => words.split(' ')),
    ...{ at, rank: 1, asked: 0.5 },
  })) as [never, never]
  const width = pairFeatures({ notes: [older, newer], idf: () => 1, size: 2 })(0, 1)?.length
  const { mean, scale, nets } = weights
  expect([mean.length, scale.length]).toEqual([width, width])
  expect(scale.every((value) => value > 0)).toBe(true)
  for (const { hidden, hiddenBias, out } of nets) {
    expect(hidden.map((row) => row.length)).toEqual(out.map(() => width))
    expect(hiddenBias).toHaveLength(out.length)
  }
  const numbers = [mean, scale, ...nets.flatMap(({ hidden, out, outBias }) => [...hidden, out, [outBias]])]
  expect(numbers.flat().every(Number.isFinite)).toBe(true)
  const { size } = statSync(new URL('../../src/recall/pair-weights.json', import.meta.url))
  expect(size).toBeLessThanOrEqual(10_000)
})
