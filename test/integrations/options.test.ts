import { expect, test } from 'vitest'
import { withMemory } from '../../src/integrations/ai-sdk/index.ts'
import { memoryFiles } from '../../src/integrations/anthropic/index.ts'
import { elfmemMiddleware, langchainTools } from '../../src/integrations/langchain/index.ts'
import { ElfmemStore } from '../../src/integrations/langgraph/index.ts'
import { agentTools, ElfmemSession, recallInput } from '../../src/integrations/openai-agents/index.ts'
import { openTestMemory } from '../helpers/memory.ts'

test('a promise of a memory is refused by every adapter where it is passed', async () => {
  const { memory } = await openTestMemory()
  const promise = Promise.resolve(memory) as never
  for (const make of [
    () => withMemory(promise, { conversation: 'c' }),
    () => memoryFiles(promise),
    () => elfmemMiddleware(promise),
    () => langchainTools(promise),
    () => new ElfmemStore(promise),
    () => agentTools(promise),
    () => new ElfmemSession(promise),
    () => recallInput(promise),
  ])
    expect(make).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', recovery: expect.stringContaining('await') }),
    )
})

test.each([
  [{ frame: 'atention' }, /atention/],
  [{ tokenBudget: 3 }, /16/],
  [{ scope: 'A b' }, /no scope/],
])(
  'options with which no recall would work are refused before the first one: %j',
  async (options, reason) => {
    const { memory } = await openTestMemory()
    for (const make of [
      () => withMemory(memory, { conversation: 'c', ...(options as object) }),
      () => elfmemMiddleware(memory, options as object),
      () => recallInput(memory, options as object),
    ])
      expect(make).toThrow(reason)
  },
)

test('a way to learn that there is not is refused', async () => {
  const { memory } = await openTestMemory()
  const learn = 'always' as never
  expect(() => withMemory(memory, { conversation: 'c', learn })).toThrow(/implicit or off/)
  expect(() => elfmemMiddleware(memory, { learn })).toThrow(/implicit or off/)
})
