import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

const KETTLES = [
  'The kettle is red and stands near the boiler, a kettle that boils and boils, red as the boiler.',
  'Somebody wrote on the wall: red kettle boils at noon, in letters that nobody in the house could explain.',
  'A red boiler, a kettle.',
]

test('a block with the exact words that a question quotes comes first, and its score says why', async () => {
  const { memory, learn } = await openTestMemory()
  const [, exact] = await learn(...KETTLES)
  const plain = await memory.recall({ query: 'red kettle boils', explain: true })
  const quoted = await memory.recall({ query: '"red kettle boils"', explain: true })
  expect(quoted.blockIds[0]).toBe(exact)
  const match = quoted.blocks[0]?.explanation?.match
  expect(match?.phrase).toBeGreaterThan(0)
  const { strength = 0 } = quoted.blocks[0] ?? {}
  const { rank = 0, source = 0, asks = 0, when = 0, coverage = 0, phrase = 0 } = match ?? {}
  expect(strength + source + asks + when + coverage + phrase).toBeCloseTo(rank, 3)
  for (const { explanation } of plain.blocks) expect(explanation?.match?.phrase).toBe(0)
})

test('accents, case, punctuation and kinds of quotes make no difference to a quotation', async () => {
  const { memory, learn } = await openTestMemory()
  const [, exact] = await learn('Sign and café, closed or open.', 'It said: “Café, OPEN!” on the sign.')
  for (const query of ['"cafe open" sign', '“CAFÉ open” sign', '«café open» sign', '„Cafe open“ sign'])
    expect((await memory.recall({ query })).blockIds[0]).toBe(exact)
})

test('words that nobody said in that order are still found', async () => {
  const { memory, learn } = await openTestMemory()
  const ids = await learn(...KETTLES)
  const found = await memory.recall({ query: 'the "kettle boiler red"' })
  expect(found.blockIds.length).toBeGreaterThan(0)
  expect(ids).toEqual(expect.arrayContaining([...found.blockIds]))
})

test('a word of the cue weighs more than the same word in the content', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'The certificate is renewed by a script on the first of the month.' })
  const { blockId } = await memory.remember({
    content: 'Ask Ines, who has the password of the registrar and the phone number.',
    cue: 'certificate',
  })
  await memory.remember({ content: 'Lunch is at noon in the yard.' })
  await memory.dream()
  const found = await memory.recall({ query: 'certificate paperwork', explain: true, minStrength: 0 })
  const lexical = (id: string | undefined) =>
    found.blocks.find((block) => block.id === id)?.explanation?.match?.lexical ?? 0
  const other = found.blocks.find(({ content }) => content.includes('script'))
  expect(lexical(blockId)).toBeGreaterThan(lexical(other?.id))
})
