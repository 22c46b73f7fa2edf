import { expect, test } from 'vitest'
import { saveSession } from '../../../src/store/log.ts'
import { join } from '../../helpers/edges.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { readSession } from '../../helpers/rows.ts'
import { statements } from '../../helpers/words.ts'

const NO_SIMILARITY = { memory: { similarityEdgesPerBlock: 0 } }

test('curate archives what faded, and restore brings it back', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [old = ''] = await learn('one apple')
  clock.advance({ hours: 200 })
  const [young = ''] = await learn('two pears')
  clock.advance({ hours: 110 })
  const { archived } = await memory.curate()
  expect(archived).toEqual([old])
  expect((await memory.show({ blockId: old })).block).toMatchObject({
    status: 'archived',
    archiveReason: 'decayed',
  })
  expect((await memory.show({ blockId: young })).block.status).toBe('active')
  expect((await memory.restore({ blockId: old })).status).toBe('active')
  expect((await memory.curate()).archived).toEqual([])
})

test('curate archives observations after days and principles never', async () => {
  const { memory, clock } = await openTestMemory()
  const seen = await memory.remember({ content: 'It rains.', category: 'observation' })
  const value = await memory.remember({ content: 'I keep promises.', tags: ['self/value'] })
  const { blockIds } = await memory.setup({ principles: ['Never delete data.'] })
  await memory.dream()
  clock.advance({ hours: 61 })
  expect((await memory.curate()).archived).toEqual([seen.blockId])
  clock.advance({ hours: 1_000_000 })
  const { archived } = await memory.curate()
  expect(archived).toEqual([value.blockId])
  expect((await memory.show({ blockId: blockIds[0] as string })).block.status).toBe('active')
})

test.each([
  ['keeps a faded block that an agent joined', { origin: 'agent', relation: 'supports' }, false],
  ['archives a faded block that is only like', { origin: 'similarity', weight: 0.9 }, true],
] as const)('curate %s to many others', async (_, edge, goes) => {
  const opened = await openTestMemory({ settings: NO_SIMILARITY })
  const { memory, learn, clock } = opened
  const [hub = '', ...leaves] = await learn(...statements(5))
  for (const leaf of leaves) await join(opened, [hub, leaf], edge)
  clock.advance({ hours: 310 })
  const { archived } = await memory.curate()
  expect([...archived].sort()).toEqual([...(goes ? [hub] : []), ...leaves].sort())
})

test('curate prunes unused edges, later those that were used, and none that an agent made', async () => {
  const opened = await openTestMemory({ settings: NO_SIMILARITY })
  const { memory, learn, clock } = opened
  const [a = '', b = '', c = '', d = '', e = '', f = ''] = await learn(...statements(6))
  await join(opened, [a, b], { weight: 0.6 })
  await join(opened, [c, d], { weight: 0.6, reinforcementCount: 10 })
  await join(opened, [e, f], { weight: 0.05, origin: 'agent' })
  await join(opened, [a, c], { weight: 0.05 })
  clock.advance({ hours: 359 })
  await memory.recordUse({ blockIds: [a, b, c, d, e, f] })
  const result = await memory.curate()
  expect(result).toMatchObject({ edgesPruned: 1, edgesDecayed: 1, totalEdgesAfter: 2, archived: [] })
  expect((await memory.show({ blockId: e })).edgesTotal).toBe(1)
})

test.each([
  ['what an agent said', { origin: 'agent', weight: 0.01, lastActiveAt: 0 }, {}],
  ['an edge without an anchor', { lastActiveAt: undefined }, {}],
  ['any edge where edges do not fade', { lastActiveAt: 0 }, { edgeDecay: false }],
] as const)('curate keeps %s, however long ago', async (_what, edge, graph) => {
  const opened = await openTestMemory({ settings: { ...NO_SIMILARITY, graph } })
  const [a = '', b = ''] = await opened.learn(...statements(2))
  await join(opened, [a, b], edge)
  opened.clock.advance({ hours: 10_000 })
  await opened.memory.recordUse({ blockIds: [a, b] })
  expect(await opened.memory.curate()).toMatchObject({ totalEdgesAfter: 1, edgesDecayed: 0, edgesPruned: 0 })
})

