import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

const PORT = 'Staging listens on port 4210.'
const SHIP = 'Staging is shipped with scripts/ship.sh.'
const QUERY = 'where does staging listen and how is staging shipped'

test('a recall leaves out blocks that whoever asks has already, and says so', async () => {
  const { memory, learn } = await openTestMemory()
  const [port = '', ship = ''] = await learn(PORT, SHIP)
  expect((await memory.recall({ query: QUERY })).blockIds.toSorted()).toEqual([port, ship].toSorted())

  const answer = await memory.recall({ query: QUERY, without: [port] })
  expect(answer.blockIds).toEqual([ship])
  expect(answer.text).not.toContain('4210')
  expect(answer.dropped).toContainEqual(expect.objectContaining({ id: port, reason: 'without' }))
  expect(answer.note).toContain('1 known to you')
})

test('the first eight characters of an id name a block that is left out', async () => {
  const { memory, learn } = await openTestMemory()
  const ids = await learn(PORT, SHIP)
  const answer = await memory.recall({ query: QUERY, without: ids.map((id) => id.slice(0, 8)) })
  expect(answer.text).toBe('')
  expect(answer.summary).toContain('nothing but what is left out')
  expect(answer.recallId).toBeUndefined()
})

test('nothing weaker comes in the place of what is left out', async () => {
  const { memory, learn } = await openTestMemory()
  const [port = ''] = await learn(PORT, 'The office dog is called Biscuit.', 'Lunch is at noon.')
  const query = 'which port does staging listen on'
  const { blockIds } = await memory.recall({ query, reinforce: false })
  const answer = await memory.recall({ query, without: [port] })
  expect(answer.blockIds).toEqual(blockIds.filter((id) => id !== port))
})

test('a recall for some classes shows nobody else, as an entry or under one', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: PORT, source: 'README.md' })
  await memory.remember({ content: 'Staging listens on port 4300.', source: 'wiki' })
  await memory.remember({ content: SHIP })
  await memory.dream()
  const all = await memory.recall({ query: QUERY })
  expect(all.text).toMatch(/4210|4300/)

  const own = await memory.recall({ query: QUERY, classes: ['user', 'agent', 'model'] })
  expect(own.text).toContain('ship.sh')
  expect(own.text).not.toMatch(/4210|4300/)
  expect(own.blocks.every(({ sourceClass }) => sourceClass === 'agent')).toBe(true)
  expect(own.dropped.some(({ reason }) => reason === 'class')).toBe(true)
})

test('words that the caller has already are left out, whichever block says them', async () => {
  const { memory, learn } = await openTestMemory()
  const words = 'Staging listens on port 4210.'
  await learn(words, 'Staging listens on port 4300 at night.')
  const hash = createHash('sha256').update(words).digest('hex')
  for (const without of [[`#${hash}`], [`#${hash.slice(0, 8)}`]]) {
    const { text } = await memory.recall({ query: 'which port does staging listen on?', without })
    expect(text).toContain('4300')
    expect(text).not.toContain('4210')
  }
  await expect(memory.recall({ query: 'x', without: ['#'] })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
})

test('an id too short to name one block is refused', async () => {
  const { memory } = await openTestMemory()
  await expect(memory.recall({ query: 'x', without: [''] })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
})
