import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'

const NO_SIMILARITY = { memory: { similarityEdgesPerBlock: 0 } }

test('what helped is believed more, what misled is believed less, and both are on record', async () => {
  const { memory, learn } = await openTestMemory()
  const [good = '', bad = '', other = ''] = await learn(...statements(3))
  const result = await memory.outcome({ helped: [good], misled: [bad], source: 'release' })
  expect(result).toMatchObject({ blocksUpdated: 2, blocksPenalized: 1, skipped: [], queued: [] })
  const beliefs = await Promise.all(
    [good, bad, other].map(async (blockId) => (await memory.show({ blockId })).belief),
  )
  // With a prior of two reports: one good one is (1 + 1/3) / 2, and one that misled weighs half as much again.
  expect(beliefs).toEqual([2 / 3, (1 - 1.5 / 3.5) / 2, 1 / 2])
  const { outcomes, history } = await memory.show({ blockId: good })
  expect(outcomes).toMatchObject([
    { signal: 1, weight: 1, source: 'release', confidenceBefore: 0.5, confidenceAfter: 0.75 },
  ])
  expect(history[0]).toMatchObject({ operation: 'outcome' })
})

test('one signal for several blocks is evidence for each of them', async () => {
  const { memory, learn } = await openTestMemory()
  const ids = await learn(...statements(2))
  const { meanConfidenceDelta } = await memory.outcome({ blockIds: ids, signal: 0.75, weight: 2 })
  expect(meanConfidenceDelta).toBeCloseTo(2 / 3 - 0.5, 9)
  const { block } = await memory.show({ blockId: ids[1] as string })
  expect(block).toMatchObject({ successes: 1.5, failures: 0.5 })
})

// W24
test('a block named twice counts once, by id or by prefix, and is not joined to itself', async () => {
  const { memory, learn } = await openTestMemory({ settings: NO_SIMILARITY })
  const [id = ''] = await learn('one apple')
  const result = await memory.outcome({ blockIds: [id, id, id.slice(0, 6)], signal: 1 })
  expect(result).toMatchObject({ blocksUpdated: 1, outcomeEdgesCreated: 0 })
  expect((await memory.show({ blockId: id })).block.successes).toBe(1)
})

test('two different reports about one block are refused and nothing is applied', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = '', other = ''] = await learn(...statements(2))
  const call = memory.outcome({ helped: [other, id], misled: [id.slice(0, 8)] })
  expect((await refusal(call)).code).toBe('INVALID_INPUT')
  expect((await memory.show({ blockId: other })).block.successes).toBe(0)
})

// W26
test.each([
  ['a signal that is no number', { signal: Number.NaN }],
  ['a signal above 1', { signal: 1.01 }],
  ['a signal below 0', { signal: -0.01 }],
  ['a weight of infinity', { signal: 1, weight: Number.POSITIVE_INFINITY }],
  ['a weight that is no number', { signal: 1, weight: Number.NaN }],
  ['a weight of 0', { signal: 1, weight: 0 }],
  ['no signal', {}],
])('%s is refused with what to do', async (_what, input) => {
  const { memory, learn } = await openTestMemory()
  const ids = await learn('one apple')
  const { code, recovery } = await refusal(memory.outcome({ blockIds: ids, ...input }))
  expect(code).toBe('INVALID_INPUT')
  expect(recovery).not.toBe('')
})

test('a report that names no block, or not which one helped, is refused', async () => {
  const { memory, learn } = await openTestMemory()
  const ids = await learn('one apple')
  expect((await refusal(memory.outcome({}))).code).toBe('INVALID_INPUT')
  expect((await refusal(memory.outcome({ helped: ids, about: 'set' }))).code).toBe('INVALID_INPUT')
  expect((await refusal(memory.outcome({ helped: ids, signal: 0.3 }))).code).toBe('INVALID_INPUT')
})

test('nothing named means nothing done', async () => {
  const { memory } = await openTestMemory()
  expect(await memory.outcome({ blockIds: [], signal: 1 })).toMatchObject({
    blocksUpdated: 0,
    meanConfidenceDelta: 0,
  })
})

// W27
test('a block that misled fades faster, and slower again once it helps', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = ''] = await learn('one apple')
  const lambda = async () => (await memory.show({ blockId: id })).block.decayLambda
  await memory.outcome({ misled: [id] })
  expect(await lambda()).toBeCloseTo(0.02, 9)
  for (let i = 0; i < 3; i++) await memory.outcome({ misled: [id] })
  expect(await lambda()).toBeCloseTo(0.05, 9)
  for (let i = 0; i < 3; i++) await memory.outcome({ helped: [id] })
  expect(await lambda()).toBeCloseTo(0.01, 9)
})

