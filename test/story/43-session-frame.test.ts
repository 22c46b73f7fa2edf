import { expect, test } from 'vitest'
import { openTestMemory, type TestMemory } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'

const SESSION = { settings: { session: { gapCapMinutes: 10_000_000 } } }

/** A memory with three older blocks, and a session of its own that comes after. */
async function openLater(): Promise<TestMemory & { readonly old: string[] }> {
  const first = await openTestMemory({ embedder: createPlacedEmbedder(), ...SESSION })
  const old = await first.learn('cake @0 is sweet', 'tea @0 is green', 'jam @0 is red')
  await first.memory.close()
  const { clock, path } = first
  clock.advance({ hours: 3 })
  return { ...(await openTestMemory({ embedder: createPlacedEmbedder(), clock, path, ...SESSION })), old }
}

test('the short_term frame shows what this session took in and used, the newest first, and nothing else', async () => {
  const { memory, clock, learn, old } = await openLater()
  const [tea = ''] = (await memory.recall({ query: 'tea @0' })).blockIds
  clock.advance({ minutes: 1 })
  const [pie = '', milk = ''] = await learn('pie @0 is hot', 'milk @0 is cold')
  const { blockIds, text } = await memory.recall({ frame: 'short_term' })
  expect(blockIds).toEqual([milk, pie, tea])
  expect(old).toContain(tea)
  expect(text).toContain('## What this session took in and used')
  await memory.recall({ frame: 'short_term', query: 'tea' })
  expect((await memory.recall({ frame: 'short_term', topK: 2 })).blockIds).toEqual([milk, pie])
})

test('what a frame showed without a question was not used in the session', async () => {
  const { memory } = await openLater()
  expect((await memory.recall({ frame: 'task' })).blocks.length).toBeGreaterThan(0)
  expect((await memory.recall({ frame: 'short_term' })).blockIds).toEqual([])
})

test('with a question the short_term frame ranks within the session', async () => {
  const { memory, learn } = await openLater()
  const [pie = ''] = await learn('pie @0 is hot', 'tea @9 is black')
  expect(
    (await memory.recall({ frame: 'short_term', query: 'cake @0 pie', minStrength: 0 })).blockIds[0],
  ).toBe(pie)
  const { blocks } = await memory.recall({ frame: 'short_term', query: 'cake @0 is sweet', minStrength: 0 })
  expect(blocks.map(({ content }) => content)).not.toContain('cake @0 is sweet')
})

test('the world frame shows all that is known but who the agent is', async () => {
  const { memory } = await openTestMemory()
  const told = [
    { content: 'The kettle boils fast', tags: ['self/style'] },
    { content: 'The kettle is red' },
    { content: 'The kettle was a gift', source: 'Ana' },
  ]
  const ids: string[] = []
  for (const each of told) ids.push((await memory.remember(each)).blockId)
  await memory.setup({ principles: ['A kettle is never left alone'] })
  await memory.dream()
  for (const query of ['kettle', undefined]) {
    const { blockIds } = await memory.recall({ frame: 'world', ...(query ? { query } : {}), topK: 9 })
    expect(blockIds.toSorted()).toEqual(ids.slice(1).toSorted())
  }
})
