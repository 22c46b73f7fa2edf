import { expect, test } from 'vitest'
import type { SettingsInput } from '../../../src/engine/settings.ts'
import { openTestMemory, type TestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'
import { statements } from '../../helpers/words.ts'

const UNJOINED = { memory: { similarityEdgesPerBlock: 0 } }

/** A memory in which similarity is what a test says and joins nothing by itself. */
function openPlaced(settings: SettingsInput = {}): Promise<TestMemory> {
  return openTestMemory({ embedder: createPlacedEmbedder(), settings: { ...settings, ...UNJOINED } })
}

type Answer = Awaited<ReturnType<TestMemory['memory']['recall']>>

/** A term of a block's score. */
function termOf(blocks: Answer['blocks'], id: string, name: string): number | undefined {
  return blocks.find((block) => block.id === id)?.explanation?.terms.find((term) => term.name === name)?.value
}

test.each([
  ['outcome', 'attention', 0.8 * 0.7],
  ['supports', 'attention', 0.75 * 0.9],
  ['supports', 'task', 0.75 * 1],
  ['elaborates', 'attention', 0.7 * 0.95],
  ['elaborates', 'task', 0.7 * 0.8],
  ['similar', 'attention', 0.65 * 0.7],
  ['was_said_by', 'simulate', 0.65 * 0.7],
] as const)(
  'recall over an edge of %s in the %s frame hands on the share %d',
  async (relation, frame, share) => {
    const { memory, learn } = await openPlaced()
    const [seed = '', brought = ''] = await learn('disk @0 is full', 'tests time out')
    const { weight } = await memory.connect({ source: brought, target: seed, relation })
    const { blocks } = await memory.recall({ query: 'disk @0 is full', frame, explain: true })
    expect(blocks).toMatchObject([
      { id: seed, wasExpanded: false },
      { id: brought, wasExpanded: true, path: { seed, relation, weight } },
    ])
    expect(termOf(blocks, seed, 'similarity')).toBe(1)
    expect(termOf(blocks, brought, 'similarity')).toBeCloseTo(share, 9)
  },
)

test('recall expands by one step, and by none without seeds', async () => {
  const reached = async (expansionSeeds: number) => {
    const { memory, learn } = await openPlaced({ recall: { expansionSeeds } })
    const [seed = '', near = '', far = ''] = await learn(
      'disk @0 is full',
      'tests @90 fail',
      'tea @180 comes late',
    )
    await memory.connect({ source: seed, target: near, relation: 'supports' })
    await memory.connect({ source: near, target: far, relation: 'supports' })
    const { blocks } = await memory.recall({ query: 'disk @0 is full' })
    expect(blocks[0]).toMatchObject({ id: seed, wasExpanded: false })
    return blocks.slice(1).map(({ id, path }) => [id === near ? 'near' : id === far && 'far', path?.relation])
  }
  expect(await reached(5)).toEqual([['near', 'supports']])
  expect(await reached(0)).toEqual([])
})

test('recall filters what an edge brings', async () => {
  const { memory, learn } = await openPlaced()
  const [seed = '', brought = ''] = await learn('disk @0 is full', 'tests @0 time out')
  await memory.connect({ source: seed, target: brought, relation: 'supports' })
  await memory.edit({ blockId: seed, tags: ['ops'] })
  expect((await memory.recall({ query: 'disk @0', tags: ['ops'] })).blockIds).toEqual([seed])
  expect((await memory.recall({ query: 'disk @0' })).blockIds).toEqual([seed, brought])
})

test('recall answers what helped together, though its words do not match', async () => {
  const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const cause = await memory.remember({ content: 'disk @0 is full on the build host' })
  const symptom = await memory.remember({ content: 'tests @0 fail with a strange timeout' })
  await memory.dream()
  expect((await memory.recall({ query: 'tests @0 timeout', topK: 1 })).blockIds).toEqual([symptom.blockId])
  await memory.outcome({ helped: [cause.blockId, symptom.blockId] })
  const found = await memory.recall({ query: 'tests @0 timeout' })
  expect(found.blockIds).toEqual([symptom.blockId, cause.blockId])
  expect(found.blocks[1]).toMatchObject({
    wasExpanded: true,
    path: { seed: symptom.blockId, relation: 'outcome', weight: 0.8 },
  })
})

test('the centrality of a block depends neither on the filter nor on topK', async () => {
  const { memory, learn } = await openTestMemory({ settings: UNJOINED })
  const ids = await learn(...statements(20))
  const [hub = '', leaf = '', ...others] = ids
  for (const target of others.slice(0, 5)) await memory.connect({ source: hub, target })
  for (const target of others.slice(6, 9)) await memory.connect({ source: leaf, target })
  await memory.edit({ blockId: leaf, tags: ['alone'] })
  const centrality = async (id: string, request: { topK?: number; tags?: string[] }) =>
    termOf((await memory.recall({ ...request, reinforce: false, explain: true })).blocks, id, 'centrality')
  expect(await centrality(hub, { topK: 1 })).toBe(1)
  for (const request of [{ topK: 20 }, { topK: 2 }, { tags: ['alone'] }])
    expect(await centrality(leaf, request)).toBeCloseTo(3 / 5, 6)
})
