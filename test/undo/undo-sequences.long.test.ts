import { expect, test } from 'vitest'
import { checkSequences } from './properties.ts'

test('undo of 100 random sequences passes each earlier state, and undo of the undos each later one', async () => {
  expect.hasAssertions()
  await checkSequences(100)
})
