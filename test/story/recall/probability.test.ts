import { expect, test } from 'vitest'
import { openTestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'
import { statements } from '../../helpers/words.ts'

test('recall of what nothing surely answers says so in its text, and counts no use', async () => {
  const config = { recall: { weakFrom: 0.9, matchFrom: 0.95 } }
  const { memory, learn } = await openTestMemory({ settings: config })
  const ids = await learn(...statements(60))
  const useOf = () =>
    Promise.all(ids.map(async (blockId) => (await memory.show({ blockId })).block.reinforcementCount))
  const before = await useOf()
  const found = await memory.recall({ query: 'zebra xylophone quasar' })
  expect(found).toMatchObject({ match: 'unsure' })
  expect(found.blocks).toHaveLength(3)
  expect(found.text).toMatch(/^[^[\n]+\n\[1\] /)
  expect(found.probability).toBeLessThan(0.9)
  expect(await useOf()).toEqual(before)
  const { operations } = await memory.history({})
  expect(operations.filter(({ operation }) => operation === 'recall')).toMatchObject([
    { reason: 'attention, not used' },
  ])
})

test('recall with a minStrength that nothing has answers nothing', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(...statements(20))
  const found = await memory.recall({ query: 'zebra xylophone quasar', minStrength: 0.18 })
  expect(found).toMatchObject({ match: 'nothing', blocks: [], text: '' })
  const anyway = await memory.recall({ query: 'zebra xylophone quasar', minStrength: 0 })
  expect(anyway.blocks.length).toBeGreaterThan(0)
})

test('recall answers as many blocks as the setting topK says', async () => {
  const { memory, learn } = await openTestMemory({ settings: { recall: { topK: 2 } } })
  await learn('The red kettle boils.', 'A red kettle whistles.', 'My red kettle is old.')
  expect((await memory.recall({ query: 'red kettle', minStrength: 0 })).blocks).toHaveLength(2)
})

test('recall by words alone answers a probability, and nothing where no word matches', async () => {
  const { memory, learn, path } = await openTestMemory()
  await learn(...statements(40))
  await memory.close()
  const { memory: blind } = await openTestMemory({ path, embedder: createPlacedEmbedder('another') })
  const known = await blind.recall({ query: 'The harbour opens copper pipes in case 0q0', reinforce: false })
  const unknown = await blind.recall({ query: 'zebra xylophone quasar', reinforce: false })
  expect(known).toMatchObject({ match: 'match' })
  expect(known.note).toContain('by words alone')
  expect(known.probability).toBeGreaterThan(0.6)
  expect(unknown).toMatchObject({ match: 'nothing', blocks: [] })
})

test('dream measures an embedder without a calibration in a store of 200 blocks, once until it doubles', async () => {
  const { memory, store, learn } = await openTestMemory()
  const kept = () => store.read((tx) => tx.meta('cosine_background'))
  await learn(...statements(150))
  expect(await kept()).toBeUndefined()
  await learn(...statements(260).slice(150))
  const measured = JSON.parse((await kept()) ?? '{}') as { model: string; blocks: number; deviation: number }
  expect(measured).toMatchObject({ model: 'hashing-384', blocks: 260 })
  expect(measured.deviation).toBeGreaterThan(0)
  const found = await memory.recall({ query: statements(3)[2] as string, reinforce: false, explain: true })
  // Hashed texts are alike by chance: an identical one is told by how far it lies above that.
  expect(found.blocks[0]?.explanation?.match?.cosine).toBeLessThan(0.6)
  expect(found.match).toBe('match')
  await learn('One more block changes nothing.')
  expect(JSON.parse((await kept()) ?? '{}')).toEqual(measured)
})