test('a report between bad and good moves belief and nothing else', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [id = ''] = await learn('one apple')
  const before = (await memory.show({ blockId: id })).block
  clock.advance({ hours: 3 })
  await memory.outcome({ blockIds: [id], signal: 0.4 })
  const { block } = await memory.show({ blockId: id })
  expect(block).toEqual({ ...before, successes: 0.4, failures: 0.6, confidence: block.confidence })
  expect(block.confidence).toBeCloseTo(0.45, 9)
})

test('durable blocks do not fade faster for one bad report', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'I keep promises.', tags: ['self/value'] })
  await memory.dream()
  expect(await memory.outcome({ misled: [blockId] })).toMatchObject({
    blocksUpdated: 1,
    blocksPenalized: 0,
  })
})

test('blocks that helped together are joined, and joined more firmly the next time', async () => {
  const { memory, learn } = await openTestMemory({ settings: NO_SIMILARITY })
  const [a = '', b = ''] = await learn(...statements(2))
  expect(await memory.outcome({ helped: [a, b] })).toMatchObject({
    outcomeEdgesCreated: 1,
    edgesReinforced: 0,
  })
  expect((await memory.show({ blockId: a })).edges).toMatchObject([
    { other: b, relation: 'outcome', origin: 'outcome', weight: 0.8, reinforcementCount: 0 },
  ])
  expect(await memory.outcome({ helped: [b, a] })).toMatchObject({
    outcomeEdgesCreated: 0,
    edgesReinforced: 1,
  })
  const [edge] = (await memory.show({ blockId: b })).edges
  expect(edge?.weight).toBeCloseTo(0.9, 9)
  expect(edge?.reinforcementCount).toBe(1)
})

test('blocks of which one misled are not joined', async () => {
  const { memory, learn } = await openTestMemory({ settings: NO_SIMILARITY })
  const [a = '', b = ''] = await learn(...statements(2))
  await memory.outcome({ helped: [a], misled: [b] })
  expect((await memory.status()).graph.edges).toBe(0)
})

// W13
test('an outcome about many blocks makes few edges and never overfills a block', async () => {
  const { memory, learn } = await openTestMemory({
    settings: { memory: { similarityEdgesPerBlock: 0, edgeDegreeCap: 2 } },
  })
  const ids = await learn(...statements(8))
  const result = await memory.outcome({ helped: ids })
  expect(result.outcomeEdgesCreated + result.edgesSkippedByCap).toBe(10)
  expect(result.edgesSkippedByCap).toBeGreaterThan(0)
  for (const blockId of ids) expect((await memory.show({ blockId })).edgesTotal).toBeLessThanOrEqual(2)
  expect(result.summary).toContain('not joined')
})

// W28
test('what was left out is named with its reason, and only what was applied is logged', async () => {
  const { memory, learn } = await openTestMemory()
  const { blockIds } = await memory.setup({ principles: ['Never delete data.'] })
  const [active = '', gone = ''] = await learn(...statements(2))
  const principle = blockIds[0] as string
  await memory.forget({ blockId: gone })
  const result = await memory.outcome({ blockIds: [active, gone, principle, 'ffffffffffff'], signal: 0.9 })
  expect(result.blocksUpdated).toBe(1)
  expect(result.skipped).toEqual([
    { id: 'ffffffffffff', reason: 'unknown' },
    { id: gone, reason: 'archived' },
    { id: principle, reason: 'constitutional' },
  ])
  const { operations } = await memory.history({ operation: 'outcome' })
  expect(operations.at(-1)?.blockIds).toEqual([active])
  const allowed = await memory.outcome({ blockIds: [principle], signal: 0.9, allowConstitutional: true })
  expect(allowed.blocksUpdated).toBe(1)
})

test('a report about a waiting block is kept and counts once a dream promotes it', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'one apple' })
  const result = await memory.outcome({ helped: [blockId], source: 'early' })
  expect(result).toMatchObject({ blocksUpdated: 0, queued: [blockId] })
  expect((await memory.show({ blockId })).block.successes).toBe(0)
  expect((await memory.status()).queuedOutcomes).toBe(1)
  await memory.dream()
  const { block, outcomes } = await memory.show({ blockId })
  expect(block).toMatchObject({ status: 'active', successes: 1 })
  expect(outcomes).toMatchObject([{ signal: 1, source: 'early' }])
  expect((await memory.status()).queuedOutcomes).toBe(0)
})

