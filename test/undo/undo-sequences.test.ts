import { expect, test } from 'vitest'
import { checkSequences, checkWithRecalls } from './properties.ts'

test.each([
  ['file', 6],
  ['memory', 12],
] as const)(
  'undoing a random sequence step by step passes every state before, and redoing it every state after (%s, %i sequences)',
  async (kind, numRuns) => {
    expect.hasAssertions()
    await checkSequences(kind, { numRuns })
  },
)

test('undoing a random sequence with recalls in between brings back every state field by field, and what recalls did stays', async () => {
  expect.hasAssertions()
  await checkWithRecalls({ numRuns: 5 })
})
