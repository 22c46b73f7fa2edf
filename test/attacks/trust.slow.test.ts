import { expect, test } from 'vitest'
import { checkTrust } from './trust-walk.ts'

/** `TRUST_CASES=4000 npm run test:slow` looks at more, `FC_SEED=7` at others. */
const CASES = Number(process.env.TRUST_CASES ?? 500)

test('in hundreds of random walks words of others get no identity, and no agent has any count as more', async () => {
  expect.hasAssertions()
  await checkTrust({ numRuns: CASES })
}, 900_000)
