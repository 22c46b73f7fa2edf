import { expect, test } from 'vitest'
import { checkAnyOperation, checkSequences } from './properties.ts'

test('undo of 5 random sequences passes each earlier state, and undo of the undos each later one', async () => {
  expect.hasAssertions()
  await checkSequences(5)
})

test('undo of any operation of 5 random sequences is taken back by its undo, or refused with a later one', async () => {
  expect.hasAssertions()
  await checkAnyOperation(5)
})
