import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfigFile } from '../../src/adapters/project/config-file.ts'
import { createLanguage } from '../../src/search/language/choose.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { statements } from '../helpers/words.ts'

const GARDEN = [
  'Use the SHORT frame of the ladder when the shelf is low, the LONG one for the roof.',
  'House rules define who may use the tools and are never changed.',
  'Paint dries slowly in the cellar.',
  'The wheelbarrow has a new tyre.',
  'Roses are cut back in March.',
]

test('what is only near is shown under a plain heading and teaches nothing', async () => {
  const config = { recall: { weakFrom: 0.9, matchFrom: 0.95 } }
  const { memory, learn } = await openTestMemory({ settings: config })
  const ids = await learn(...statements(60))
  const useOf = () =>
    Promise.all(ids.map(async (blockId) => (await memory.show({ blockId })).block.reinforcementCount))
  const before = await useOf()
  const found = await memory.recall({ query: 'zebra xylophone quasar' })
  expect(found).toMatchObject({ match: 'unsure' })
  expect(found.blocks).toHaveLength(3)
  expect(found.text).toMatch(/^Nothing surely bears on this; the nearest:\n\[1\] /)
  expect(found.note).toContain('Unsure (probability ')
  expect(await useOf()).toEqual(before)
  const { operations } = await memory.history({})
  expect(operations.filter(({ operation }) => operation === 'recall')).toMatchObject([
    { reason: 'attention, not used' },
  ])
})

test('an explicit number of blocks is exact, whatever the match', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(...statements(30))
  for (const topK of [1, 2, 7]) {
    const { blocks } = await memory.recall({ query: 'old passwords', topK, minStrength: 0, reinforce: false })
    expect(blocks).toHaveLength(topK)
  }
})

test('a number of blocks that the owner set is kept', async () => {
  const { memory, learn } = await openTestMemory({ settings: { recall: { topK: 2 } } })
  await learn('The red kettle boils.', 'A red kettle whistles.', 'My red kettle is old.')
  expect((await memory.recall({ query: 'red kettle', minStrength: 0 })).blocks).toHaveLength(2)
})

test('words alone give a probability as well', async () => {
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

test('a question after a list is told from others in English, and in no unknown language', () => {
  const { asksForList } = createLanguage('english')
  const lists = [
    'How many pets does Ana have?',
    'What kind of books does she read?',
    'Which outdoor activities has Ben done?',
    'Where has she travelled?',
    'What do Ana and Ben have in common?',
  ]
  const others = [
    'What is the port of staging?',
    'When did she leave?',
    'What does this class do?',
    'Which Postgres do we run?',
    'which postgres do we run',
    'Which status did the ticket have?',
    'staging port',
  ]
  expect(lists.filter((question) => asksForList?.(question) !== true)).toEqual([])
  expect(others.filter((question) => asksForList?.(question) === true)).toEqual([])
  expect(createLanguage('neutral').asksForList).toBeUndefined()
  expect(createLanguage('auto').asksForList?.('How many pets does Ana have?')).toBe(true)
})

test('a model that nobody calibrated is measured by the dream of a store of two hundred, once until it doubles', async () => {
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

test('an agent that knows what two memories say joins them without their ids', async () => {
  const { memory, learn } = await openTestMemory({ embedder: miniLm() })
  const [frame, rules] = await learn(...GARDEN)
  const joined = await memory.connectByQuery({
    sourceQuery: 'ladder frame selection',
    targetQuery: 'house rules identity',
    relation: 'supports',
  })
  expect(joined).toMatchObject({ action: 'connected', sourceId: frame, targetId: rules })
})

test('settings of the old threshold are named in a warning and change nothing', async () => {
  const folder = (await openTestMemory()).path.replace(/memory\.db$/, '')
  const path = join(folder, 'config.json')
  writeFileSync(path, JSON.stringify({ recall: { nothing_below: 0.2, weak_below: 0.3, top_k: 7 } }))
  const file = await readConfigFile(path, {
    read: () => JSON.stringify({ recall: { nothing_below: 0.2, top_k: 7 } }),
  })
  expect(file?.warnings).toEqual([
    expect.stringContaining(
      'recall.nothing_below is no setting and is ignored; recall.weak_from has taken its place',
    ),
  ])
  expect(file?.values).toMatchObject({ recall: { topK: 7 } })
})
