import { expect, test } from 'vitest'
import { savePairs } from '../../../src/store/graph.ts'
import { openTestMemory } from '../../helpers/memory.ts'

test('inbox lists what waits, oldest first, and changes nothing', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'one apple', source: 'Ada', tags: ['fruit'] })
  await memory.remember({ content: 'two pears' })
  const before = (await memory.history({ lastN: 100 })).operations.length
  const { blocks, remaining } = await memory.inbox()
  expect(blocks.map(({ content }) => content)).toEqual(['one apple', 'two pears'])
  expect(blocks[0]).toMatchObject({ source: 'Ada', tags: ['fruit'], category: 'knowledge' })
  expect(remaining).toBe(0)
  expect((await memory.history({ lastN: 100 })).operations).toHaveLength(before)
})

test('inbox answers page by page without loss or repeat', async () => {
  const { memory } = await openTestMemory()
  for (let i = 0; i < 7; i++) await memory.remember({ content: `fact number ${i}` })
  const seen: string[] = []
  const remaining: number[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await memory.inbox({ maxCount: 3, ...(cursor === undefined ? {} : { cursor }) })
    seen.push(...page.blocks.map(({ content }) => content))
    remaining.push(page.remaining)
    cursor = page.cursor
    if (cursor === undefined) break
  }
  expect(seen).toEqual(Array.from({ length: 7 }, (_, i) => `fact number ${i}`))
  expect(remaining).toEqual([4, 1, 0])
})

test('inbox with identity answers who the agent is', async () => {
  const { memory } = await openTestMemory()
  await memory.setup({ values: ['I keep my promises.'] })
  await memory.dream()
  await memory.remember({ content: 'I promised Ana a reply by Friday.' })
  const { identity, blocks } = await memory.inbox({ identity: true })
  expect(blocks).toHaveLength(1)
  expect(identity).toContain('I keep my promises.')
  expect(await memory.inbox()).not.toHaveProperty('identity')
})

/** Blocks that are alike, so that dream joins them. */
const ALIKE = [
  'The harbour crane lifts forty tonnes.',
  'The harbour crane lifts forty tonnes at night.',
] as const

test('inbox answers the pairs and blocks to judge until a dream was told their judgements', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [older = ''] = await learn(ALIKE[0])
  clock.advance({ hours: 1 })
  const [newer = ''] = await learn(ALIKE[1])
  const { pairs = [], pendingJudgement = [] } = await memory.inbox({ pairs: 20, pendingJudgement: 10 })
  expect(pairs).toMatchObject([
    { newer: { id: newer, content: ALIKE[1] }, older: { id: older, content: ALIKE[0] } },
  ])
  expect(pairs[0]?.cosine).toBeGreaterThan(0.5)
  expect(pendingJudgement.map(({ id }) => id)).toEqual([older, newer])
  const analysis = { alignmentScore: 0.4, tags: [], summary: '' }
  await memory.dream({
    hostAnalyses: Object.fromEntries(pendingJudgement.map(({ id }) => [id, analysis])),
    edgeLabels: pairs.map((pair) => ({ a: pair.newer.id, b: pair.older.id, relation: 'elaborates' })),
  })
  expect(await memory.inbox({ pairs: 20, pendingJudgement: 10 })).toMatchObject({
    pairs: [],
    pendingJudgement: [],
  })
  expect((await memory.show({ blockId: older })).edges).toMatchObject([
    { other: newer, relation: 'elaborates' },
  ])
})

test('inbox lists a judgement as due after 90 days', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [id = ''] = await learn('one apple')
  await memory.dream({ hostAnalyses: { [id]: { alignmentScore: 0.4, tags: [], summary: '' } } })
  clock.advance({ hours: 24 * 89 })
  expect((await memory.inbox({ pendingJudgement: 1 })).pendingJudgement).toEqual([])
  clock.advance({ hours: 48 })
  expect((await memory.inbox({ pendingJudgement: 1 })).pendingJudgement).toMatchObject([
    { id, alignment: 0.4 },
  ])
})

test('inbox lists open pairs, oldest first, with both texts', async () => {
  const { memory, store, learn } = await openTestMemory()
  const ids = await learn(...Array.from({ length: 6 }, (_, i) => `Word${i} grows by field${i} in year${i}.`))
  const pairs = [0, 2, 4].map((at) => [ids[at]!, ids[at + 1]!] as const)
  const found = { kind: 'near_duplicate', score: 0.9, foundBy: 'similarity', resolved: false } as const
  await store.write((tx) =>
    savePairs(
      tx,
      pairs.map(([a, b]) => ({ a, b, ...found, createdAt: '2026-01-01T00:00:00.000Z' })),
    ),
  )
  const { openPairs = [] } = await memory.inbox({ openPairs: 2 })
  const [{ newer, older, kind } = {}] = openPairs
  expect([openPairs.length, kind]).toEqual([2, 'near_duplicate'])
  expect([newer?.content, older?.content].toSorted()).toEqual([
    'Word0 grows by field0 in year0.',
    'Word1 grows by field1 in year1.',
  ])
})
