import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { expect, test } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import { ElfmemError } from '../../src/errors.ts'
import { operations } from '../../src/operations/table.ts'
import { createMcpServer } from '../../src/surfaces/mcp/server.ts'
import { nextTurn } from '../helpers/timer.ts'
import { connectClient, openTestMemory } from './helpers/roads.ts'

/** Operations of which tools are made. */
const TOOLS = operations.filter(({ tools }) => tools !== 'none')
/** Operations that are listed to an agent, unless another set is asked for. */
const FOR_AGENTS = TOOLS.filter(({ needs, tools }) => needs !== 'owner' && tools !== 'all').length

test('every operation is a tool with the hints of its effect, in the order of the table', async () => {
  const client = await connectClient(await openTestMemory(), { as: 'owner' })
  const { tools } = await client.listTools()
  expect(tools).toHaveLength(TOOLS.length)
  for (const [at, { effect, idempotent, summary }] of TOOLS.entries()) {
    const { readOnlyHint = false, destructiveHint = true, ...hints } = tools[at]?.annotations ?? {}
    expect(readOnlyHint).toBe(effect === 'read')
    if (effect !== 'read') expect(destructiveHint).toBe(effect === 'destroy')
    if (effect !== 'read') expect(hints.idempotentHint ?? false).toBe(idempotent)
    expect(hints.openWorldHint).toBe(false)
    expect(tools[at]?.description).toContain(summary)
    expect(JSON.stringify(tools[at]), tools[at]?.name).not.toMatch(
      /\b(blockIds?|shouldDream|topK|recordUse)\b/,
    )
    expect(tools[at]?.outputSchema?.type).toBe('object')
  }
})

test('answers and refusals fit the output schemas that were listed', async () => {
  const client = await connectClient(await openTestMemory())
  const { tools } = await client.listTools()
  const ajv = new AjvJsonSchemaValidator()
  type Schema = Parameters<typeof ajv.getValidator>[0]
  const schemas = new Map(tools.map(({ name, outputSchema }) => [name, outputSchema as Schema]))
  for (const [name, schema] of schemas) {
    const answer = await client.callTool({ name, arguments: { no_such_argument: 1 } })
    expect(answer, name).toMatchObject({ isError: true, structuredContent: { code: 'INVALID_INPUT' } })
    const validate = ajv.getValidator(schema)
    expect(validate(answer.structuredContent), name).toMatchObject({ valid: true })
    expect(validate({ code: 'INVALID_INPUT' }), name).toMatchObject({ valid: false })
  }
  const { structuredContent } = await client.callTool({ name: 'elfmem_status', arguments: {} })
  const validate = ajv.getValidator(schemas.get('elfmem_status') as Schema)
  expect(validate(structuredContent)).toMatchObject({ valid: true })
})

test('recall answers with the frame as text, and with the ids that an outcome needs', async () => {
  const memory = await openTestMemory()
  const client = await connectClient(memory)
  await client.callTool({
    name: 'elfmem_remember',
    arguments: { content: 'Tea is at four', tags: null, cue: null },
  })
  await client.callTool({ name: 'elfmem_dream', arguments: {} })
  const answer = await client.callTool({
    name: 'elfmem_recall',
    arguments: { query: 'tea at four', top_k: 1 },
  })
  expect(answer.isError).toBeFalsy()
  const { text, block_ids } = answer.structuredContent as { text: string; block_ids: string[] }
  const [shown] = answer.content as { type: string; text: string }[]
  expect(shown?.text).toContain(text)
  expect(shown?.text).toContain(`ids: ${block_ids[0]!.slice(0, 8)}`)
})

test('dream reports growing progress to a client that asks for it', async () => {
  const client = await connectClient(await openTestMemory())
  for (let i = 0; i < 40; i++)
    await client.callTool({ name: 'elfmem_remember', arguments: { content: `The ${i}th of many things` } })
  const seen: number[] = []
  await client.callTool(
    { name: 'elfmem_dream', arguments: {} },
    { onprogress: ({ progress }) => void seen.push(progress) },
  )
  expect(seen.length).toBeGreaterThan(1)
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
})

test('ping is answered again and again while a document is learned', async () => {
  const client = await connectClient(await openTestMemory())
  const parts = Array.from({ length: 650 }, (_, at) => `# Part ${at}\n\nRoom ${at} is cold and dark`)
  let [isBegun, isDone, answered] = [false, false, 0]
  const call = { name: 'elfmem_learn_document', arguments: { text: parts.join('\n\n') } }
  const learning = client.callTool(call, { onprogress: () => (isBegun = true) })
  const ended = learning.finally(() => (isDone = true))
  while (!isDone) {
    await client.ping()
    if (isBegun && !isDone) answered += 1
    await nextTurn()
  }
  expect((await ended).structuredContent).toMatchObject({ chunks_created: 650 })
  expect(answered).toBeGreaterThanOrEqual(5)
})

test('a memory that cannot be opened is reported by every call', async () => {
  const refusal = new ElfmemError('STORE_CORRUPT', 'The file is no database.', { recovery: 'Restore it.' })
  const client = await connectTo(Promise.reject(refusal))
  expect((await client.listTools()).tools).toHaveLength(FOR_AGENTS)
  const answer = await client.callTool({ name: 'elfmem_status', arguments: {} })
  expect(answer.structuredContent).toMatchObject({ code: 'STORE_CORRUPT' })
})

test('the handshake does not wait for the memory', async () => {
  const client = await connectTo(new Promise(() => undefined))
  expect((await client.listTools()).tools).toHaveLength(FOR_AGENTS)
})

async function connectTo(memory: Promise<Memory>): Promise<Client> {
  const server = createMcpServer(memory, { version: '0' })
  const client = new Client({ name: 'test', version: '0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  return client
}
