import { expect, test } from 'vitest'
import { checkTrust } from './trust-walk.ts'

test('whatever owner and agents do, words of others get no identity, and an agent neither raises words nor beats those of the owner', async () => {
  expect.hasAssertions()
  await checkTrust({ numRuns: 25 })
})
