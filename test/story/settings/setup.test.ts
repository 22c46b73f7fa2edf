import { expect, test } from 'vitest'
import { PRINCIPLES } from '../../../src/operations/intake/setup.ts'
import { openTestMemory } from '../../helpers/memory.ts'

test('setup with seed writes the principles once', async () => {
  const { memory } = await openTestMemory({ settings: { project: { agentName: 'Robin' } } })
  const first = await memory.setup({ seed: true })
  expect(first).toMatchObject({ blocksCreated: PRINCIPLES.length, totalAttempted: PRINCIPLES.length })
  expect((await memory.setup({ seed: true })).blocksCreated).toBe(0)
  await memory.dream()
  const again = await memory.setup({ seed: true })
  expect(again).toMatchObject({ blocksCreated: 0, totalAttempted: PRINCIPLES.length })
  const { blocks } = await memory.ls({ tag: 'self/role/identity' })
  expect(blocks[0]?.content).toContain('Robin')
})

test('setup writes identity, values, principles and a template once', async () => {
  const { memory } = await openTestMemory()
  const input = {
    identity: 'I keep the books of a bakery.',
    values: ['Short answers.', 'Cite the source.'],
    principles: ['Never delete data.'],
    template: 'coding' as const,
  }
  const size = 4 + 5
  expect((await memory.setup(input)).blocksCreated).toBe(size)
  await memory.dream()
  const again = await memory.setup(input)
  expect(again).toMatchObject({ blocksCreated: 0, totalAttempted: size, pending: 0 })
  const { blocks } = await memory.ls({ tag: 'self/constitutional' })
  expect(blocks.map(({ content }) => content)).toEqual(['Never delete data.'])
})

test('setup with seed writes no principle again that was reworded', async () => {
  const { memory } = await openTestMemory()
  await memory.setup({ seed: true })
  const { blocks } = await memory.ls({ status: 'inbox', tag: 'self/role/curiosity' })
  const blockId = blocks[0]?.id as string
  await memory.edit({ blockId, content: 'Ask one more question.', allowConstitutional: true })
  expect((await memory.setup({ seed: true })).blocksCreated).toBe(0)
  await memory.forget({ blockId, allowConstitutional: true })
  expect((await memory.setup({ seed: true })).blocksCreated).toBe(1)
})
