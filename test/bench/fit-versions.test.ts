import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Example, fitNets, rounded } from '../../bench/fit-versions/net.ts'
import { createRandom } from '../../bench/lib/random.ts'
import { judge, pairFeatures, pairText } from '../../src/recall/pair-score.ts'
import weights from '../../src/recall/pair-weights.json' with { type: 'json' }

/** Examples of which the first feature decides, and the second says nothing. */
function examples(): Example[] {
  const random = createRandom(7)
  return Array.from({ length: 400 }, () => {
    const features = [random.normal(), random.normal()]
    return { features, label: (features[0] as number) > 0 ? 1 : 0, weight: 1 }
  })
}

test('fitNets gives the same weights for the same seed, and others for another', () => {
  const fitted = (seed: number) => rounded(fitNets(examples(), { seed, epochs: 4 }))
  expect(fitted(1)).toEqual(fitted(1))
  expect(fitted(1)).not.toEqual(fitted(2))
})

test('fitNets learns which feature decides', () => {
  const model = fitNets(examples(), { epochs: 40 })
  expect(judge([1, 0], model)).toBeGreaterThan(1)
  expect(judge([-1, 0], model)).toBeLessThan(-1)
  expect(Math.abs(judge([0, 2], model))).toBeLessThan(1)
})

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
