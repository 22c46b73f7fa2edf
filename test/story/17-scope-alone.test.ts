import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { createTestClock } from '../helpers/clock.ts'
import { openOn } from '../helpers/scoped.ts'
import { statements } from '../helpers/words.ts'

/** What an agent may do, over the blocks it knows and some it does not. */
type Deed = (memory: Memory, known: readonly string[]) => Promise<unknown>

const FOREIGN = ['ffff', '0123456789abcdef']

function pick(known: readonly string[], at: number): string {
  const all = [...known, ...FOREIGN]
  return all[at % all.length] ?? ''
}

const place = fc.nat(40)
const ends = fc.tuple(place, place)
const words = fc.constantFrom(...statements(24), 'The harbour opens copper pipes.', 'Tea is at four.')
const nothing = fc.constant(undefined)

function deed<T>(
  weight: number,
  given: fc.Arbitrary<T>,
  act: (memory: Memory, known: readonly string[], given: T) => Promise<unknown>,
) {
  const arbitrary = given.map(
    (value): Deed =>
      (memory, known) =>
        act(memory, known, value),
  )
  return { weight, arbitrary }
}

const remembered = fc.record({
  content: words,
  tags: fc.constantFrom<string[]>(['tea'], ['self/value'], []),
  session: fc.constantFrom('s', 't'),
})

/** What a memory of the whole store may do without touching what belongs to a scope. */
const QUIET = [
  deed(6, remembered, (memory, _, given) => memory.remember(given)),
  deed(1, fc.constant('# A\n\nThe kettle is blue.\n\n# B\n\nRoses need sun.'), (memory, _, text) =>
    memory.learnDocument({ text }),
  ),
  deed(1, nothing, (memory) => memory.setup({ identity: 'I keep the harbour.', values: ['Be brief.'] })),
  deed(1, nothing, (memory) => memory.status()),
  deed(1, nothing, (memory) => memory.graph({})),
  deed(1, nothing, (memory) => memory.history({ lastN: 50 })),
  deed(1, words, (memory, _, query) => memory.recall({ query, reinforce: false })),
]

const ALL = [
  ...QUIET,
  deed(4, nothing, (memory) => memory.dream()),
  deed(
    5,
    fc.record({
      query: words,
      frame: fc.constantFrom('attention' as const, 'self' as const, 'task' as const),
    }),
    (memory, _, asked) => memory.recall({ ...asked, explain: true, suggest: true, minStrength: 0 }),
  ),
  deed(1, ends, (memory, known, [a, b]) =>
    memory.outcome({ helped: [pick(known, a)], misled: [pick(known, b)] }),
  ),
  deed(1, ends, (memory, known, [a, b]) =>
    memory.outcome({ helped: [pick(known, a)], beside: [pick(known, b)] }),
  ),
  deed(3, fc.tuple(ends, fc.constantFrom('supports', 'contradicts')), (memory, known, [[a, b], relation]) =>
    memory.connect({ source: pick(known, a), target: pick(known, b), relation, ifExists: 'update' }),
  ),
  deed(1, ends, (memory, known, [a, b]) =>
    memory.disconnect({ source: pick(known, a), target: pick(known, b) }),
  ),
  deed(1, fc.tuple(place, words), (memory, known, [at, content]) =>
    memory.edit({ blockId: pick(known, at), content }),
  ),
  deed(1, place, (memory, known, at) => memory.forget({ blockId: pick(known, at) })),
  deed(1, place, (memory, known, at) => memory.restore({ blockId: pick(known, at) })),
  deed(1, place, (memory, known, at) => memory.show({ blockId: pick(known, at) })),
  deed(1, nothing, (memory) => memory.curate()),
]

type Act = readonly [who: 'mine' | 'theirs' | 'whole', deed: Deed, hours: number]

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.tuple(fc.constantFrom('mine' as const, 'theirs' as const), fc.oneof(...ALL), fc.nat(3)),
  fc.tuple(fc.constant('whole' as const), fc.oneof(...QUIET), fc.nat(3)),
)

/** Without what the whole store has in common: the numbers of log entries, and whose vectors it holds. */
function comparable(answer: unknown): unknown {
  const withoutNumber = ({ id: _id, ...operation }: { readonly id: number }) => operation
  return JSON.parse(
    JSON.stringify(answer, (key, value) => {
      if (['embeddingModel', 'recallId', 'operationId'].includes(key)) return undefined
      return key === 'operations' || key === 'history' ? value.map(withoutNumber) : value
    }),
  )
}

/** Runs a deed over the blocks it has seen so far; what came of it, or how it was refused. */
async function done(memory: Memory, known: string[], what: Deed): Promise<unknown> {
  const answer = await what(memory, known).then(comparable, (error: Error & { code?: string }) => ({
    refused: [error.code, error.message],
  }))
  const { blockId, blockIds = [] } = answer as { readonly blockId?: string; readonly blockIds?: string[] }
  known.push(...(blockId === undefined ? [] : [blockId]), ...blockIds)
  return answer
}

const everythingIn = async (memory: Memory) =>
  comparable([
    await memory.ls({ limit: 500 }),
    await memory.ls({ limit: 500, status: 'archived' }),
    await memory.inbox({ maxCount: 500 }),
    await memory.graph({}),
  ])

async function live(acts: readonly Act[], [shared, alone]: readonly [Store, Store]): Promise<void> {
  const clock = createTestClock()
  const mine = await openOn(shared, { scope: 'mine', clock })
  const lone = await openOn(alone, { scope: 'mine', clock })
  const theirs = await openOn(shared, { scope: 'theirs', clock })
  const whole = await openOn(shared, { clock })
  const known = { mine: [] as string[], lone: [] as string[], theirs: [] as string[], whole: [] as string[] }
  // All clocks begin in the same moment.
  for (const each of [mine, lone, theirs]) await each.remember({ content: 'The first thing that was said.' })
  for (const [who, what, hours] of acts) {
    clock.advance({ hours })
    if (who === 'mine') expect(await done(mine, known.mine, what)).toEqual(await done(lone, known.lone, what))
    else await done(who === 'theirs' ? theirs : whole, known[who], what)
  }
  expect(await everythingIn(mine)).toEqual(await everythingIn(lone))
  for (const each of [mine, lone, theirs, whole]) await each.close()
}

test('a scope lives exactly as it would alone, whoever else lives there', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 20, maxLength: 60 }), async (acts) => {
      const stores = [await openSqliteStore(':memory:'), await openSqliteStore(':memory:')] as const
      await live(acts, stores)
      for (const store of stores) await store.close()
    }),
    { numRuns: 12 },
  )
})