test('curate reinforces the best of the identity once each, active blocks only', async () => {
  const { memory, clock } = await openTestMemory()
  await memory.setup({
    principles: ['Never delete data.'],
    identity: 'I keep the books of a bakery.',
    values: ['Short answers.', 'Cite the source.', 'Ask twice.', 'Keep it small.', 'Test first.', 'Say why.'],
  })
  await memory.remember({ content: 'Tea is at four.' })
  await memory.dream()
  await memory.setup({ principles: ['Ask before you spend.'] })
  clock.advance({ hours: 1 })
  expect(await memory.curate()).toMatchObject({ reinforced: 5, constitutionalReinforced: 1 })
  const { blocks } = await memory.ls()
  const counts = new Map(blocks.map(({ content, reinforcementCount }) => [content, reinforcementCount]))
  expect(counts.get('Never delete data.')).toBe(2)
  expect(counts.get('Tea is at four.')).toBe(1)
  expect([...counts.values()].sort()).toEqual([1, 1, 1, 2, 2, 2, 2, 2, 2])
  const [waiting] = (await memory.ls({ status: 'inbox' })).blocks
  expect(waiting?.reinforcementCount).toBe(0)
})

test('dream curates after the interval, and drops pairs that can no longer be joined', async () => {
  const { memory, learn, clock } = await openTestMemory({ settings: NO_SIMILARITY })
  const [a = '', b = '', c = ''] = await learn(...statements(3))
  expect(
    (await memory.recall({ topK: 3, query: statements(3).join(' '), minStrength: 0 })).blockIds,
  ).toContain(c)
  await memory.outcome({ helped: [a, b] })
  expect((await memory.status()).coRetrievalStagingCount).toBe(3)
  clock.advance({ hours: 41 })
  await memory.remember({ content: 'one apple' })
  await memory.dream()
  expect((await memory.status()).coRetrievalStagingCount).toBe(2)
  const { operations } = await memory.history({ operation: 'curate' })
  expect(operations).toMatchObject([{ actor: 'curate' }])
})

test('dream does not curate again before the interval is over', async () => {
  const { memory, learn, clock } = await openTestMemory()
  await learn('one apple')
  clock.advance({ hours: 41 })
  await learn('two pears')
  clock.advance({ hours: 39 })
  await learn('three plums')
  expect((await memory.history({ lastN: 100, operation: 'curate' })).operations).toHaveLength(1)
  clock.advance({ hours: 2 })
  await learn('four figs')
  expect((await memory.history({ lastN: 100, operation: 'curate' })).operations).toHaveLength(2)
})

test('curate keeps the newest keepOperations entries of the log', async () => {
  const { memory } = await openTestMemory({ settings: { memory: { keepOperations: 3 } } })
  for (const content of statements(6)) await memory.remember({ content })
  const { logTrimmed } = await memory.curate()
  expect(logTrimmed).toBe(3)
  const { operations } = await memory.history({ lastN: 100 })
  expect(operations.map(({ operation }) => operation)).toEqual([
    ...['remember', 'remember', 'remember'],
    'curate',
  ])
})

test('curate drops the oldest sessions beyond keepSessions', async () => {
  const { memory, store, clock } = await openTestMemory({ settings: { memory: { keepSessions: 2 } } })
  const ids: string[] = []
  for (let i = 0; i < 5; i++) {
    clock.advance({ minutes: 1 })
    ids.push(await memory.beginSession())
  }
  await store.write((tx) =>
    saveSession(tx, { id: 'killed', taskType: 't', startedAt: '2020-01-01T00:00:00.000Z', startHours: 0 }),
  )
  await memory.curate()
  const left = await store.read((tx) => Promise.all(['killed', ...ids].map((id) => readSession(tx, id))))
  expect(left.flatMap((each) => each?.id ?? [])).toEqual(ids.slice(3))
})

test('curate of many blocks costs hardly more statements than of few', async () => {
  const cost = async (n: number) => {
    const { memory, learn, store, clock } = await openTestMemory()
    await learn(...statements(n))
    clock.advance({ hours: 400 })
    const before = store.statements
    expect((await memory.curate()).archived.length).toBeGreaterThan(n / 2)
    return store.statements - before
  }
  expect(await cost(32)).toBeLessThanOrEqual((await cost(8)) + 4)
})
