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
