import fc from 'fast-check'
import { expect } from 'vitest'
import { CURATE, histories, known, play } from './histories.ts'

/** What was known at a moment is what the memory held then. */
export async function checkKnown(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(histories, async ({ acts, moment }) => {
      const { store, moments, close } = await play(acts)
      const then = moments[moment % moments.length] as (typeof moments)[number]
      const { store: past, knownSince } = await store.past({ knownAt: then.at })
      expect(knownSince).toBe(undefined)
      expect(await known(past)).toEqual(then.known)
      await past.close()
      await close()
    }),
    { numRuns },
  )
}

/** The same where the log was trimmed, back to `knownSince`. Returns of how many histories something was trimmed and compared. */
export async function checkTrimmed(numRuns: number): Promise<{ trimmed: number; compared: number }> {
  const seen = { trimmed: 0, compared: 0 }
  await fc.assert(
    fc.asyncProperty(histories, async ({ acts }) => {
      const { store, moments, close } = await play([...acts, CURATE, ...acts.slice(0, 4)], {
        keepOperations: 4,
      })
      const [first] = moments
      const { store: earliest, knownSince } = await store.past({ knownAt: first?.at })
      await earliest.close()
      if (knownSince !== undefined) seen.trimmed++
      for (const then of moments.filter(({ at }) => knownSince === undefined || at >= knownSince)) {
        const { store: past } = await store.past({ knownAt: then.at })
        expect(await known(past)).toEqual(then.known)
        await past.close()
        if (knownSince !== undefined) seen.compared++
      }
      await close()
    }),
    { numRuns },
  )
  return seen
}
