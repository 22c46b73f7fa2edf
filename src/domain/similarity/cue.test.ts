import { expect, test } from 'vitest'
import { cueSimilarity } from './cue.ts'

test('cues are compared by their words, and a missing cue compares to nothing', () => {
  expect(cueSimilarity('When Deploying', 'deploying now')).toBeCloseTo(1 / 3, 12)
  expect(cueSimilarity(undefined, 'x')).toBeUndefined()
  expect(cueSimilarity('x', '')).toBeUndefined()
})
