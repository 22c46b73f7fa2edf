import { expect, test } from 'vitest'
import { checkKnown, checkTrimmed, checkTrue } from './properties.ts'

test('what was known at a moment is what the memory held then, after any history', async () => {
  expect.hasAssertions()
  await checkKnown(30)
})

test('what was true at a moment is what a naive look finds, after any history', async () => {
  expect.hasAssertions()
  await checkTrue(30)
})

test('where the log was trimmed, what was known is as it was back to knownSince', async () => {
  const { trimmed, compared } = await checkTrimmed(12)
  expect(trimmed).toBeGreaterThan(0)
  expect(compared).toBeGreaterThan(0)
})
