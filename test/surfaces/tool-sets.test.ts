import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { snakeCase } from '../../src/adapters/project/spelling.ts'
import { TOOL_SETS, type ToolSet } from '../../src/config/serving/tool-sets.ts'
import { ElfmemError } from '../../src/errors.ts'
import { CAPABILITIES, mayDo } from '../../src/flow/engine/engine.ts'
import { operations } from '../../src/operations/table.ts'
import { argumentOfExample } from '../../src/surfaces/example.ts'
import { makeToolList } from '../../src/surfaces/mcp/make-tool-list.ts'
import { createMcpServer } from '../../src/surfaces/mcp/server.ts'
import { refused } from '../../src/surfaces/mcp/tools.ts'
import { recoveries } from './helpers/recoveries.ts'
import { connectClient, openTestMemory } from './helpers/roads.ts'

const VERBS = ['remember', 'recall', 'outcome', 'connect', 'forget']
const AGENT = [
  ...[...VERBS, 'rememberMany', 'learnDocument', 'dream', 'inbox', 'edit', 'resolve', 'undo', 'show'],
  ...['status', 'guide', 'ls', 'curate', 'setup'],
]
const NAMES: Readonly<Record<ToolSet, readonly string[]>> = {
  verbs: VERBS,
  agent: AGENT,
  all: operations.filter(({ tools }) => tools !== 'none').map(({ name }) => name),
}
/** The most that the list of a set may cost a client, in bytes; a token is taken for four characters. */
const MOST: Readonly<Partial<Record<ToolSet, readonly [bytes: number, tokens: number]>>> = {
  verbs: [8_000, 2_500],
  agent: [22_000, 6_500],
}

const TOOL_NAME = /\belfmem_[a-z_]+/g
/** A call that would work. */
const inputOf = async (example: string) => (await argumentOfExample(example)) ?? {}
const toolsOf = (names: readonly string[]) => names.map((name) => `elfmem_${snakeCase(name)}`)
const listed = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
/** The tools that a text names and a list does not have. */
const strangersIn = (text: string, names: readonly string[]) =>
  (text.match(TOOL_NAME) ?? []).filter((name) => !names.includes(name))

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
    for (const { name, guide, tools: smallest } of strangers) {
      const [tool = ''] = toolsOf([name])
      const { isError, structuredContent } = await client.callTool({
        name: tool,
        arguments: await inputOf(guide.example),
      })
      expect({ isError, structuredContent }, name).toMatchObject({
        isError: true,
        structuredContent: {
          code: 'TOOL_NOT_LISTED',
          error: expect.stringContaining(tool),
          recovery: expect.stringContaining(
            smallest === 'none' ? 'on the command line' : 'start with --tools all',
          ),
          details: { tool, tools },
        },
      })
    }
    expect(await memory.history()).toMatchObject({ operations: [] })
    expect(await memory.status()).toEqual(before)
  })

  test('calls every tool that it lists', async () => {
    const client = await connectClient(await openTestMemory(), { as: 'owner', tools })
    for (const name of await listed(client)) {
      const { structuredContent } = await client.callTool({ name, arguments: { no_such_argument: 1 } })
      expect(structuredContent, name).toMatchObject({ code: 'INVALID_INPUT' })
    }
  })

  test.each(CAPABILITIES)(
    'tells %s of no tool that it does not list: in lists, prompts and instructions',
    async (as) => {
      const client = await connectClient(await openTestMemory(), { as, tools })
      const names = await listed(client)
      const { tools: told } = await client.listTools()
      const { prompts } = await client.listPrompts()
      expect(strangersIn(JSON.stringify([told, prompts, client.getInstructions()]), names)).toEqual([])
      const handsIn = names.includes('elfmem_dream')
      const writes = names.includes('elfmem_remember')
      expect(prompts.map(({ name }) => name)).toEqual([
        ...(handsIn ? ['dream'] : []),
        'self',
        ...(writes ? ['reflect'] : []),
      ])
      expect(client.getInstructions()?.includes('prompt "dream"')).toBe(handsIn)
    },
  )

  test('is told of no other tool in a recovery', async () => {
    const names = toolsOf(
      NAMES[tools].filter((name) => operations.some((each) => each.name === name && each.needs !== 'owner')),
    )
    const wrong: string[] = []
    for (const { file, text } of recoveries) {
      const error = new ElfmemError('NOT_FOUND', 'There is none.', { recovery: text })
      const { message } = await refused(error, { capability: 'agent', tools })
      const strangers = strangersIn(message, names)
      if (strangers.length > 0) wrong.push(`${file}: ${message}`)
    }
    expect(wrong).toEqual([])
  })
})

