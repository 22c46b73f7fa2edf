import { expect, test } from 'vitest'
import { attributionScore } from './attribution.ts'

const OPTIONS = { minLength: 4, stopWords: new Set(['with']) }

test('an answer is credited to a block by the share of its telling words', () => {
  expect(attributionScore('Redis pool with twenty', 'the REDIS pool', OPTIONS)).toBeCloseTo(2 / 3, 12)
})

test('a block without telling words gets no credit', () => {
  expect(attributionScore('it is so', 'it is so', OPTIONS)).toBe(0)
})
