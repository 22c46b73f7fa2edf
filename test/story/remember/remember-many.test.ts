import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Memory } from '../../../src/engine/memory.ts'
import { readPage } from '../../../src/store/blocks.ts'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory, refusal, type TestMemory } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'

type Given = Parameters<Memory['remember']>[0]

/** Everything stored, by ids that do not depend on chance. */
async function picture({ memory, store }: TestMemory): Promise<unknown> {
  const { blocks } = await store.read((tx) => readPage(tx, { order: 'arrival', limit: 1_000 }))
  const { edges } = await memory.graph()
  const sessions = new Map<string, number>()
  const named = blocks.map((block) => {
    if (!sessions.has(block.session)) sessions.set(block.session, sessions.size)
    const occurrences = (block.occurrences ?? []).map(({ at, source }) => ({ at, source }))
    return { ...block, session: sessions.get(block.session), occurrences }
  })
  const recalled = await memory.recall({ query: 'zanzibar', reinforce: false })
  return { blocks: named, edges, recalled: recalled.blockIds }
}

const content = fc.constantFrom(
  'Tea is at four.',
  ' TEA is at four. ',
  'two pears',
  'Two pears',
  'old',
  'seven',
  'x',
)

const given: fc.Arbitrary<Given> = fc.record(
  {
    content,
    tags: fc.uniqueArray(fc.constantFrom('a', 'B', 'self/goal', 'c'), { maxLength: 3 }),
    cue: fc.constantFrom('planning', 'zanzibar'),
    session: fc.constantFrom('one', 'two'),
    category: fc.constantFrom('knowledge', 'Decision'),
    source: fc.constantFrom('me', ''),
    at: fc.constant('2024-02-29'),
    supersedes: fc.constantFrom('gone', 'kept'),
  },
  { requiredKeys: ['content'] },
)

/** A memory with an active, an archived, an edited and a waiting text, a principle, and two blocks to be replaced. */
async function furnished(): Promise<TestMemory & { readonly named: Readonly<Record<string, string>> }> {
  const opened = await openTestMemory({ kind: 'memory', clock: createTestClock() })
  const { memory, learn } = opened
  const [tea = '', old = '', edited = '', gone = '', kept = ''] = await learn(
    'Tea is at four.',
    'old',
    'two pears',
    'to be replaced',
    'to be replaced, too',
  )
  await memory.setup({ principles: ['x'] })
  await memory.forget({ blockId: old })
  await memory.edit({ blockId: edited, content: 'three pears' })
  await memory.remember({ content: 'seven', tags: ['a'] })
  return { ...opened, named: { tea, gone, kept } }
}

/** One call merges the owner's words with a known text that takes a place in it, since no earlier call has noted the place. */
const lists = fc
  .array(given, { minLength: 1, maxLength: 12 })
  .filter((list) => !list.some(({ supersedes }) => supersedes) || !list.some(({ source }) => source === 'me'))

test('rememberMany leaves the blocks and gives the answers of as many calls of remember', async () => {
  await fc.assert(
    fc.asyncProperty(lists, async (list) => {
      const [one, all] = [await furnished(), await furnished()]
      const inputOf = ({ named }: typeof one) =>
        list.map(({ supersedes, ...rest }) =>
          supersedes === undefined ? rest : { ...rest, supersedes: named[supersedes] as string },
        )
      const answers = []
      for (const each of inputOf(one)) {
        const {
          summary: _s,
          pending: _p,
          shouldDream: _d,
          visible: _v,
          operationId: _o,
          ...answer
        } = await one.memory.remember(each)
        answers.push(answer)
      }
      const { results } = await all.memory.rememberMany({ blocks: inputOf(all) })
      expect(results).toEqual(answers)
      expect(await picture(all)).toEqual(await picture(one))
    }),
    { numRuns: 15 },
  )
})

test('rememberMany of 1,024 texts costs at most 33 statements', async () => {
  const { memory, store } = await openTestMemory()
  await memory.remember({ content: 'The first one begins a session.' })
  const before = store.statements
  const blocks = statements(1_024).map((content) => ({ content }))
  expect((await memory.rememberMany({ blocks })).created).toBe(1_024)
  expect(store.statements - before).toBeLessThanOrEqual(4 * 8 + 1)
})

test('rememberMany with a bad block names its place and stores nothing', async () => {
  const { memory } = await openTestMemory()
  const { blockIds } = await memory.setup({ principles: ['Never delete data.'] })
  const gone = (await memory.remember({ content: 'Gone by now.' })).blockId
  await memory.forget({ blockId: gone })
  const bad: readonly (readonly [Given, code: string])[] = [
    [{ content: ' ' }, 'INVALID_INPUT'],
    [{ content: 'x', cue: 'two\nlines' }, 'INVALID_INPUT'],
    [{ content: 'x', at: 'yesterday' }, 'INVALID_INPUT'],
    [{ content: 'x', tags: ['self/constitutional'] }, 'PROTECTED'],
    [{ content: 'x', supersedes: 'ffffffff' }, 'NOT_FOUND'],
    [{ content: 'x', supersedes: blockIds[0] as string }, 'PROTECTED'],
    [{ content: 'x', supersedes: gone }, 'WRONG_STATUS'],
    [{ content: 'never delete data. ', supersedes: 'ffffffff' }, 'NOT_FOUND'],
  ]
  for (const [each, code] of bad) {
    const blocks = [...statements(30).map((text) => ({ content: text })), each]
    const refused = await refusal(memory.rememberMany({ blocks }))
    expect([refused.code, refused.message]).toEqual([code, expect.stringContaining('blocks[30]')])
    expect(refused.recovery).not.toBe('')
  }
  expect((await memory.status()).inboxCount).toBe(1)
  expect((await refusal(memory.rememberMany({ blocks: [] }))).code).toBe('INVALID_INPUT')
})

test('rememberMany that is cancelled keeps whole transactions, and the next call adds the rest', async () => {
  const { memory } = await openTestMemory({ kind: 'memory' })
  const blocks = statements(600).map((text) => ({ content: text }))
  const seen: number[] = []
  const controller = new AbortController()
  const progress = ({ done }: { readonly done: number }) => {
    seen.push(done)
    controller.abort()
  }
  const call = memory.rememberMany({ blocks }, { progress, signal: controller.signal })
  expect((await refusal(call)).code).toBe('CANCELLED')
  expect(seen).toEqual([256])
  expect((await memory.status()).inboxCount).toBe(256)
  expect(await memory.rememberMany({ blocks })).toMatchObject({ created: 344, duplicates: 256 })
})
