import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { expect, test } from 'vitest'
import { ElfmemError } from '../../src/errors.ts'
import type { Memory } from '../../src/memory.ts'
import { operations } from '../../src/operations/table.ts'
import { createMcpServer } from '../../src/surfaces/mcp/server.ts'
import { connectClient, openTestMemory } from './helpers/roads.ts'

/** Operations of which tools are made. */
const TOOLS = operations.filter(({ tools }) => tools !== 'none')
/** Operations that are listed to an agent, unless another set is asked for. */
const FOR_AGENTS = TOOLS.filter(({ needs, tools }) => needs !== 'owner' && tools !== 'all').length

test('every operation is a tool that says what it does to the memory, in the order of the table', async () => {
  const client = await connectClient(await openTestMemory(), { as: 'owner' })
  const { tools } = await client.listTools()
  expect(tools).toHaveLength(TOOLS.length)
  for (const [at, { effect, idempotent, summary }] of TOOLS.entries()) {
    const { readOnlyHint, destructiveHint = true, ...hints } = tools[at]?.annotations ?? {}
    expect(readOnlyHint).toBe(effect === 'read')
    // Of what only reads the protocol asks no more, and what it takes for granted goes without saying.
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

test('what a client may hold against the schema it listed fits, whether a tool answers or refuses', async () => {
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

test('the server names itself, its own version and the rhythm of its use', async () => {
  const client = await connectClient(await openTestMemory())
  expect(client.getServerVersion()).toMatchObject({ name: 'elfmem', version: '0.0.0-test' })
  expect(client.getInstructions()).toMatch(/remember.*recall.*outcome.*dreams by itself/s)
})

test('what a recall answers with is the frame as text, and the ids an outcome needs', async () => {
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

test.each([
  ['elfmem_recall', { top_k: 'many' }, 'INVALID_INPUT', 'top_k'],
  ['elfmem_recall', { topp_k: 3 }, 'INVALID_INPUT', 'topp_k'],
  ['elfmem_forget', {}, 'INVALID_INPUT', 'block_id'],
  ['elfmem_outcome', { block_ids: ['zz'], signal: 1 }, 'INVALID_INPUT', 'block_ids[0]'],
  ['elfmem_forget', { block_id: 'ffffffff' }, 'NOT_FOUND', 'ffffffff'],
  ['elfmem_recal', { query: 'x' }, 'NOT_FOUND', 'elfmem_recall'],
])('%s %j is refused in the one shape of a failure', async (name, args, code, mention) => {
  const client = await connectClient(await openTestMemory())
  const answer = await client.callTool({ name, arguments: args })
  expect(answer.isError).toBe(true)
  expect(answer.structuredContent).toMatchObject({
    code,
    error: expect.any(String),
    recovery: expect.any(String),
  })
  const [{ text }] = answer.content as unknown as [{ text: string }]
  expect(text).toContain(mention)
  expect(text).not.toContain('\n')
})

test('long work reports its progress to a client that asked for it, never backwards', async () => {
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

test('the log says which client asked', async () => {
  const memory = await openTestMemory()
  const client = await connectClient(memory)
  await client.callTool({ name: 'elfmem_remember', arguments: { content: 'Tea is at four' } })
  const { operations: log } = await memory.history({ lastN: 1 })
  expect(log[0]?.actor).toBe('mcp:test+client')
})

test('a memory that cannot be opened is reported by every call, not by silence', async () => {
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
