import { expect, onTestFinished, test } from 'vitest'
import { isHeading } from '../../../src/block/text.ts'
import { openMemory } from '../../../src/engine/memory.ts'
import { readMeta } from '../../../src/store/log.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'
import { statements } from '../../helpers/words.ts'

const NOTES = [
  'Staging listens on port 4210.',
  'Releases go out on Tuesdays after the standup.',
  'The nightly backup of the customer database takes forty minutes.',
  'Mara Vinn reviews every change to the billing code.',
  'Our error budget for the search service is half a percent a month.',
  'The build cache lives on the machine in the cellar.',
  'Invoices are sent on the first working day of the month.',
  'The old import script drops rows with an empty street.',
  'We moved from Jenkins to GitHub Actions in March.',
  'Feature flags are cleaned up at the end of each quarter.',
  'The team lead is on parental leave until September.',
  'Passwords rotate every ninety days on the jump host.',
  'The mobile app still supports Android nine.',
  'Tests of the payment gateway need a sandbox account.',
  'Support tickets are answered within one working day.',
  'The dashboard of sales is slow on Monday mornings.',
  'Lunch with the whole office is on the last Friday.',
  'My desk chair was repaired in spring.',
  'I prefer short commit messages in the imperative.',
  'The coffee machine is descaled every second week.',
  'New colleagues get a laptop and a badge on their first day.',
  'The office closes at eight in the evening.',
  'My sister Lena lives in Porto and visits in May.',
  'I go running along the river before work.',
  'The flat needs a new boiler before winter.',
  'Our cat Minka is allergic to chicken.',
  'The car is due for its inspection in October.',
  'I learn Italian with a tandem partner on Thursdays.',
  'The bicycle stands in the basement, behind the shelf.',
  'Grandmother keeps her recipes in a blue tin.',
]

/** A memory of a model that knows what words mean. */
async function openNotes(config = {}) {
  const memory = await openMemory(':memory:', { config })
  onTestFinished(() => memory.close())
  for (const content of NOTES) await memory.remember({ content })
  await memory.dream()
  return memory
}

test('recall of what no note is about answers nothing', async () => {
  const memory = await openNotes()
  for (const query of [
    'How long is the Great Wall of China?',
    'who painted the Mona Lisa',
    'what causes earthquakes',
    'Which mushrooms are poisonous?',
    'rules for addressing a bishop',
  ])
    expect(await memory.recall({ query }), query).toMatchObject({ match: 'nothing', blocks: [], text: '' })
})

test('recall of what a note is about answers with it, and with few others', async () => {
  const memory = await openNotes()
  for (const [query, note] of [
    ['which port does staging use', 0],
    ['what is our pet not allowed to eat', 25],
    ['when do we deploy', 1],
    ['who reviews changes to invoicing', 3],
    ['where is my bike', 28],
  ] as const) {
    const { blocks } = await memory.recall({ query })
    expect(
      blocks.map(({ content }) => content),
      query,
    ).toContain(NOTES[note])
    expect(blocks.length).toBeLessThanOrEqual(5)
  }
})

test('recall in another script answers the notes with a word of the question, and nothing where no note has one', async () => {
  const memory = await openNotes()
  const named = await memory.recall({ query: '请问我们的 staging 服务器用哪个端口' })
  expect(named).toMatchObject({ match: 'perhaps' })
  expect(named.blocks[0]?.content).toBe(NOTES[0])
  expect(await memory.recall({ query: '长城有多长' })).toMatchObject({ match: 'nothing' })
})

test('recall answers with a block that reports say helped with the question', async () => {
  const memory = await openNotes()
  const query = 'which port does staging use'
  const far = (await memory.recall({ query, limit: 10 })).blockIds.at(-1) ?? ''
  expect((await memory.recall({ query })).blockIds).not.toContain(far)
  for (let n = 0; n < 5; n++) {
    const { recallId = '' } = await memory.recall({ query, limit: 10 })
    await memory.outcome({ recallId, helped: [far] })
  }
  expect((await memory.recall({ query })).blockIds).toContain(far)
})

test('recall that perhaps matches says so in the first line of its text, and counts as use', async () => {
  const memory = await openNotes({ recall: { matchFrom: 1 } })
  const query = 'which port does staging use'
  const seen = await memory.recall({ query, reinforce: false })
  const blockId = seen.blockIds[0] ?? ''
  const useOf = async () => (await memory.show({ blockId })).block.reinforcementCount
  const before = await useOf()
  const found = await memory.recall({ query })
  expect(found).toMatchObject({ match: 'perhaps' })
  expect(isHeading(found.text.split('\n')[0] ?? '')).toBe(true)
  expect(found.text).toContain(`(probability ${found.probability?.toFixed(2)})`)
  expect(found.note ?? '').not.toContain('probability')
  expect(await useOf()).toBe(before + 1)
  const again = await memory.recall({ query, tokenBudget: 40 })
  expect(again.budgetUsed).toBeLessThanOrEqual(40)
  expect(again.text.split('\n')[0]).toBe(found.text.split('\n')[0])
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
  const kept = () => store.read((tx) => readMeta(tx, 'cosine_background'))
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
