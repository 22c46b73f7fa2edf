import fc from 'fast-check'
import { test } from 'vitest'
import { sequence } from './acts.ts'
import { play } from './play.ts'

test('80 random sequences of operations keep the rules of the graph', async () => {
  await fc.assert(fc.asyncProperty(sequence, play), { numRuns: 80 })
})
