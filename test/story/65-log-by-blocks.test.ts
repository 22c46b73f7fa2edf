import { expect, test } from 'vitest'
import { openTestMemory, type TestMemory } from '../helpers/memory.ts'

const KETTLE = 'The kettle in the kitchen is blue.'

async function recallOften({ memory }: Pick<TestMemory, 'memory'>, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await memory.recall({ query: 'which kettle is blue' })
}

/** How often the log has a recall that showed the block. */
async function recallsOf({ memory }: Pick<TestMemory, 'memory'>, blockId: string): Promise<number> {
  const { operations } = await memory.history({ blockId, operation: 'recall', limit: 500 })
  return operations.length
}

test('history with a blockId answers every recall that showed the block', async () => {
  const memory = await openTestMemory()
  const [id = ''] = await memory.learn(KETTLE)
  await recallOften(memory, 40)
  expect(await recallsOf(memory, id)).toBe(40)
})

test('entries that a curation drops leave nothing behind in the log', async () => {
  const memory = await openTestMemory({ settings: { memory: { keepOperations: 5 } } })
  const [id = ''] = await memory.learn(KETTLE)
  await recallOften(memory, 40)
  await memory.memory.curate()
  const left = await recallsOf(memory, id)
  expect(left).toBeLessThanOrEqual(5)
  const { checks } = await memory.memory.doctor()
  expect(checks.find(({ name }) => name === 'orphans')).toMatchObject({ outcome: 'ok' })
  await recallOften(memory, 3)
  expect(await recallsOf(memory, id)).toBe(left + 3)
})
