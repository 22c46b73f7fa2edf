import { expect, test } from 'vitest'
import { join } from '../helpers/edges.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'

const NO_SIMILARITY = { memory: { similarityEdgesPerBlock: 0 } }

test('a memory in order needs no curation, and says so', async () => {
  const { memory, learn } = await openTestMemory()
  await learn('one apple')
  const result = await memory.curate()
  expect(result).toMatchObject({ edgesPruned: 0, edgesDecayed: 0, archived: [], stagingDropped: 0 })
  expect(result.summary).toBe('Nothing needed curating.')
})

test('what faded is archived by name and can be brought back', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [old = ''] = await learn('one apple')
  clock.advance({ hours: 200 })
  const [young = ''] = await learn('two pears')
  clock.advance({ hours: 110 })
  const { archived, summary } = await memory.curate()
  expect(archived).toEqual([old])
  expect(summary).toContain('restore')
  expect((await memory.show({ blockId: old })).block).toMatchObject({
    status: 'archived',
    archiveReason: 'decayed',
  })
  expect((await memory.show({ blockId: young })).block.status).toBe('active')
  expect((await memory.restore({ blockId: old })).status).toBe('active')
  expect((await memory.curate()).archived).toEqual([])
})

test('observations fade in days and principles never', async () => {
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

test('a well joined block stays though it faded', async () => {
  const opened = await openTestMemory({ settings: NO_SIMILARITY })
  const { memory, learn, clock } = opened
  const [hub = '', ...leaves] = await learn(...statements(5))
  for (const leaf of leaves) await join(opened, [hub, leaf], { origin: 'agent', relation: 'supports' })
  clock.advance({ hours: 310 })
  const { archived } = await memory.curate()
  expect([...archived].sort()).toEqual([...leaves].sort())
  expect((await memory.show({ blockId: hub })).block.status).toBe('active')
})

test('being like many others keeps no faded block', async () => {
  const opened = await openTestMemory({ settings: NO_SIMILARITY })
  const { memory, learn, clock } = opened
  const [hub = '', ...leaves] = await learn(...statements(5))
  for (const leaf of leaves) await join(opened, [hub, leaf], { origin: 'similarity', weight: 0.9 })
  clock.advance({ hours: 310 })
  expect((await memory.curate()).archived).toContain(hub)
})

// W27
test('a block that misled is archived earlier than others of its kind', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [misled = '', kept = ''] = await learn(...statements(2))
  for (let i = 0; i < 3; i++) await memory.outcome({ misled: [misled] })
  clock.advance({ hours: 70 })
  expect((await memory.curate()).archived).toEqual([misled])
  expect((await memory.show({ blockId: kept })).block.status).toBe('active')
})

// W27
test('an edge between blocks that misled fades as fast as they do', async () => {
  const opened = await openTestMemory({ settings: NO_SIMILARITY })
  const { memory, learn, clock } = opened
  const [a = '', b = '', c = '', d = ''] = await learn(...statements(4))
  for (let i = 0; i < 3; i++) await memory.outcome({ misled: [a, b] })
  await join(opened, [a, b], { weight: 0.6 })
  await join(opened, [c, d], { weight: 0.6 })
  clock.advance({ hours: 73 })
  await memory.recordUse({ blockIds: [a, b] })
  expect(await memory.curate()).toMatchObject({ edgesDecayed: 1, totalEdgesAfter: 1, archived: [] })
  expect((await memory.show({ blockId: c })).edgesTotal).toBe(1)
})

test('unused edges fade, used ones last longer, and what an agent said stays', async () => {
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
  expect(result.graph).toMatchObject({ edges: 2, byOrigin: { agent: 1, similarity: 1 }, isolated: 2 })
  expect((await memory.show({ blockId: e })).edgesTotal).toBe(1)
  expect(result.summary).toContain('shrank')
})

// W44
test('the identity that carries most is kept fresh, each active block once', async () => {
  const { memory, clock } = await openTestMemory({ settings: { memory: { curateReinforceTop: 2 } } })
  await memory.setup({
    principles: ['Never delete data.'],
    identity: 'I keep the books of a bakery.',
    values: ['Short answers.', 'Cite the source.'],
  })
  await memory.remember({ content: 'Tea is at four.' })
  await memory.dream()
  await memory.setup({ principles: ['Ask before you spend.'] })
  clock.advance({ hours: 1 })
  expect(await memory.curate()).toMatchObject({ reinforced: 2, constitutionalReinforced: 1 })
  const { blocks } = await memory.ls()
  const counts = new Map(blocks.map(({ content, reinforcementCount }) => [content, reinforcementCount]))
  expect(counts.get('Never delete data.')).toBe(2)
  expect(counts.get('Tea is at four.')).toBe(1)
  expect([...counts.values()].sort()).toEqual([1, 1, 2, 2, 2])
  const [waiting] = (await memory.ls({ status: 'inbox' })).blocks
  expect(waiting?.reinforcementCount).toBe(0)
})

// W34
test('the curation a dream does by itself also drops pairs that can no longer be joined', async () => {
  const { memory, learn, clock } = await openTestMemory({ settings: NO_SIMILARITY })
  const [a = '', b = '', c = ''] = await learn(...statements(3))
  await memory.outcome({ blockIds: [a, b, c], signal: 1, about: 'set' })
  await memory.outcome({ helped: [a, b] })
  expect((await memory.status()).coRetrievalStagingCount).toBe(3)
  clock.advance({ hours: 41 })
  await memory.remember({ content: 'one apple' })
  await memory.dream()
  expect((await memory.status()).coRetrievalStagingCount).toBe(2)
  const { operations } = await memory.history({ operation: 'curate' })
  expect(operations).toMatchObject([{ actor: 'curate' }])
})

test('a dream does not curate again before the interval is over', async () => {
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

test('the log keeps its newest entries, those with what undo needs and the others apart', async () => {
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

// W32
test('curating many blocks takes hardly more statements than curating few', async () => {
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
