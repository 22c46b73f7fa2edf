import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { systemIds } from '../../src/adapters/system/machine.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { Ids } from '../../src/ports/ids.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { createTestClock, type TestClock } from '../helpers/clock.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { createNaiveStore } from '../oracle/database.ts'
import type { Act, Sequence } from './acts.ts'
import { callsOf } from './calls.ts'
import { type Change, changeOf } from './change.ts'
import { expectLawful } from './lawful.ts'
import { expectAsSaid } from './operation-rules.ts'
import { emptyPast, noteStep } from './past.ts'
import { comparable, type Picture, takePicture } from './picture.ts'
import { type Answer, answersOf, reportOf } from './report.ts'
import { expectLawfulStep } from './rules.ts'

/** The same memory over one of the stores. */
interface Side {
  readonly store: Store
  readonly memory: Memory
}

/**
 * Plays a sequence over SQLite and the naive twin at once. After every act both must have answered alike and look
 * alike, and what happened must follow the rules.
 *
 * @param note is told of every step that followed them
 */
export async function play(sequence: Sequence, note: (change: Change) => void): Promise<void> {
  const clock = createTestClock()
  const sides = [
    await openSide(await openSqliteStore(':memory:'), sequence, clock),
    await openSide(createNaiveStore(), sequence, clock),
  ] as const
  try {
    const past = emptyPast()
    const ids = new Set<string>()
    let before = await takePicture(sides[0].store, [])
    const acts: readonly Act[] = [{ do: 'learn', contents: sequence.contents }, ...sequence.acts]
    for (const act of acts) {
      // No two things happen at the same instant.
      clock.advance(act.do === 'pause' ? { hours: act.hours } : { minutes: 1 })
      const calls = callsOf(act, before)
      const answers = await answersOfBoth(sides, calls)
      for (const id of rememberedIn(answers)) ids.add(id)
      const after = await pictureOfBoth(sides, [...ids])
      const report = reportOf(calls, answers)
      const change = changeOf({ act, settings: sequence.settings, before, after, report })
      expectLawful(after, sequence.settings)
      expectLawfulStep(change, past)
      expectAsSaid(change, past)
      await expectShown(sides[0].memory, after)
      noteStep(past, change)
      note(change)
      before = after
    }
  } finally {
    for (const { memory, store } of sides) {
      await memory.close()
      await store.close()
    }
  }
}

async function openSide(store: Store, { settings }: Sequence, clock: TestClock): Promise<Side> {
  const memory = await openMemory(':memory:', {
    as: 'owner',
    // Every pause counts as active time.
    config: { ...settings, session: { gapCapMinutes: 10_000_000 } },
    store,
    clock,
    ids: countingIds(),
    embedder: createPlacedEmbedder(),
  })
  return { store, memory }
}

/** Ids in the order in which they are asked for, so that both sides name things alike. */
function countingIds(): Ids {
  let count = 0
  return { ...systemIds, random: () => (++count).toString(16).padStart(16, '0') }
}

async function answersOfBoth(
  [sqlite, twin]: readonly [Side, Side],
  calls: Parameters<typeof answersOf>[1],
): Promise<Answer[]> {
  const answers = await answersOf(sqlite.memory, calls)
  const others = await answersOf(twin.memory, calls)
  if (!isDeepStrictEqual(plain(answers), plain(others)))
    expect(plain(answers), 'SQLite answers like the twin').toEqual(plain(others))
  return answers
}

/** Without the method that makes a result its summary. */
function plain(answers: readonly Answer[]): unknown {
  return JSON.parse(JSON.stringify(answers))
}

async function pictureOfBoth(
  [sqlite, twin]: readonly [Side, Side],
  ids: readonly string[],
): Promise<Picture> {
  const picture = await takePicture(sqlite.store, ids)
  const other = await takePicture(twin.store, ids)
  if (!isDeepStrictEqual(comparable(picture), comparable(other)))
    expect(comparable(picture), 'SQLite looks like the twin').toEqual(comparable(other))
  return picture
}

function rememberedIn(answers: readonly Answer[]): string[] {
  return answers.flatMap((answer) => {
    const result = 'result' in answer ? answer.result : undefined
    const isRemembered = typeof result === 'object' && result !== null && 'pendingConsolidation' in result
    return isRemembered ? [(result as unknown as { readonly blockId: string }).blockId] : []
  })
}

/** What waits is listed, and status counts what there is. */
async function expectShown(memory: Memory, { pending, counts }: Picture): Promise<void> {
  const { pendingConnections } = await memory.ls({ pending: true, limit: 500 })
  expect(pendingConnections).toEqual(pending)
  const { graph } = await memory.status()
  expect(graph).toMatchObject({
    edges: counts.edges,
    openPairs: counts.openPairs,
    pendingConnections: pending.length,
  })
}
