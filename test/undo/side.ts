import { join } from 'node:path'
import fc from 'fast-check'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import type { Store } from '../../src/store/transaction.ts'
import { type Act, sequence } from '../graph/acts.ts'
import { callsOf } from '../graph/calls.ts'
import { takePicture } from '../graph/picture.ts'
import { createTestClock, type TestClock } from '../helpers/clock.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { nextTurn } from '../helpers/timer.ts'
import { dumpOf } from './dump.ts'

/** What acts on single blocks, beside those that change the graph. */
export type Touch =
  | { readonly do: 'edit'; readonly at: number; readonly change: object }
  | { readonly do: 'recordUse'; readonly at: number }
  | { readonly do: 'call'; readonly name: string; readonly input: object }

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
  fc.constantFrom<Touch>(
    { do: 'call', name: 'remember', input: { content: 'port @15 of the garden!' } },
    { do: 'call', name: 'remember', input: { content: 'rose @45 of the harbour.', tags: ['a/b'] } },
    { do: 'call', name: 'remember', input: { content: 'rose @45 of the harbour.', cue: 'in June' } },
    { do: 'call', name: 'rememberMany', input: { blocks: [{ content: 'tea @5' }, { content: 'tea @6' }] } },
    { do: 'call', name: 'dream', input: {} },
    { do: 'call', name: 'dream', input: {} },
  ),
)

/** A memory and at most 50 acts on it. */
export const acts = fc
  .tuple(sequence, fc.array(fc.tuple(sequence, fc.array(touch, { maxLength: 6 })), { maxLength: 5 }))
  .map(([first, others]) => ({
    settings: first.settings,
    contents: first.contents,
    acts: others
      .flatMap(([{ acts: more }, touches]): (Act | Touch)[] => [...more, ...touches])
      .filter((act) => act.do !== 'recall')
      .slice(0, 50),
  }))

/** One memory that is acted on. */
export interface Side {
  readonly memory: Memory
  readonly look: () => Promise<unknown>
  readonly store: Store
  readonly ids: Set<string>
  readonly clock: TestClock
}

/** All candidates are listed: which of them are near the best depends on the time. */
const ANYWHERE = {
  query: 'tea @30',
  topK: 50,
  reinforce: false,
  minStrength: 0,
  explain: true,
} as const

/** Opens a new memory in a file, or in memory alone, which no second connection can read. */
export async function openSide(settings: object, path = join(temporaryFolder(), 'memory.db')): Promise<Side> {
  const store = await openSqliteStore(path)
  const clock = createTestClock()
  const memory = await openMemory(path, {
    as: 'owner',
    config: { ...settings, session: { gapCapMinutes: 10_000_000 } },
    store,
    clock,
    embedder: createPlacedEmbedder(),
  })
  const found = async () => (await memory.recall(ANYWHERE)).candidates?.map(({ id }) => id) ?? []
  const look = async () => [
    dumpOf(path),
    // The index must find the same blocks again; their order may depend on the time.
    [...(await found())].sort(),
  ]
  return { memory, look, store, ids: new Set(), clock }
}

/** Refusals are answers, too. */
async function call({ memory, ids }: Side, name: string, input: object): Promise<void> {
  const methods = memory as unknown as Record<string, (given: object) => Promise<object | string>>
  const result = await methods[name]?.(input).catch((error: Error) => {
    if (!('code' in error) || error.code === 'STORE_FAILED') throw error
    return {}
  })
  // A recall writes its use after its answer; this waits for that.
  await nextTurn()
  if (typeof result === 'object' && 'pendingConsolidation' in result && 'blockId' in result)
    ids.add(String(result.blockId))
}

/** Does one act, whatever the memory answers. */
export async function act(side: Side, one: Act | Touch): Promise<void> {
  side.clock.advance(one.do === 'pause' ? { hours: one.hours } : { minutes: 1 })
  const picture = await takePicture(side.store, [...side.ids])
  const idAt = (at: number): string => picture.blocks[at % picture.blocks.length]?.id ?? 'nobody'
  if (one.do === 'edit') await call(side, 'edit', { blockId: idAt(one.at), ...one.change })
  else if (one.do === 'recordUse') await call(side, 'recordUse', { blockIds: [idAt(one.at)] })
  else if (one.do === 'call') await call(side, one.name, one.input)
  else for (const { name, input } of callsOf(one, picture)) await call(side, name, input)
}
