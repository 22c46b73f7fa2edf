import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../helpers/memory.ts'

test('the inbox shows what waits, oldest first, and changes nothing', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'one apple', source: 'Ada', tags: ['fruit'] })
  await memory.remember({ content: 'two pears' })
  const before = (await memory.history({ lastN: 100 })).operations.length
  const { blocks, remaining, summary } = await memory.inbox()
  expect(blocks.map(({ content }) => content)).toEqual(['one apple', 'two pears'])
  expect(blocks[0]).toMatchObject({ source: 'Ada', tags: ['fruit'], category: 'knowledge' })
  expect(remaining).toBe(0)
  expect(summary).toContain('2 waiting blocks')
  expect((await memory.history({ lastN: 100 })).operations).toHaveLength(before)
})

test('a long inbox is read page by page without loss or repeat', async () => {
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

test('a page that makes no sense is refused', async () => {
  const { memory } = await openTestMemory()
  expect((await refusal(memory.inbox({ maxCount: 0 }))).code).toBe('INVALID_INPUT')
  expect((await refusal(memory.inbox({ cursor: 'elsewhere' }))).code).toBe('INVALID_INPUT')
})

test('an empty inbox says so', async () => {
  const { memory } = await openTestMemory()
  expect(await memory.inbox()).toEqual({ blocks: [], remaining: 0, summary: 'The inbox is empty.' })
})

// W6
test('a host judges alignment with the real self in hand', async () => {
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

test('a host can be the mind: it reads pairs and blocks to judge, judges them, and they are judged', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [older = ''] = await learn(ALIKE[0])
  clock.advance({ hours: 1 })
  const [newer = ''] = await learn(ALIKE[1])
  const {
    pairs = [],
    pendingJudgement = [],
    summary,
  } = await memory.inbox({ identity: true, pairs: 20, pendingJudgement: 10 })
  expect(pairs).toMatchObject([
    { newer: { id: newer, content: ALIKE[1] }, older: { id: older, content: ALIKE[0] } },
  ])
  expect(pairs[0]?.cosine).toBeGreaterThan(0.5)
  expect(pendingJudgement.map(({ id }) => id)).toEqual([older, newer])
  expect(summary).toContain('2 active blocks to judge. 1 pair to label.')
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

test('a judgement is due again after rescore.target_max_age_days', async () => {
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

test('more pairs and due blocks than asked for are said to be there, and long texts are cut', async () => {
  const long = `${'harbour crane '.repeat(60)}lifts`
  const { memory, learn } = await openTestMemory()
  await learn(`${long} stone.`, `${long} wood.`, `${long} iron.`)
  const { pairs, pendingJudgement: due, ...told } = await memory.inbox({ pairs: 1, pendingJudgement: 2 })
  expect([pairs?.length, told.morePairs, due?.length, told.morePending]).toEqual([1, true, 2, true])
  expect(pairs?.[0]?.newer).toMatchObject({ truncated: true })
  expect(pairs?.[0]?.newer.content).toHaveLength(601)
  const all = await memory.inbox({ pairs: 50, pendingJudgement: 3 })
  expect(all).not.toHaveProperty('morePairs')
  expect(all).not.toHaveProperty('moreDue')
})

test('where nothing is to be judged anew nothing is due', async () => {
  const { memory, learn } = await openTestMemory({ settings: { rescore: { enabled: false } } })
  await learn('one apple')
  expect((await memory.inbox({ pendingJudgement: 5 })).pendingJudgement).toEqual([])
})
