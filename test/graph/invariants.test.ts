import fc from 'fast-check'
import { expect, test } from 'vitest'
import { act, openSide } from '../undo/side.ts'
import { sequence } from './acts.ts'
import { expectLawful } from './lawful.ts'
import { takePicture } from './picture.ts'

test('80 random sequences of operations keep the rules of the graph and the counts of status', async () => {
  await fc.assert(
    fc.asyncProperty(sequence, async ({ settings, contents, acts }) => {
      const side = await openSide(settings, ':memory:')
      for (const one of [{ do: 'learn', contents } as const, ...acts]) {
        await act(side, one)
        const picture = await takePicture(side.store, [...side.ids])
        expectLawful(picture, settings)
        const { edges, openPairs, pendingConnections } = picture.counts
        expect((await side.memory.status()).graph).toMatchObject({ edges, openPairs, pendingConnections })
      }
      await side.memory.close()
      await side.store.close()
    }),
    { numRuns: 80 },
  )
})
