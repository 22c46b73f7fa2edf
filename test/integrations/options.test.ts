import { expect, test } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import { agentHooks } from '../../src/hooks/claude-agent.ts'
import { memoryTools, withMemory } from '../../src/integrations/ai-sdk/index.ts'
import { memoryFiles } from '../../src/integrations/anthropic/index.ts'
import { elfmemMiddleware, langchainTools } from '../../src/integrations/langchain/index.ts'
import { ElfmemStore } from '../../src/integrations/langgraph/index.ts'
import { agentTools, ElfmemSession, recallInput } from '../../src/integrations/openai-agents/index.ts'
import { openTestMemory } from '../helpers/memory.ts'

type Make = (memory: Memory, options: never) => unknown

/** Every adapter with an option of it, as it is written and as somebody may miswrite it. */
const ADAPTERS: readonly (readonly [name: string, make: Make, right: object, wrong: object])[] = [
  ['memoryFiles', memoryFiles, { readOnly: true, virtual: false, scope: 's' }, { readonly: true }],
  [
    'withMemory',
    (memory, options: object) => withMemory(memory, { conversation: 'c', ...options }),
    { remember: 'both', learn: 'implicit', self: false, onError: undefined },
    { rember: 'both' },
  ],
  ['memoryTools', memoryTools, { tools: 'all' }, { tool: 'all' }],
  ['langchainTools', langchainTools, { scope: 's' }, { scop: 's' }],
  ['agentTools', agentTools, { prefix: 'm_' }, { prefx: 'm_' }],
  [
    'ElfmemSession',
    (memory, options) => new ElfmemSession(memory, options),
    { sessionId: 's', forgetOnClear: true, trustUser: false },
    { trustuser: true },
  ],
  ['recallInput', recallInput, { tokenBudget: 99 }, { tokenbudget: 99 }],
  ['elfmemMiddleware', elfmemMiddleware, { learn: 'implicit', scope: undefined }, { lern: 'implicit' }],
  [
    'ElfmemStore',
    (memory, options) => new ElfmemStore(memory, options),
    { index: { fields: ['a.b'] }, undoable: false },
    { index: { field: ['a'] } },
  ],
  ['agentHooks', agentHooks, { budgetMs: 500, classes: ['user'] }, { readonly: true }],
  ['items', (memory, options) => memory.items('notes', options), { undoable: false }, { undoble: false }],
]

const INVALID = expect.objectContaining({ code: 'INVALID_INPUT' })

test.each(ADAPTERS)(
  '%s takes its options, and refuses an unknown one and a promise',
  async (name, make, right, wrong) => {
    const { memory } = await openTestMemory()
    expect(() => make(memory, right as never)).not.toThrow()
    expect(() => make(memory, wrong as never)).toThrow(INVALID)
    if (name !== 'items')
      expect(() => make(Promise.resolve(memory) as never, right as never)).toThrow(INVALID)
  },
)

test.each([
  ['withMemory', { frame: 'atention' }],
  ['withMemory', { scope: 'A b' }],
  ['withMemory', { learn: 'always' }],
  ['memoryTools', { tools: ['recal'] }],
  ['memoryTools', { tools: ['erase'] }],
  ['memoryTools', { prefix: 'two words ' }],
  ['memoryFiles', { readOnly: 'yes' }],
  ['ElfmemSession', { remember: 'nothing' }],
  ['ElfmemStore', { index: { fields: 'title' } }],
  ['agentHooks', { budgetMs: -1 }],
])('%s refuses the options %j', async (name, options) => {
  const { memory } = await openTestMemory()
  const [, make] = ADAPTERS.find(([each]) => each === name)!
  expect(() => make(memory, options as never)).toThrow()
})
