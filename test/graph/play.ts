import { expect } from 'vitest'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { createTestClock } from '../helpers/clock.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import type { Act, Sequence } from './acts.ts'
import { callsOf } from './calls.ts'
import { type Change, changeOf } from './change.ts'
import { expectLawful } from './lawful.ts'
import { type Picture, takePicture } from './picture.ts'
import { type Answer, answersOf, reportOf } from './report.ts'
import { type Apart, expectLawfulStep, noteApart } from './rules.ts'

/**
 * Plays a sequence of operations. After every one of them the graph and what was answered must follow the rules.
 *
 * @param note is told of every step that followed them
 */
export async function play(
  { settings, ...sequence }: Sequence,
  note: (change: Change) => void,
): Promise<void> {
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
  const apart: Apart = new Map()
  const ids = new Set<string>()
  let before = await takePicture(store, [])
  const acts: readonly Act[] = [{ do: 'learn', contents: sequence.contents }, ...sequence.acts]
  for (const act of acts) {
    // No two things happen at the same instant.
    clock.advance(act.do === 'pause' ? { hours: act.hours } : { minutes: 1 })
    const calls = callsOf(act, before)
    const answers = await answersOf(memory, calls)
    for (const id of rememberedIn(answers)) ids.add(id)
    const after = await takePicture(store, [...ids])
    const change = changeOf({ act, settings, before, after, report: reportOf(calls, answers) })
    expectLawful(after, settings)
    expectLawfulStep(change, apart)
    await expectShown(memory, after)
    noteApart(apart, change)
    note(change)
    before = after
  }
  await memory.close()
  await store.close()
}

function rememberedIn(answers: readonly Answer[]): string[] {
  return answers.flatMap((answer) => {
    const result = 'result' in answer ? answer.result : undefined
    const isRemembered = typeof result === 'object' && result !== null && 'pendingConsolidation' in result
    return isRemembered ? [(result as unknown as { readonly blockId: string }).blockId] : []
  })
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
