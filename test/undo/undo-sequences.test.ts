import { expect, test } from 'vitest'
import { checkSequences } from './properties.ts'

test('undo of 5 random sequences passes every state before, and redo every state after', async () => {
  expect.hasAssertions()
  await checkSequences(5)
})
