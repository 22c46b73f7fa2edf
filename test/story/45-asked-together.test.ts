import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

const KETTLES = ['The red kettle boils.', 'A red kettle whistles.'] as const

const QUESTIONS = ['red kettle', 'which red kettle is loud', 'what does the red kettle do'] as const

const UNJOINED = { settings: { memory: { similarityEdgesPerBlock: 0 } } }

test('three different questions to one open memory join what they return, and no fourth is needed', async () => {
  const { memory, learn } = await openTestMemory(UNJOINED)
  const [a, b] = await learn(...KETTLES)
  const promoted: number[] = []
  for (const query of QUESTIONS) promoted.push((await memory.recall({ query })).edgesPromoted)
  expect(promoted).toEqual([0, 0, 1])
  const { edges } = await memory.show({ blockId: a ?? '' })
  expect(edges).toMatchObject([{ other: b, relation: 'co_occurs', origin: 'co_retrieval' }])
})

test('twenty recalls with one question join nothing, however it is spelled and whichever frame it is asked in', async () => {
  const { memory, learn } = await openTestMemory(UNJOINED)
  await learn(...KETTLES)
  for (let n = 0; n < 5; n++)
    for (const query of ['red kettle', 'Red kettle?'])
      for (const frame of ['attention', 'world'] as const) await memory.recall({ query, frame })
  expect(await memory.status()).toMatchObject({ coRetrievalStagingCount: 1, graph: { edges: 0 } })
})

test('what is shown without a question, and what is only looked at, counts nothing', async () => {
  const { memory, learn, clock } = await openTestMemory(UNJOINED)
  await learn(...KETTLES)
  for (let n = 0; n < 4; n++) {
    for (const frame of ['world', 'task', 'self'] as const) await memory.recall({ frame })
    await memory.recall({ query: 'red kettle', reinforce: false })
    clock.advance({ minutes: 11 })
  }
  expect((await memory.status()).coRetrievalStagingCount).toBe(0)
})

test('questions count across sessions and processes, and a session whose outcome was reported is one more', async () => {
  const first = await openTestMemory(UNJOINED)
  const ids = await first.learn(...KETTLES)
  await first.memory.recall({ query: QUESTIONS[0] })
  await first.memory.outcome({ blockIds: ids, signal: 1, about: 'set' })
  await first.memory.outcome({ blockIds: ids, signal: 1, about: 'set' })
  const second = await openTestMemory({ ...UNJOINED, path: first.path, clock: first.clock })
  expect((await second.memory.recall({ query: QUESTIONS[0] })).edgesPromoted).toBe(0)
  expect((await second.memory.recall({ query: QUESTIONS[1] })).edgesPromoted).toBe(1)
})

test('how long a question is the same is a setting, down to no time at all', async () => {
  const memory = { similarityEdgesPerBlock: 0, coRetrievalSameMinutes: 0 }
  const opened = await openTestMemory({ settings: { memory } })
  await opened.learn(...KETTLES)
  for (let n = 0; n < 2; n++) await opened.memory.recall({ query: 'red kettle' })
  expect((await opened.memory.recall({ query: 'red kettle' })).edgesPromoted).toBe(1)
})

test('sessions that an older version counted go on counting', async () => {
  const { memory, learn, store } = await openTestMemory(UNJOINED)
  const [a = '', b = ''] = await learn(...KETTLES)
  for (const mark of ['0123456789abcdef', 'fedcba9876543210'])
    await store.write((tx) =>
      tx.stagePairs([[a, b]], { mark, threshold: 3, limit: 100, disconnectedSince: 0 }),
    )
  expect((await memory.recall({ query: QUESTIONS[0] })).edgesPromoted).toBe(1)
})

test('a client of MCP gets a suggestion after two questions and an edge after three, in one session of the server', async () => {
  const { memory } = await openTestMemory({ ...UNJOINED, actor: 'mcp' })
  const client = await connectClient(memory)
  const call = async (name: string, args: Record<string, unknown>) =>
    (await client.callTool({ name: `elfmem_${name}`, arguments: args })).structuredContent as Record<
      string,
      unknown
    >
  for (const content of KETTLES) await call('remember', { content })
  await call('dream', {})
  for (let n = 0; n < 20; n++) await call('recall', { query: QUESTIONS[0] })
  const looked = { query: QUESTIONS[1], suggest: true }
  expect(await call('recall', looked)).toMatchObject({
    edges_promoted: 0,
    suggested_connections: [{ reason: expect.stringContaining('answers to 2 of the 3 questions') }],
  })
  expect(await call('status', {})).toMatchObject({ graph: { edges: 0 }, co_retrieval_staging_count: 1 })
  expect(await call('recall', { query: QUESTIONS[2] })).toMatchObject({ edges_promoted: 1 })
  expect(await call('status', {})).toMatchObject({ graph: { edges: 1, by_origin: { co_retrieval: 1 } } })
})
