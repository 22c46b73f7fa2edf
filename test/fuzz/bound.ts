import '../helpers/properties.ts'
import fc from 'fast-check'

/** How long a suite looks for a case that breaks it. */
export interface Bound {
  readonly seconds: number
  /** No more cases than these, so that a quick machine looks at the same ones every time. */
  readonly cases: number
}

/** `FUZZ_SECONDS=600 npm run test:slow` looks longer, `FC_SEED=7` elsewhere; a failure names its seed. */
const given = process.env.FUZZ_SECONDS === undefined ? undefined : Number(process.env.FUZZ_SECONDS)

export const SHORT: Bound = { seconds: given ?? 2, cases: given === undefined ? 500 : Infinity }
export const LONG: Bound = { seconds: given ?? 20, cases: given === undefined ? 700 : Infinity }

/** A bound for cases that take so many times as long as those of other suites. */
export function slower({ seconds, cases }: Bound, times: number): Bound {
  return { seconds, cases: Math.ceil(cases / times) }
}

/** Cases between two looks at the clock. The first of them always run, however slow the machine. */
const ROUND = 10
/** After this the smallest case found so far is shown, before the test's own limit hides it. */
const SHRINKING_MS = 60_000

/**
 * Tries a property until the bound is reached. `FC_SEED` set to the seed a failure names begins with the round that
 * failed.
 */
export async function tryFor<T>(
  bound: Bound,
  arbitrary: fc.Arbitrary<T>,
  holds: (value: T) => Promise<void>,
  { round = ROUND }: { readonly round?: number } = {},
): Promise<void> {
  const until = performance.now() + bound.seconds * 1_000
  const first = fc.readConfigureGlobal().seed ?? 0
  let tried = 0
  while (tried === 0 || (tried < bound.cases && performance.now() < until)) {
    const numRuns = Math.min(round, bound.cases - tried)
    await fc.assert(fc.asyncProperty(arbitrary, holds), {
      seed: first + tried,
      numRuns,
      interruptAfterTimeLimit: SHRINKING_MS,
    })
    tried += numRuns
  }
}
