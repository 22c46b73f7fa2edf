import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../src/adapters/memory/store.ts'
import { openSqliteStore } from '../../src/adapters/sqlite/store.ts'
import type { SettingsInput } from '../../src/config/settings.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { Store } from '../../src/ports/store.ts'
import { type Act, sequence } from '../graph/acts.ts'
import { callsOf } from '../graph/calls.ts'
import { takePicture } from '../graph/picture.ts'
import { createTestClock, type TestClock } from '../helpers/clock.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { dumpOf, lookOf } from './dump.ts'

/** What acts on single blocks, beside those that change the graph. */
type Touch =
  | { readonly do: 'edit'; readonly at: number; readonly change: object }
  | { readonly do: 'recordUse'; readonly at: number }
  | { readonly do: 'remember'; readonly input: object }

const touch: fc.Arbitrary<Touch> = fc.oneof(
  fc.record({
    do: fc.constant('edit' as const),
    at: fc.nat(9),
    change: fc.constantFrom(
      { content: 'tea @33 of the lantern?' },
      { cue: 'when tea is made' },
      { tags: ['topic/tea'] },
      { category: 'observation' },
    ),
  }),
  fc.record({ do: fc.constant('recordUse' as const), at: fc.nat(9) }),
  fc.record({
    do: fc.constant('remember' as const),
    input: fc.constantFrom(
      { content: 'port @15 of the garden!' },
      { content: 'rose @45 of the harbour.', tags: ['a/b'] },
      { content: 'rose @45 of the harbour.', tags: ['c'], cue: 'in June' },
    ),
  }),
)

const acts = (withRecall: boolean) =>
  fc
    .tuple(sequence, fc.array(fc.tuple(sequence, fc.array(touch, { maxLength: 6 })), { maxLength: 5 }))
    .map(([first, others]) => ({
      settings: first.settings,
      contents: first.contents,
      acts: others
        .flatMap(([{ acts: more }, touches]): (Act | Touch)[] => [...more, ...touches])
        .filter((act) => withRecall || act.do !== 'recall')
        .slice(0, 50),
    }))

interface Side {
  readonly memory: Memory
  readonly look: () => Promise<unknown>
  readonly store: Store
  readonly ids: Set<string>
  readonly clock: TestClock
}

const ANYWHERE = { query: 'tea @30', topK: 9, reinforce: false, minStrength: 0 } as const

function withOneSession(settings: { readonly memory?: object }): SettingsInput {
  return {
    ...settings,
    session: { gapCapMinutes: 10_000_000 },
  }
}

async function openSide(kind: 'file' | 'memory', settings: object): Promise<Side> {
  const path = join(temporaryFolder(), 'memory.db')
  const store = kind === 'file' ? await openSqliteStore(path) : createMemoryStore()
  const clock = createTestClock()
  const memory = await openMemory(path, {
    config: withOneSession(settings),
    store,
    clock,
    embedder: createPlacedEmbedder(),
  })
  const found = async () => (await memory.recall(ANYWHERE)).blocks.map(({ id }) => id)
  const look = async () => [
    kind === 'file' ? dumpOf(path) : await lookOf(store),
    // Which blocks are found is of the index, which has to follow; their order may depend on the time.
    [...(await found())].sort(),
  ]
  return { memory, look, store, ids: new Set(), clock }
}

/** Refusals are answers, too. */
async function call({ memory, ids }: Side, name: string, input: object): Promise<void> {
  const methods = memory as unknown as Record<string, (given: object) => Promise<object>>
  const result = await methods[name]?.(input).catch((error: Error) => {
    if (!('code' in error) || error.code === 'STORE_FAILED') throw error
    return {}
  })
  if (result && 'pendingConsolidation' in result && 'blockId' in result) ids.add(String(result.blockId))
}

async function act(side: Side, one: Act | Touch): Promise<void> {
  side.clock.advance(one.do === 'pause' ? { hours: one.hours } : { minutes: 1 })
  const picture = await takePicture(side.store, [...side.ids])
  const idAt = (at: number): string => picture.blocks[at % picture.blocks.length]?.id ?? 'nobody'
  if (one.do === 'edit') await call(side, 'edit', { blockId: idAt(one.at), ...one.change })
  else if (one.do === 'recordUse') await call(side, 'recordUse', { blockIds: [idAt(one.at)] })
  else if (one.do === 'remember') await call(side, 'remember', one.input)
  else for (const { name, input } of callsOf(one, picture)) await call(side, name, input)
}

/** Undoes as long as there is something, looking after every step. */
async function undoAll({ memory, look, clock }: Side, operationIds?: readonly number[]) {
  const looks: unknown[] = []
  const made: number[] = []
  for (let at = 0; ; at++) {
    const operationId = operationIds?.[at]
    if (operationIds !== undefined && operationId === undefined) return { looks, made }
    clock.advance({ minutes: 1 })
    const done = await memory.undo(operationId === undefined ? {} : { operationId }).catch((error: Error) => {
      if ('code' in error && error.code === 'NOT_FOUND') return undefined
      throw error
    })
    if (done === undefined) return { looks, made }
    made.push(done.operationId as number)
    looks.push(await look())
  }
}

/** Every one of the looks in its turn; in between there may be others. */
function expectPassed(looks: readonly unknown[], expected: readonly unknown[]): void {
  let at = 0
  for (const look of looks) if (JSON.stringify(look) === JSON.stringify(expected[at])) at++
  if (at < expected.length) expect(looks.at(-1)).toEqual(expected[at])
  expect(at).toBe(expected.length)
}

test.each([
  ['file', 6],
  ['memory', 12],
] as const)(
  'undoing a random sequence step by step passes every state before, and redoing it every state after (%s, %i sequences)',
  async (kind, numRuns) => {
    let undone = 0
    await fc.assert(
      fc.asyncProperty(acts(false), async ({ settings, contents, acts: all }) => {
        const side = await openSide(kind, settings)
        const looks = [await side.look()]
        const note = async () => {
          const look = await side.look()
          if (JSON.stringify(look) !== JSON.stringify(looks.at(-1))) looks.push(look)
        }
        await act(side, { do: 'learn', contents })
        await note()
        for (const one of all) {
          await act(side, one)
          await note()
        }
        const back = await undoAll(side)
        undone += back.made.length
        expectPassed(back.looks, looks.slice(0, -1).reverse())
        expect(back.looks.at(-1)).toEqual(looks[0])
        const again = await undoAll(side, [...back.made].reverse())
        expectPassed(again.looks, looks.slice(1))
        expect(again.looks.at(-1)).toEqual(looks.at(-1))
        await side.memory.close()
        await side.store.close()
      }),
      { numRuns },
    )
    expect(undone).toBeGreaterThan(100)
  },
  120_000,
)
