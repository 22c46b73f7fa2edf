import { expect, test } from 'vitest'
import { checkKnown, checkTrimmed, checkTrue } from './properties.ts'

test('what was known at a moment is what the memory held then, over 200 random histories', async () => {
  expect.hasAssertions()
  await checkKnown(200)
})

test('what was true at a moment is what a naive look finds, over 200 random histories', async () => {
  expect.hasAssertions()
  await checkTrue(200)
})

test('where the log was trimmed, what was known is as it was back to knownSince, over 200 random histories', async () => {
  const { trimmed, compared } = await checkTrimmed(200)
  expect(trimmed).toBeGreaterThan(150)
  expect(compared).toBeGreaterThan(150)
})
