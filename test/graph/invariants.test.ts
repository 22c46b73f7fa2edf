import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sequence } from './acts.ts'
import { play } from './play.ts'
import { noteIn, type Tally } from './tally.ts'

/** These events must occur, or the rules were not tried. The long suite also meets rarer ones. */
const CASES = [
  'edges given way at connect',
  'edges given way at connects',
  'edges made at curate',
  'edges made at a waiting block',
  'edges made at recall',
  'edges made at outcome',
  'edges taken over',
  'edges lost with an archived end',
  'edges faded',
  'connections deferred',
  'pairs settled',
  'refusals',
]

test('80 random sequences of operations keep the rules of the graph', async () => {
  const tally: Tally = new Map()
  await fc.assert(
    fc.asyncProperty(sequence, (each) => play(each, (change) => noteIn(tally, change))),
    { numRuns: 80 },
  )
  expect(CASES.filter((what) => !tally.get(what))).toEqual([])
})
