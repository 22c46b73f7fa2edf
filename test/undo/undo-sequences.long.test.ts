import { expect, test } from 'vitest'
import { checkAnyOperation, checkSequences } from './properties.ts'

test('undo of 100 random sequences passes each earlier state, and undo of the undos each later one', async () => {
  expect.hasAssertions()
  await checkSequences(100)
})

test('undo of any operation of 100 random sequences is taken back by its undo, or refused with a later one', async () => {
  const { undone, named } = await checkAnyOperation(100)
  expect(undone).toBeGreaterThan(0)
  expect(named).toBeGreaterThan(0)
})
