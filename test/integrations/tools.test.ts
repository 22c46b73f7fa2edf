import { expect, test } from 'vitest'
import { memoryToolsOf, type ToolOptions, ToolRefusal } from '../../src/integrations/shared/tools.ts'
import type { Memory } from '../../src/memory.ts'
import { operations } from '../../src/operations/table.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'

const namesOf = (memory: Memory, options?: ToolOptions) =>
  memoryToolsOf(memory, 'test', options).map(({ name }) => name)

function toolOf(memory: Memory, name: string, options?: ToolOptions) {
  const tool = memoryToolsOf(memory, 'test', options).find((each) => each.name === name)
  if (tool === undefined) throw new Error(`no ${name}`)
  return tool
}

const asked = async (memory: Memory, options?: ToolOptions): Promise<unknown> =>
  memoryToolsOf(memory, 'test', options)

async function refused(work: Promise<unknown>): Promise<ToolRefusal> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(ToolRefusal)
  return error as ToolRefusal
}

test('the tools are those of the set, of the names given, and the verbs unless told', async () => {
  const { memory } = await openTestMemory()
  expect(namesOf(memory)).toEqual([
    ...['memory_remember', 'memory_recall', 'memory_outcome', 'memory_connect', 'memory_forget'],
  ])
  expect(namesOf(memory, { tools: ['recordUse', 'recall'], prefix: '' })).toEqual(['recall', 'record_use'])
  expect(namesOf(memory, { tools: 'agent' })).toContain('memory_dream')
  const owners = operations.filter(({ needs }) => needs === 'owner').map(({ name }) => name)
  expect(owners).toContain('erase')
  expect(namesOf(memory, { tools: 'all' }).filter((name) => owners.includes(name.slice(7)))).toEqual([])
})

test('a choice that there is not is refused before anything is called', async () => {
  const { memory } = await openTestMemory()
  const choices = [
    { tools: ['recal'] },
    { tools: ['erase'] },
    { tools: 'everything' },
    { tools: 7 },
    { prefix: 'two words ' },
    { scope: '' },
  ] as unknown as ToolOptions[]
  for (const choice of choices)
    expect(await refusal(asked(memory, choice))).toMatchObject({
      code: 'INVALID_INPUT',
    })
  const promised = Promise.resolve(memory) as unknown as Memory
  expect(await refusal(asked(promised))).toMatchObject({ code: 'INVALID_INPUT' })
})

test('a call answers with the text for a model and the fields for a program', async () => {
  const { memory } = await openTestMemory()
  const kept = await toolOf(memory, 'memory_remember').run({
    content: 'Staging listens on port 4210.',
    source_class: 'tool',
    cue: null,
  })
  expect(kept.text).toContain('memory_recall finds it')
  const { text, structured } = await toolOf(memory, 'memory_recall').run({ query: 'port of staging' })
  expect(text).toContain('Staging listens on port 4210.')
  expect(structured).toMatchObject({ block_ids: [kept.structured.block_id] })
})

