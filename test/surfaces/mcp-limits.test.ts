import { type CallToolResult, Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { estimateTokens } from '../../src/block/text.ts'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import type { SettingsInput } from '../../src/engine/settings.ts'
import { createMcpServer } from '../../src/surfaces/mcp/server.ts'

interface Served {
  readonly memory: Memory
  readonly client: Client
  readonly clock: { now: number }
  call(name: string, args?: Record<string, unknown>): Promise<CallToolResult>
}

async function served(limits: SettingsInput['limits'] = {}, as?: 'owner'): Promise<Served> {
  const memory = await openMemory(':memory:', {
    config: { limits },
    embedder: createHashingEmbedder(),
    as: 'owner',
  })
  const clock = { now: 0 }
  const server = createMcpServer(Promise.resolve(memory), {
    version: '0.0.0-test',
    tools: 'all',
    now: () => clock.now,
    ...(as === undefined ? {} : { as }),
  })
  const client = new Client({ name: 'test', version: '0' })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(theirs), client.connect(ours)])
  onTestFinished(async () => {
    await client.close()
    await memory.close()
  })
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name: `elfmem_${name}`, arguments: args })) as CallToolResult
  return { memory, client, clock, call }
}

const tokensOf = ({ content, structuredContent }: CallToolResult) =>
  estimateTokens(content.map((each) => (each.type === 'text' ? each.text : '')).join('')) +
  estimateTokens(JSON.stringify(structuredContent))

const LONG = Array.from({ length: 60 }, (_, at) => ({
  content: `Statement ${at} ${'about tea '.repeat(30)}`,
}))

const MANY = Array.from({ length: 400 }, (_, at) => ({
  content: `Another ${at} ${'word '.repeat(60)}`,
}))

test('pages of ls under a limit of tokens hold every block once', async () => {
  const { memory, call } = await served({ answerTokens: 3_000 })
  await memory.rememberMany({ blocks: LONG })
  const ids: string[] = []
  let pages = 0
  for (let cursor: unknown = null; cursor !== undefined; pages += 1) {
    const answer = await call('ls', { status: 'inbox', limit: 60, cursor })
    expect(tokensOf(answer)).toBeLessThanOrEqual(3_000)
    const page = answer.structuredContent as { blocks: { id: string }[]; cursor?: string }
    ids.push(...page.blocks.map(({ id }) => id))
    cursor = page.cursor
  }
  expect(new Set(ids).size).toBe(60)
  expect(ids).toHaveLength(60)
  expect(pages).toBeGreaterThan(2)
})

test.each<[name: string, args: Record<string, unknown>]>([
  ['ls', { limit: 60 }],
  ['graph', {}],
  ['recall', { query: 'tea', top_k: 60, token_budget: 9_000, explain: true }],
  ['remember_many', { blocks: MANY }],
])('elfmem_%s answers within limits.answer_tokens and tells what was left out', async (name, args) => {
  const { memory, call } = await served({ answerTokens: 1_500 })
  await memory.rememberMany({ blocks: LONG })
  await memory.dream()
  const { blocks } = await memory.ls({ limit: 60 })
  await memory.connects({
    edges: blocks
      .slice(1)
      .map(({ id }, at) => ({ source: blocks[at]!.id, target: id, note: 'n'.repeat(90) })),
  })
  await memory.rememberMany({ blocks: LONG.map(({ content }) => ({ content: `${content} waits` })) })
  const answer = await call(name, args)
  expect(answer.isError).toBeFalsy()
  expect(tokensOf(answer)).toBeLessThanOrEqual(1_500)
  const { left_out: leftOut, cursor } = answer.structuredContent as Record<string, unknown>
  if (cursor === undefined) expect(leftOut).not.toHaveLength(0)
  else expect(leftOut).toBeUndefined()
})
