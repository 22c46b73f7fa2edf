import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sequence } from './acts.ts'
import { play } from './play.ts'
import { noteIn, type Tally } from './tally.ts'

const SEQUENCES = 1_000

/** Operations that make no edge, or that nothing gives way to. */
const NEVER = new Set([
  ...['forget', 'resolve', 'pause', 'disconnect', 'restore'].map((act) => `edges given way at ${act}`),
  ...['forget', 'resolve', 'pause'].map((act) => `edges made at ${act}`),
])

test(`${SEQUENCES} random sequences of operations keep the rules of the graph`, async () => {
  const tally: Tally = new Map()
  await fc.assert(
    fc.asyncProperty(sequence, (each) => play(each, (change) => noteIn(tally, change))),
    { numRuns: SEQUENCES },
  )
  expect([...tally].filter(([what, many]) => many === 0 && !NEVER.has(what))).toEqual([])
})