test.each(['verbs', 'agent'] as const)(
  'a list of the set %s costs a prompt no more than it should',
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

test('a server that nobody told a set lists that of agents, without the schemas of answers', async () => {
  const server = createMcpServer(openTestMemory(), { version: '0' })
  const client = new Client({ name: 'test', version: '0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  onTestFinished(() => client.close())
  const { tools } = await client.listTools()
  expect(new Set(tools.map(({ name }) => name))).toEqual(new Set(toolsOf(AGENT)))
  for (const tool of tools) expect(tool).not.toHaveProperty('outputSchema')
})

test('the guide speaks of the tools of the set and of no other', async () => {
  const client = await connectClient(await openTestMemory(), { tools: 'agent' })
  const names = await listed(client)
  const guide = async (method?: string) => {
    const { content } = await client.callTool({ name: 'elfmem_guide', arguments: { method } })
    return (content as readonly { readonly text: string }[])[0]?.text ?? ''
  }
  const overview = await guide()
  expect(overview.match(/^elfmem_\w+/gm)?.toSorted()).toEqual(names.toSorted())
  for (const text of [overview, ...(await Promise.all([...AGENT, 'learning'].map(guide)))])
    expect(strangersIn(text, names)).toEqual([])
  expect(await guide('history')).toContain('TOOL_NOT_LISTED')
  // A sentence that leads to an operation outside the set is left out.
  expect(await guide('ls')).toContain('elfmem_show for one of them')
  expect(await guide('edit')).not.toMatch(/restore|history/)
})

test('an answer names what its reader has no tool for as the command of the owner', async () => {
  const memory = await openTestMemory()
  const said = async (tools: ToolSet) => {
    const client = await connectClient(memory, { tools })
    const { blockId } = await memory.remember({ content: `Tea is at four, says ${tools}` })
    await memory.dream()
    const { content } = await client.callTool({ name: 'elfmem_forget', arguments: { block_id: blockId } })
    return (content as readonly { readonly text: string }[])[0]?.text
  }
  expect(await said('all')).toContain('elfmem_restore brings it back')
  expect(await said('agent')).toContain("the owner's command elfmem restore brings it back")
})

test('null and other names of arguments are taken, though no list has them', async () => {
  const client = await connectClient(await openTestMemory(), { tools: 'verbs', outputSchemas: false })
  const { tools } = await client.listTools()
  const recall = tools.find(({ name }) => name === 'elfmem_recall')
  expect(JSON.stringify(recall)).not.toMatch(/top_k|null/)
  const args = { query: 'tea', top_k: 1, tags: null }
  expect((await client.callTool({ name: 'elfmem_recall', arguments: args })).isError).toBeFalsy()
})

test('recoveries and guides name an operation as a call, so that a surface can tell it from a word', () => {
  const guides = operations.flatMap(({ name, guide }) =>
    [guide.when, guide.whenNot, guide.next].map((text) => ({ file: name, text })),
  )
  const bare = /(?<!elfmem )\b(?:ls|curate|reembed|disconnect|setup|doctor)\b(?!\()/
  expect([...recoveries, ...guides].filter(({ text }) => bare.test(text))).toEqual([])
})
