import { expect, test } from 'vitest'
import { checkSequences, checkWithRecalls } from './properties.ts'

const SEEDS = [1, 2, 3, 4]

test.each(SEEDS)('long undoing and redoing passes every state (seed %i)', async (seed) => {
  expect.hasAssertions()
  await checkSequences('file', { numRuns: 15, seed })
})

test.each(SEEDS)('long undoing with recalls in between passes every state (seed %i)', async (seed) => {
  expect.hasAssertions()
  await checkWithRecalls({ numRuns: 25, seed })
})