test('a refusal says code, reason and what to do, in the names of the tools that there are', async () => {
  const { memory } = await openTestMemory()
  const wrong = await refused(toolOf(memory, 'memory_recall').run({ qery: 'port' }))
  expect(wrong.code).toBe('INVALID_INPUT')
  expect(wrong.message).toMatch(/^INVALID_INPUT: .*did you mean query.*A call that works: memory_recall \{/)
  const missing = await refused(toolOf(memory, 'm_forget', { prefix: 'm_' }).run({ block_id: 'c0ffee00' }))
  expect(missing).toMatchObject({ code: 'NOT_FOUND', recovery: expect.stringContaining('m_recall') })
  const owners = await refused(
    toolOf(memory, 'memory_remember').run({ content: 'I am Ana.', source_class: 'user' }),
  )
  expect(owners.code).toBe('OWNER_ONLY')
})

test('a check refuses what a call would refuse for its input, and does nothing', async () => {
  const { memory } = await openTestMemory()
  const tool = toolOf(memory, 'memory_remember')
  expect(await tool.check({ content: 'Tea is at four.' })).toBeUndefined()
  for (const input of [{}, { content: 4 }, 'text', null, [], { content: 'x', more: 1 }])
    expect((await tool.check(input))?.message).toBe((await refused(tool.run(input))).message)
  expect((await memory.status()).inboxCount).toBe(0)
})

test('a model is an agent, whatever the program is, and no more than the memory was opened for', async () => {
  const owner = await openTestMemory({ as: 'owner' })
  const run = toolOf(owner.memory, 'memory_remember').run({ content: 'I am Ana.', source_class: 'user' })
  expect((await refused(run)).code).toBe('OWNER_ONLY')
  await toolOf(owner.memory, 'memory_remember').run({ content: 'Tea is at four.' })
  expect((await owner.memory.history({ limit: 1 })).operations[0]).toMatchObject({ actor: 'library:test' })
  const reader = await openTestMemory({ as: 'reader' })
  expect(namesOf(reader.memory)).toEqual(['memory_recall'])
})

test('a model that is bound to a scope is offered no scope, and reaches no other', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'The larder has plums.', scope: 'larder' })
  const bound = toolOf(memory, 'memory_recall', { scope: 'atlas' })
  expect(bound.inputSchema.properties).not.toHaveProperty('scope')
  expect(toolOf(memory, 'memory_recall').inputSchema.properties).toHaveProperty('scope')
  expect((await bound.run({ query: 'plums in the larder' })).text).not.toContain('plums')
  await refused(bound.run({ query: 'plums in the larder', scope: 'larder' }))
  const inside = toolOf(memory, 'memory_recall', { scope: 'larder' })
  expect((await inside.run({ query: 'plums in the larder' })).text).toContain('plums')
})

test('the guide names only tools that the model has', async () => {
  const { memory } = await openTestMemory()
  const { text } = await toolOf(memory, 'memory_guide', { tools: ['guide', 'recall', 'remember'] }).run({})
  expect(text).toContain('memory_recall')
  expect(text).not.toMatch(/elfmem_|memory_(dream|forget|erase)/)
})

test('one caller makes no more calls than a connection may', async () => {
  const { memory } = await openTestMemory({ settings: { limits: { burstCalls: 2, callsPerMinute: 1 } } })
  const tool = toolOf(memory, 'memory_recall')
  await tool.run({ query: 'one' })
  await tool.run({ query: 'two' })
  expect((await refused(tool.run({ query: 'three' }))).code).toBe('RATE_LIMITED')
})

test('a call that is aborted and a memory that is closed are refusals, too', async () => {
  const { memory } = await openTestMemory()
  const tool = toolOf(memory, 'memory_remember')
  expect((await refused(tool.run({ content: 'x' }, { signal: AbortSignal.abort() }))).code).toBe('CANCELLED')
  await memory.close()
  expect((await refused(tool.run({ content: 'Tea is at four.' }))).code).toBe('CLOSED')
})

test('a program of an agent takes back what a model did through its tools, and a model nothing of the program', async () => {
  const { memory } = await openTestMemory({ as: 'agent' })
  await memory.remember({ content: 'The chapel key hangs behind the door.' })
  const tools = memoryToolsOf(memory, 'test', { tools: ['remember', 'undo'] })
  const call = (name: string, input: object) => tools.find((each) => each.name === name)!.run(input)
  await expect(call('memory_undo', { operation_id: 1 })).rejects.toMatchObject({ code: 'OWNER_ONLY' })
  await call('memory_remember', { content: 'The bell tower leaks.' })
  const { undone } = await memory.undo()
  expect(undone).toMatchObject([{ operation: 'remember' }])
  const { blocks } = await memory.ls({ status: 'inbox' })
  expect(blocks.map(({ content }) => content)).toEqual(['The chapel key hangs behind the door.'])
})
