import { expect, test } from 'vitest'
import { estimateTokens } from '../../../src/block/text.ts'
import { openTestMemory, type TestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'

async function openMany(): Promise<TestMemory & { readonly ids: string[] }> {
  const opened = await openTestMemory()
  const kinds = ['apple', 'cherry', 'lemon', 'carrot', 'cheese', 'poppy', 'almond', 'plum']
  const ids = await opened.learn(...kinds.map((kind) => `${kind} cake`))
  return { ...opened, ids }
}

test('recall names every match that has no room, versions too', async () => {
  const { memory, learn } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const others = await learn('tea @0 is green', 'cake @0 in room 1', 'cake @0 in room 2', 'cake @0 in room 3')
  const { blockIds, dropped } = await memory.recall({ query: 'tea @0 cake', tokenBudget: 24 })
  expect(blockIds).toHaveLength(1)
  expect([...blockIds, ...dropped.map(({ id }) => id)].toSorted()).toEqual(others.toSorted())
})

test('recall without a question counts no use and joins no pairs', async () => {
  const { memory, store, ids } = await openMany()
  const edges = async () => (await memory.graph({})).edges
  const before = await edges()
  for (const query of [undefined, '  '])
    expect((await memory.recall(query === undefined ? {} : { query })).blocks.length).toBeGreaterThan(2)
  for (const id of ids) expect((await memory.show({ blockId: id })).block.reinforcementCount).toBe(1)
  expect(await edges()).toEqual(before)
  expect((await store.read((tx) => tx.queries.counts())).stagedPairs).toBe(0)
})

test('recall with ids ends each entry with the id of its block, principles too, within the budget', async () => {
  const { memory, learn } = await openTestMemory()
  await memory.setup({ principles: ['Be kind, be brief'] })
  await learn('Tea is at four in the blue kitchen', 'Staging listens on port 8443')
  const asked = { query: 'tea in the kitchen', minStrength: 0 }
  for (const request of [asked, { frame: 'self' }] as const) {
    const { text, blockIds, budgetUsed } = await memory.recall({ ...request, ids: true })
    for (const id of blockIds) expect(text).toContain(` (${id.slice(0, 8)})`)
    expect(budgetUsed).toBe(estimateTokens(text))
    const bare = await memory.recall(request)
    for (const id of bare.blockIds) expect(bare.text).not.toContain(id.slice(0, 8))
    const tight = await memory.recall({ ...request, ids: true, tokenBudget: bare.budgetUsed })
    expect(estimateTokens(tight.text)).toBeLessThanOrEqual(bare.budgetUsed)
  }
})
