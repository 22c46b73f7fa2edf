import { expect, test } from 'vitest'
import { checkKnown, checkTrimmed, checkTrue } from './properties.ts'

test('knownAt and asOf have what was known and true in 200 random histories', async () => {
  await checkKnown(200)
  await checkTrue(200)
  const { compared } = await checkTrimmed(200)
  expect(compared).toBeGreaterThan(150)
})
