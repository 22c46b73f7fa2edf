import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Memory } from '../../../src/engine/memory.ts'
import { openSqliteStore } from '../../../src/sqlite/store.ts'
import { createTestClock } from '../../helpers/clock.ts'
import { openOn } from '../../helpers/scoped.ts'
import { statements } from '../../helpers/words.ts'
import '../../helpers/properties.ts'

/** One step: two blocks, known or foreign, and words to act with. */
interface Step {
  readonly memory: Memory
  readonly a: string
  readonly b: string
  readonly words: string
}

type Deed = (step: Step) => Promise<unknown>

/** These acts of a memory without a scope touch nothing that belongs to a scope. */
const QUIET: readonly Deed[] = [
  ({ memory, words: content }) => memory.remember({ content, tags: ['self/value'], session: 's' }),
  ({ memory, words: content }) => memory.remember({ content, tags: ['tea'], session: 't' }),
  ({ memory }) => memory.setup({ identity: 'I keep the harbour.', values: ['Be brief.'] }),
  ({ memory }) => memory.status(),
  ({ memory }) => memory.history({ lastN: 50 }),
  ({ memory, words: query }) => memory.recall({ query, reinforce: false }),
]

const ALL: readonly Deed[] = [
  ...QUIET,
  ...QUIET.slice(0, 2),
  ({ memory }) => memory.dream(),
  ({ memory }) => memory.dream(),
  ({ memory, words: query }) => memory.recall({ query, explain: true, minStrength: 0 }),
  ({ memory, words: query }) => memory.recall({ query, frame: 'self', explain: true }),
  ({ memory, a, b }) => memory.outcome({ helped: [a], misled: [b] }),
  ({ memory, a: source, b: target }) => memory.connect({ source, target, relation: 'supports' }),
  ({ memory, a: source, b: target }) => memory.connect({ source, target, relation: 'contradicts' }),
  ({ memory, a: source, b: target }) => memory.disconnect({ source, target }),
  ({ memory, a: blockId, words: content }) => memory.edit({ blockId, content }),
  ({ memory, a: blockId }) => memory.forget({ blockId }),
  ({ memory, a: blockId }) => memory.restore({ blockId }),
  ({ memory, a: blockId }) => memory.show({ blockId }),
  ({ memory }) => memory.curate(),
]

const steps = (who: readonly ('mine' | 'theirs' | 'whole')[], deeds: readonly Deed[]) =>
  fc.record({
    who: fc.constantFrom(...who),
    deed: fc.constantFrom(...deeds),
    at: fc.tuple(fc.nat(40), fc.nat(40)),
    words: fc.constantFrom(...statements(24), 'The harbour opens copper pipes.'),
    hours: fc.nat(3),
  })

const life = fc.array(fc.oneof(steps(['mine', 'theirs'], ALL), steps(['whole'], QUIET)), {
  minLength: 20,
  maxLength: 60,
})

/** Leaves out what the whole store has in common: the numbers of log entries and recalls, and whose vectors it holds. */
function comparable(answer: unknown): unknown {
  const withoutNumber = ({ id: _id, ...operation }: { readonly id: number }) => operation
  return JSON.parse(
    JSON.stringify(answer, (key, value) => {
      if (['embeddingModel', 'recallId', 'operationId'].includes(key)) return undefined
      return key === 'operations' || key === 'history' ? value.map(withoutNumber) : value
    }),
  )
}

/** A memory, and a way to act on the blocks it has seen so far; the answer, or how it was refused. */
function actor(memory: Memory) {
  const known = ['ffff', '0123456789abcdef']
  const pick = (at: number) => known[at % known.length] ?? ''
  return async (deed: Deed, [a, b]: readonly [number, number], words: string): Promise<unknown> => {
    const step = { memory, a: pick(a), b: pick(b), words }
    const answer = await deed(step).then(comparable, ({ code, message }) => ({ code, message }))
    const { blockId, blockIds = [] } = answer as { readonly blockId?: string; readonly blockIds?: string[] }
    known.push(...(blockId === undefined ? [] : [blockId]), ...blockIds)
    return answer
  }
}

const everythingIn = async (memory: Memory) =>
  comparable([
    await memory.ls({ limit: 500 }),
    await memory.ls({ limit: 500, status: 'archived' }),
    await memory.inbox({ maxCount: 500 }),
    await memory.graph({}),
  ])

test('a scope beside others answers every call as it would alone', async () => {
  await fc.assert(
    fc.asyncProperty(life, async (given) => {
      const stores = [await openSqliteStore(':memory:'), await openSqliteStore(':memory:')] as const
      const clock = createTestClock()
      const mine = await openOn(stores[0], { scope: 'mine', clock })
      const lone = await openOn(stores[1], { scope: 'mine', clock })
      const theirs = await openOn(stores[0], { scope: 'theirs', clock })
      const whole = await openOn(stores[0], { clock })
      const acts = { mine: actor(mine), theirs: actor(theirs), whole: actor(whole) }
      const alone = actor(lone)
      // All clocks begin in the same moment.
      for (const each of [mine, lone, theirs]) await each.remember({ content: 'The first thing said.' })
      for (const { who, deed, at, words, hours } of given) {
        clock.advance({ hours })
        const answer = await acts[who](deed, at, words)
        if (who === 'mine') expect(answer).toEqual(await alone(deed, at, words))
      }
      expect(await everythingIn(mine)).toEqual(await everythingIn(lone))
      for (const each of [mine, lone, theirs, whole, ...stores]) await each.close()
    }),
    { numRuns: 12 },
  )
})
