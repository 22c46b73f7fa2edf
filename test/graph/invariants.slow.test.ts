import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sequence } from './acts.ts'
import { play } from './play.ts'
import { noteIn, renderTally, type Tally } from './tally.ts'

const SEQUENCES = 1_000

/** The same sequences every time; `FC_SEED` plays others, and a failure names its seed. */
const seed = Number(process.env.FC_SEED ?? 1)

test(`${SEQUENCES} sequences of operations leave the graph within its rules and both stores alike`, async () => {
  const tally: Tally = new Map()
  let played = 0
  await fc.assert(
    fc.asyncProperty(sequence, async (each) => {
      await play(each, (change) => noteIn(tally, change))
      played += 1
    }),
    { numRuns: SEQUENCES, seed },
  )
  process.stdout.write(`${played} sequences:\n${renderTally(tally)}\n`)
  expect(played).toBe(SEQUENCES)
  expect([...tally].filter(([what, many]) => many === 0 && !NEVER.has(what))).toEqual([])
})

/** Operations that make no edge, or that nothing gives way to. */
const NEVER = new Set(
  ['forget', 'resolve', 'pause'].flatMap((act) => [`edges made at ${act}`, `edges given way at ${act}`]),
)
for (const act of ['disconnect', 'restore']) NEVER.add(`edges given way at ${act}`)
