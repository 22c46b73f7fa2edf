import { expect, test } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import { memoryToolsOf, type ToolOptions, ToolRefusal } from '../../src/integrations/shared/tools.ts'
import { operations } from '../../src/operations/table.ts'
import { openTestMemory } from '../helpers/memory.ts'

const MAKER = { actor: 'test', maker: 'test' }

const namesOf = (memory: Memory, options?: ToolOptions) =>
  memoryToolsOf(memory, MAKER, options).map(({ name }) => name)

function toolOf(memory: Memory, name: string, options?: ToolOptions) {
  const tool = memoryToolsOf(memory, MAKER, options).find((each) => each.name === name)
  if (tool === undefined) throw new Error(`no ${name}`)
  return tool
}

async function refused(work: Promise<unknown>): Promise<ToolRefusal> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(ToolRefusal)
  return error as ToolRefusal
}

test('memoryToolsOf gives the five verbs, a set or the named tools, and none of the owner', async () => {
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

test('run refuses with a code and a recovery that names the tools of the model', async () => {
  const { memory } = await openTestMemory()
  const wrong = await refused(toolOf(memory, 'memory_recall').run({ qery: 'port' }))
  expect(wrong.code).toBe('INVALID_INPUT')
  expect(wrong.message).toContain('memory_recall')
  const missing = await refused(toolOf(memory, 'm_forget', { prefix: 'm_' }).run({ block_id: 'c0ffee00' }))
  expect(missing).toMatchObject({ code: 'NOT_FOUND', recovery: expect.stringContaining('m_recall') })
  const owners = await refused(
    toolOf(memory, 'memory_remember').run({ content: 'I am Ana.', source_class: 'user' }),
  )
  expect(owners.code).toBe('OWNER_ONLY')
})

test('run acts as an agent, and a reader is offered recall alone', async () => {
  const owner = await openTestMemory({ as: 'owner' })
  await toolOf(owner.memory, 'memory_remember').run({ content: 'Tea is at four.' })
  expect((await owner.memory.history({ limit: 1 })).operations[0]).toMatchObject({ actor: 'library:test' })
  const reader = await openTestMemory({ as: 'reader' })
  expect(namesOf(reader.memory)).toEqual(['memory_recall'])
})

test('tools bound to a scope take no scope and reach no other', async () => {
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

test('run that is aborted or of a closed memory is refused', async () => {
  const { memory } = await openTestMemory()
  const tool = toolOf(memory, 'memory_remember')
  expect((await refused(tool.run({ content: 'x' }, { signal: AbortSignal.abort() }))).code).toBe('CANCELLED')
  await memory.close()
  expect((await refused(tool.run({ content: 'Tea is at four.' }))).code).toBe('CLOSED')
})
