import { expect, test } from 'vitest'
import { checkKnown, checkTrimmed } from './properties.ts'

test('knownAt answers what the memory held at a moment of 200 random histories', async () => {
  await checkKnown(200)
  const { compared } = await checkTrimmed(200)
  expect(compared).toBeGreaterThan(150)
})
