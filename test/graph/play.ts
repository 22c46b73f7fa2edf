import { expect } from 'vitest'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import { ElfmemError } from '../../src/errors.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { createTestClock } from '../helpers/clock.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { nextTurn } from '../helpers/timer.ts'
import type { Act, Sequence } from './acts.ts'
import { type Call, callsOf } from './calls.ts'
import { expectLawful } from './lawful.ts'
import { type Picture, takePicture } from './picture.ts'

/** Plays a sequence of operations. After each of them the graph and the counts of `status` must follow the rules. */
export async function play({ settings, ...sequence }: Sequence): Promise<void> {
  const clock = createTestClock()
  const store = await openSqliteStore(':memory:')
  const memory = await openMemory(':memory:', {
    as: 'owner',
    // Every pause counts as active time.
    config: { ...settings, session: { gapCapMinutes: 10_000_000 } },
    store,
    clock,
    embedder: createPlacedEmbedder(),
  })
  const ids = new Set<string>()
  let picture = await takePicture(store, [])
  const acts: readonly Act[] = [{ do: 'learn', contents: sequence.contents }, ...sequence.acts]
  for (const act of acts) {
    // No two things happen at the same instant.
    clock.advance(act.do === 'pause' ? { hours: act.hours } : { minutes: 1 })
    for (const id of await rememberedBy(memory, callsOf(act, picture))) ids.add(id)
    picture = await takePicture(store, [...ids])
    expectLawful(picture, settings)
    await expectShown(memory, picture)
  }
  await memory.close()
  await store.close()
}

/** Makes calls in turn until one is refused, and returns the ids of the remembered blocks. */
async function rememberedBy(memory: Memory, calls: readonly Call[]): Promise<string[]> {
  const methods = memory as unknown as Record<string, (input: unknown) => Promise<unknown>>
  const ids: string[] = []
  for (const { name, input } of calls)
    try {
      const result = (await methods[name]?.(input)) as { readonly blockId: string }
      if (name === 'remember') ids.push(result.blockId)
      // A recall writes its use after its answer; this waits for that.
      await nextTurn()
    } catch (error) {
      if (ElfmemError.is(error)) return ids
      throw error
    }
  return ids
}

/** Compares the counts of `status` with a picture of the graph. */
async function expectShown(memory: Memory, { pending, counts }: Picture): Promise<void> {
  const { graph } = await memory.status()
  expect(graph).toMatchObject({
    edges: counts.edges,
    openPairs: counts.openPairs,
    pendingConnections: pending.length,
  })
}
