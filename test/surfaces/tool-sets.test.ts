import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { snakeCase } from '../../src/adapters/project/spelling.ts'
import { CAPABILITIES, mayDo } from '../../src/engine/engine.ts'
import { operations } from '../../src/operations/table.ts'
import { TOOL_SETS, type ToolSet } from '../../src/operations/tool-choice.ts'
import { makeToolList } from '../../src/surfaces/mcp/make-tool-list.ts'
import { createMcpServer } from '../../src/surfaces/mcp/server.ts'
import { exampleInput } from './helpers/example-input.ts'
import { connectClient, openTestMemory } from './helpers/roads.ts'

const VERBS = ['remember', 'recall', 'outcome', 'connect', 'forget']
const AGENT = [
  ...[...VERBS, 'rememberMany', 'learnDocument', 'dream', 'inbox', 'edit', 'resolve', 'undo', 'show'],
  ...['status', 'guide', 'ls', 'setup', 'overview', 'connectByQuery', 'disconnect', 'propose'],
]
const NAMES: Readonly<Record<ToolSet, readonly string[]>> = {
  verbs: VERBS,
  agent: AGENT,
  all: operations.filter(({ tools }) => tools !== 'none').map(({ name }) => name),
}
/** The most that the list of a set may cost a client, in bytes; a token is taken for four characters. */
const MOST: Readonly<Partial<Record<ToolSet, readonly [bytes: number, tokens: number]>>> = {
  verbs: [8_000, 2_000],
  agent: [20_000, 5_000],
}

const TOOL_NAME = /\belfmem_[a-z_]+/g
const toolsOf = (names: readonly string[]) => names.map((name) => `elfmem_${snakeCase(name)}`)
const listed = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
/** The tools that a text names and a list does not have. */
const strangersIn = (text: string, names: readonly string[]) =>
  (text.match(TOOL_NAME) ?? []).filter((name) => !names.includes(name))

test('elfmem_forget answers no call of the library, in its text and in its fields', async () => {
  const memory = await openTestMemory()
  const client = await connectClient(memory, { tools: 'verbs' })
  const call = (name: string, input: Record<string, unknown>) => client.callTool({ name, arguments: input })
  const { structuredContent } = await call('elfmem_remember', { content: 'Tea is at four.' })
  const { block_id } = structuredContent as { block_id: string }
  expect(JSON.stringify(await call('elfmem_forget', { block_id }))).not.toMatch(/[a-z]\(/)
})

describe.each(TOOL_SETS)('the set %s', (tools) => {
  test.each(CAPABILITIES)('lists for %s what it may call of it, in the order of the table', async (as) => {
    const client = await connectClient(await openTestMemory(), { as, tools, outputSchemas: false })
    const mine = operations.filter(
      ({ name, needs }) => NAMES[tools].includes(name) && mayDo({ capability: as }, needs),
    )
    expect(await listed(client)).toEqual(toolsOf(mine.map(({ name }) => name)))
  })

  test('answers TOOL_NOT_LISTED for every other name, and nothing runs', async () => {
    const memory = await openTestMemory()
    const client = await connectClient(memory, { as: 'owner', tools })
    const before = await memory.status()
    const strangers = operations.filter(({ name }) => !NAMES[tools].includes(name))
    for (const { name, guide } of strangers) {
      const [tool = ''] = toolsOf([name])
      const { isError, structuredContent } = await client.callTool({
        name: tool,
        arguments: exampleInput(guide.example),
      })
      expect({ isError, structuredContent }, name).toMatchObject({
        isError: true,
        structuredContent: {
          code: 'TOOL_NOT_LISTED',
          details: { tool, tools },
        },
      })
    }
    expect(await memory.history()).toMatchObject({ operations: [] })
    expect(await memory.status()).toEqual(before)
  })

  test.each(CAPABILITIES)('names no other tool to %s in lists, prompts and instructions', async (as) => {
    const client = await connectClient(await openTestMemory(), { as, tools })
    const names = await listed(client)
    const { tools: told } = await client.listTools()
    const { prompts } = await client.listPrompts()
    expect(strangersIn(JSON.stringify([told, prompts, client.getInstructions()]), names)).toEqual([])
    const handsIn = names.includes('elfmem_dream')
    expect(prompts.map(({ name }) => name)).toEqual(handsIn ? ['dream'] : [])
    expect(client.getInstructions()?.includes('prompt "dream"')).toBe(handsIn)
  })
})

test.each(['verbs', 'agent'] as const)(
  'the list of the set %s stays within its bytes and tokens',
  (tools) => {
    for (const capability of CAPABILITIES) {
      const text = JSON.stringify({ tools: makeToolList({ tools, capability }) })
      const [bytes = 0, tokens = 0] = MOST[tools] ?? []
      // The owner's arguments come on top.
      const more = capability === 'owner' ? 1.05 : 1
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes * more)
      expect(text.length / 4).toBeLessThanOrEqual(tokens)
    }
  },
)

test('a server without --tools lists the set of agents, without schemas of answers', async () => {
  const server = createMcpServer(openTestMemory(), { version: '0' })
  const client = new Client({ name: 'test', version: '0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  onTestFinished(() => client.close())
  const { tools } = await client.listTools()
  expect(new Set(tools.map(({ name }) => name))).toEqual(new Set(toolsOf(AGENT)))
  for (const tool of tools) expect(tool).not.toHaveProperty('outputSchema')
})
