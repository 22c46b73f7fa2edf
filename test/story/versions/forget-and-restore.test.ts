import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'

const NO_SIMILARITY = { memory: { similarityEdgesPerBlock: 0 } }

test('forget hides a block, restore brings it back with tags, evidence and edges', async () => {
  const { memory, clock } = await openTestMemory({ settings: NO_SIMILARITY })
  const { blockId: id } = await memory.remember({ content: 'Supper is at seven.', tags: ['home'] })
  const { blockId: other } = await memory.remember({ content: 'The orchestra rehearses on Mondays.' })
  await memory.dream()
  await memory.outcome({ helped: [id, other] })
  const told = await memory.forget({ blockId: id, reason: 'wrong house' })
  expect(told).toMatchObject({ blockId: id, status: 'forgotten' })
  expect((await memory.recall({ query: 'supper' })).blockIds).not.toContain(id)
  expect((await memory.show({ blockId: other })).edgesTotal).toBe(0)
  const { operations } = await memory.history({ operation: 'forget' })
  expect(operations).toMatchObject([{ reason: 'wrong house' }])
  clock.advance({ hours: 500 })
  const back = await memory.restore({ blockId: id })
  expect(back).toMatchObject({ status: 'active', restored: true, edgesRestored: 1, edgesLost: 0 })
  const { block } = await memory.show({ blockId: id })
  expect(block).toMatchObject({ tags: ['home'], successes: 1, status: 'active', lastReinforcedAt: 500 })
  expect((await memory.recall({ query: 'supper' })).blocks[0]?.id).toBe(id)
})

test('restore brings back no edge to a block that has no room', async () => {
  const { memory, learn } = await openTestMemory({
    settings: { memory: { similarityEdgesPerBlock: 0, edgeDegreeCap: 1 } },
  })
  const [a = '', b = '', c = ''] = await learn(...statements(3))
  await memory.outcome({ helped: [a, b] })
  await memory.forget({ blockId: a })
  await memory.outcome({ helped: [b, c] })
  expect(await memory.restore({ blockId: a })).toMatchObject({ edgesRestored: 0, edgesLost: 1 })
  expect((await memory.show({ blockId: b })).edges).toMatchObject([{ other: c }])
})

test('restore of the second of two blocks brings back the edge between them', async () => {
  const { memory, learn } = await openTestMemory({ settings: NO_SIMILARITY })
  const [one = '', other = ''] = await learn('one apple', 'two pears')
  await memory.connect({ source: one, target: other, relation: 'supports', note: 'fruit' })
  for (const blockId of [one, other]) await memory.forget({ blockId })
  expect(await memory.restore({ blockId: one })).toMatchObject({ edgesRestored: 0 })
  expect(await memory.restore({ blockId: other })).toMatchObject({ edgesRestored: 1, edgesLost: 0 })
  expect((await memory.show({ blockId: one })).edges).toMatchObject([{ other, note: 'fruit' }])
})

test('forget of a principle needs allowConstitutional', async () => {
  const { memory } = await openTestMemory()
  const { blockIds } = await memory.setup({ principles: ['Never delete data.'] })
  const blockId = blockIds[0] as string
  expect((await refusal(memory.forget({ blockId }))).code).toBe('PROTECTED')
  expect((await memory.forget({ blockId, allowConstitutional: true })).status).toBe('forgotten')
})

test('forget of a block that had replaced another lets that hold again, or names it once it is archived', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [six = ''] = await learn('The gym opens at 6.')
  clock.advance({ hours: 24 })
  const { blockId: seven } = await memory.remember({ content: 'The gym opens at 7.', supersedes: six })
  await memory.dream()
  expect((await memory.forget({ blockId: seven })).summary).toContain('holds again')
  await memory.undo()
  await memory.resolve({ a: six, b: seven, keep: 'b' })
  expect((await memory.forget({ blockId: seven })).summary).toContain('stays archived')
  await memory.restore({ blockId: six })
  expect((await memory.recall({ query: 'When does the gym open?' })).blocks).toMatchObject([{ id: six }])
})
