import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'

const NO_SIMILARITY = { memory: { similarityEdgesPerBlock: 0 } }

test('outcome raises the belief in what helped, lowers it in what misled, and keeps both reports', async () => {
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

test('outcome with a signal and a weight is evidence for each block', async () => {
  const { memory, learn } = await openTestMemory()
  const ids = await learn(...statements(2))
  const { meanConfidenceDelta } = await memory.outcome({ blockIds: ids, signal: 0.75, weight: 2 })
  expect(meanConfidenceDelta).toBeCloseTo(2 / 3 - 0.5, 9)
  const { block } = await memory.show({ blockId: ids[1] as string })
  expect(block).toMatchObject({ successes: 1.5, failures: 0.5 })
})

test('outcome with two different reports about one block is refused and applies nothing', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = '', other = ''] = await learn(...statements(2))
  const call = memory.outcome({ helped: [other, id], misled: [id.slice(0, 8)] })
  expect((await refusal(call)).code).toBe('INVALID_INPUT')
  expect((await memory.show({ blockId: other })).block.successes).toBe(0)
})

test('outcome with a wrong signal, weight or set of words is refused with INVALID_INPUT', async () => {
  const { memory, learn } = await openTestMemory()
  const blockIds = await learn('one apple')
  for (const input of [
    {},
    { blockIds },
    { blockIds, signal: Number.NaN },
    { blockIds, signal: 1.01 },
    { blockIds, signal: -0.01 },
    { blockIds, signal: 1, weight: Number.POSITIVE_INFINITY },
    { blockIds, signal: 1, weight: Number.NaN },
    { blockIds, signal: 1, weight: 0 },
    { helped: blockIds, about: 'set' as const },
    { helped: blockIds, signal: 0.3 },
  ])
    expect([input, (await refusal(memory.outcome(input))).code]).toEqual([input, 'INVALID_INPUT'])
  expect(await memory.outcome({ blockIds: [], signal: 1 })).toMatchObject({ blocksUpdated: 0 })
})

test('outcome makes a block that misled fade faster, and slower again once it helps', async () => {
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

test('outcome joins blocks that helped together, more firmly the next time', async () => {
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

test('outcome joins no block that helped with one that misled', async () => {
  const { memory, learn } = await openTestMemory({ settings: NO_SIMILARITY })
  const [a = '', b = ''] = await learn(...statements(2))
  await memory.outcome({ helped: [a], misled: [b] })
  expect((await memory.status()).graph.edges).toBe(0)
})

test('outcome about many blocks makes few edges and never more than the cap', async () => {
  const { memory, learn } = await openTestMemory({
    settings: { memory: { similarityEdgesPerBlock: 0, edgeDegreeCap: 2 } },
  })
  const ids = await learn(...statements(8))
  const result = await memory.outcome({ helped: ids })
  expect(result.outcomeEdgesCreated).toBeLessThan(10)
  expect(result.outcomeEdgesCreated + result.edgesSkipped).toBe((8 * 7) / 2)
  for (const blockId of ids) expect((await memory.show({ blockId })).edgesTotal).toBeLessThanOrEqual(2)
})

test('outcome names what it left out with the reason, and logs what it applied', async () => {
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

test('outcome about a waiting block counts once a dream promotes it', async () => {
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

test('outcome about a set moves clocks and teaches nothing about its blocks', async () => {
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

test('recordUse counts active blocks and names the others with the reason', async () => {
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
