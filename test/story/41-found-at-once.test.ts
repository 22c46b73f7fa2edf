import { expect, test } from 'vitest'
import { openMemory } from '../../src/index.ts'

const SERVERS = ['Aurora', 'Borealis', 'Cumulus', 'Drift', 'Ember']

test('the first block of a memory is found at once, in other words', async () => {
  await using memory = await openMemory(':memory:')
  await memory.remember({ content: 'The office cat is called Miso.' })
  const found = await memory.recall({ query: "what is the pet's name" })
  expect(found.text).toContain('Miso')
  expect(found.match).toMatch(/match|weak/)
})

test('of blocks that wait, some with a vector and some without, the one asked for by name comes first', async () => {
  await using memory = await openMemory(':memory:')
  for (let at = 0; at < 60; at++)
    await memory.remember({ content: `Server node${at} listens on port ${4_000 + at * 7}.` })
  for (let at = 0; at < 60; at += 12) {
    const { blocks } = await memory.recall({ query: `Which port does node${at} use?`, reinforce: false })
    expect(blocks[0]?.content).toContain(`node${at} `)
  }
})

test('in a small memory the name that a question asks for decides', async () => {
  await using memory = await openMemory(':memory:')
  for (const [at, name] of SERVERS.entries())
    await memory.remember({ content: `Server ${name} listens on port ${4_210 + at * 7}.` })
  await memory.dream()
  for (const name of SERVERS) {
    const { blocks } = await memory.recall({ query: `Which port does ${name} listen on?`, reinforce: false })
    expect(blocks[0]?.content).toContain(name)
  }
})

const NAMES = ['Kim', 'Lee', 'Park', 'Choi', 'Jung', 'Kang', 'Yoon', 'Lim']
const NUMBERS = [5, 10, 20, 40, 80, 15, 30, 60]
/** So many other facts with the same numbers that a single word of a question hardly moves its rank. */
const CROWD = NUMBERS.flatMap((number, at) => [
  `The bus of line ${number} stops at gate ${at + 1}.`,
  `Bake tray ${at + 1} for ${number} minutes.`,
  `Page ${number} of the will was signed by ${NAMES[at]}.`,
  `Shelf ${at + 1} holds ${number} jars of plums.`,
  `Seat ${number} belongs to row ${at + 1}.`,
  `Player ${number} scored in minute ${at + 20}.`,
  `Invoice ${number} was paid on day ${at + 1}.`,
  `Lift ${at + 1} carries ${number} people.`,
])

test.each([
  [
    'a dose',
    (name: string, at: number) => [
      `Patient ${name} gets ${NUMBERS[at]} mg of ramipril daily.`,
      `Who gets ${NUMBERS[at]} mg of ramipril?`,
    ],
  ],
  [
    'a paragraph of a law',
    (name: string, at: number) => [
      `§ ${433 + at} BGB wurde von Richter ${name} geprüft.`,
      `Wer prüfte § ${433 + at} BGB?`,
    ],
  ],
  [
    'a room, in a script without spaces',
    (name: string, at: number) => [
      `${name}さんの部屋は${101 + at}号室です。`,
      `${101 + at}号室は誰の部屋ですか`,
    ],
  ],
])('of many that look alike, among many others, %s is found first by its number', async (_, say) => {
  await using memory = await openMemory(':memory:')
  const facts = NAMES.map(say)
  const contents = [...CROWD, ...facts.map(([fact = '']) => fact)]
  await memory.rememberMany({ blocks: contents.map((content) => ({ content })) })
  await memory.dream()
  for (const [fact, query = ''] of facts)
    expect((await memory.recall({ query, reinforce: false })).blocks[0]?.content).toBe(fact)
})
