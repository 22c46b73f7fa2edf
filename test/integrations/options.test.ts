import { expect, test } from 'vitest'
import { agentHooks } from '../../src/hooks/claude-agent.ts'
import { memoryTools, withMemory } from '../../src/integrations/ai-sdk/index.ts'
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

type Options = never

test('an option that there is not is refused with the nearest name by whatever takes options', async () => {
  const { memory } = await openTestMemory()
  const c = { conversation: 'c' }
  const mistakes: readonly [make: () => unknown, said: string][] = [
    [
      () => memoryFiles(memory, { readonly: true } as Options),
      'memoryFiles takes no readonly (did you mean readOnly?).',
    ],
    [
      () => withMemory(memory, { ...c, rember: 'both' } as Options),
      'withMemory takes no rember (did you mean remember?).',
    ],
    [
      () => memoryTools(memory, { tool: 'all' } as Options),
      'memoryTools takes no tool (did you mean tools?).',
    ],
    [
      () => langchainTools(memory, { scop: 's' } as Options),
      'langchainTools takes no scop (did you mean scope?).',
    ],
    [
      () => agentTools(memory, { prefx: 'm_' } as Options),
      'agentTools takes no prefx (did you mean prefix?).',
    ],
    [
      () => new ElfmemSession(memory, { trustuser: true } as Options),
      'ElfmemSession takes no trustuser (did you mean trustUser?).',
    ],
    [
      () => recallInput(memory, { tokenbudget: 99 } as Options),
      'recallInput takes no tokenbudget (did you mean tokenBudget?).',
    ],
    [
      () => elfmemMiddleware(memory, { lern: 'implicit' } as Options),
      'elfmemMiddleware takes no lern (did you mean learn?).',
    ],
    [() => new ElfmemStore(memory, { undo: false } as Options), 'ElfmemStore takes no undo'],
    [
      () => new ElfmemStore(memory, { index: { field: ['a'] } } as Options),
      'index takes no field (did you mean fields?).',
    ],
    [
      () => agentHooks(memory, { readonly: true } as Options),
      'agentHooks takes no readonly (did you mean readOnly?).',
    ],
    [
      () => memory.items('notes', { undoble: false } as Options),
      'items takes no undoble (did you mean undoable?).',
    ],
  ]
  for (const [make, said] of mistakes)
    expect(make).toThrow(
      expect.objectContaining({
        ...{ code: 'INVALID_INPUT', message: expect.stringContaining(said) },
        recovery: expect.stringContaining('A call that works: '),
      }),
    )
})

test('an option of a kind that would switch nothing on is refused', async () => {
  const { memory } = await openTestMemory()
  for (const make of [
    () => memoryFiles(memory, { readOnly: 'yes' } as Options),
    () => memoryFiles(memory, null as Options),
    () => new ElfmemSession(memory, { remember: 'nothing' } as Options),
    () => new ElfmemStore(memory, { index: { fields: 'title' } } as Options),
    () => withMemory(memory, { conversation: 'c', onError: 'warn' } as Options),
    () => agentHooks(memory, { scope: 'a b' }),
    () => agentHooks(memory, { budgetMs: -1 }),
    () => agentHooks(memory, { classes: ['owner'] } as Options),
    () => agentHooks(undefined as Options),
    () => agentHooks(null as Options),
    () => agentHooks(Promise.resolve(memory) as Options),
  ])
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }))
})

test('options that there are, also without a value, are taken by each', async () => {
  const { memory } = await openTestMemory()
  expect(() => {
    memoryFiles(memory, { readOnly: true, virtual: false, scope: 's' })
    withMemory(memory, {
      conversation: 'c',
      remember: 'both',
      learn: 'implicit',
      self: false,
      onError: () => {},
    })
    new ElfmemSession(memory, { sessionId: 's', remember: 'none', forgetOnClear: true, trustUser: false })
    new ElfmemStore(memory, { index: { fields: ['a.b'] }, undoable: false })
    agentHooks(memory, {
      budgetMs: 500,
      tokens: 200,
      classes: ['user'],
      weak: false,
      shared: ['common'],
      sessionsKept: 9,
    })
    elfmemMiddleware(memory, { scope: undefined, onError: undefined } as Options)
    memory.items('notes', { undoable: undefined } as Options)
  }).not.toThrow()
})
