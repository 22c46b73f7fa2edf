import '../helpers/properties.ts'
import fc from 'fast-check'

/** `FUZZ_SECONDS=600` looks longer and `FC_SEED=7` elsewhere; a failure names its seed. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 2)

/** The clock is read once for this many cases; the first case always runs. */
const ROUND = 5
/** After this the smallest case found so far is shown, before the test's own limit hides it. */
const SHRINKING_MS = 60_000

/** Tries a property until the time is over. `FC_SEED` set to the seed that a failure names begins with the round that failed. */
export async function tryFor<T>(
  arbitrary: fc.Arbitrary<T>,
  holds: (value: T) => Promise<void>,
): Promise<void> {
  const until = performance.now() + SECONDS * 1_000
  let seed = fc.readConfigureGlobal().seed ?? 0
  do {
    const options = { seed, numRuns: ROUND, interruptAfterTimeLimit: SHRINKING_MS }
    await fc.assert(fc.asyncProperty(arbitrary, holds), options)
    seed += ROUND
  } while (performance.now() < until)
}