test('a report about a whole set moves clocks and teaches nothing about its blocks', async () => {
  const { memory, learn, clock } = await openTestMemory({ settings: NO_SIMILARITY })
  const ids = await learn(...statements(2))
  clock.advance({ hours: 8 })
  const result = await memory.outcome({ blockIds: ids, signal: 0.9, about: 'set' })
  expect(result).toMatchObject({ blocksUpdated: 0, clocksMoved: 2, outcomeEdgesCreated: 0 })
  const { block, outcomes } = await memory.show({ blockId: ids[0] as string })
  expect(block).toMatchObject({ successes: 0, failures: 0, lastUsefulAt: 8, lastReinforcedAt: 8 })
  expect(outcomes).toEqual([])
  const { coRetrievalStagingCount, graph } = await memory.status()
  expect({ coRetrievalStagingCount, edges: graph.edges }).toEqual({ coRetrievalStagingCount: 1, edges: 0 })
  const bad = await memory.outcome({ blockIds: ids, signal: 0.1, about: 'set' })
  expect(bad.clocksMoved).toBe(0)
})

// W34
test('the waiting list of pairs stays within its limit, however small, in the store too', async () => {
  const { memory, learn } = await openTestMemory({
    settings: { memory: { similarityEdgesPerBlock: 0, coRetrievalStagingMax: 2 } },
  })
  const ids = await learn(...statements(3))
  await memory.outcome({ blockIds: ids, signal: 1, about: 'set' })
  expect((await memory.status()).coRetrievalStagingCount).toBe(2)
})

test('crediting a whole recall with one signal is answered with how to teach more', async () => {
  const { memory, learn } = await openTestMemory()
  await learn('tea at four', 'tea with milk', 'tea from Assam')
  const { blocks } = await memory.recall({ query: 'tea' })
  const ids = blocks.map(({ id }) => id)
  expect(ids).toHaveLength(3)
  expect((await memory.outcome({ blockIds: ids, signal: 0.9 })).hint).toContain('helped')
  expect((await memory.outcome({ blockIds: ids.slice(0, 2), signal: 0.9 })).hint).toBeUndefined()
  expect((await memory.outcome({ helped: ids.slice(0, 1), misled: ids.slice(1) })).hint).toBeUndefined()
})

// W41
test('only what is active counts as used, and the rest is named', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [active = '', gone = ''] = await learn(...statements(2))
  const waiting = (await memory.remember({ content: 'one apple' })).blockId
  await memory.forget({ blockId: gone })
  clock.advance({ hours: 2 })
  const result = await memory.recordUse({ blockIds: [active, active, gone, waiting, 'ffffffff'] })
  expect(result.blocksReinforced).toBe(1)
  expect(result.skipped).toEqual([
    { id: 'ffffffff', reason: 'unknown' },
    { id: gone, reason: 'archived' },
    { id: waiting, reason: 'inbox' },
  ])
  const { block } = await memory.show({ blockId: active })
  expect(block).toMatchObject({ reinforcementCount: 2, lastReinforcedAt: 2, successes: 0, failures: 0 })
  expect((await memory.show({ blockId: gone })).block.reinforcementCount).toBe(1)
})

// W32
test('reporting about many blocks takes as many statements as reporting about few', async () => {
  const { memory, learn, store } = await openTestMemory({ settings: NO_SIMILARITY })
  const ids = await learn(...statements(48))
  const cost = async (call: () => Promise<unknown>) => {
    const before = store.statements
    await call()
    return store.statements - before
  }
  const outcomeCosts = [8, 48].map((n) => () => memory.outcome({ blockIds: ids.slice(0, n), signal: 0.9 }))
  const useCosts = [8, 48].map((n) => () => memory.recordUse({ blockIds: ids.slice(0, n) }))
  for (const [few, many] of [outcomeCosts, useCosts])
    expect(await cost(many as () => Promise<unknown>)).toBeLessThanOrEqual(
      await cost(few as () => Promise<unknown>),
    )
})

// W33
test('forty thousand ids in one call are no problem', async () => {
  const { memory, learn } = await openTestMemory()
  const [real = ''] = await learn('one apple')
  const unknown = Array.from({ length: 39_999 }, (_, i) => `ffff${i.toString(16).padStart(12, '0')}`)
  const used = await memory.recordUse({ blockIds: [...unknown, real] })
  expect(used.blocksReinforced).toBe(1)
  expect(used.skipped).toHaveLength(39_999)
  const reported = await memory.outcome({ blockIds: [real, ...unknown], signal: 1 })
  expect(reported).toMatchObject({ blocksUpdated: 1 })
  expect(reported.skipped).toHaveLength(39_999)
})
