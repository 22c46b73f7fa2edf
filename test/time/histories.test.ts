import { expect, test } from 'vitest'
import { checkKnown, checkTrimmed } from './properties.ts'

test('knownAt answers what the memory held at a moment of 20 random histories', async () => {
  expect.hasAssertions()
  await checkKnown(20)
})

test('knownAt is exact back to knownSince where the log of 8 random histories was trimmed', async () => {
  const { trimmed, compared } = await checkTrimmed(8)
  expect(trimmed).toBeGreaterThan(0)
  expect(compared).toBeGreaterThan(0)
})
