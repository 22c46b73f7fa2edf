import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type CallToolResult, Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import type { SettingsInput } from '../../src/config/settings.ts'
import { estimateTokens } from '../../src/domain/text/text.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { createMcpServer } from '../../src/surfaces/mcp/server.ts'
import { HASHING, temporaryDirectory } from './helpers/cli.ts'

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

test('pages of a list that is too long for an answer lead through all of it, none twice', async () => {
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
  ['inbox', { max_count: 60 }],
  ['history', { last_n: 200 }],
  ['graph', { dot: true }],
  ['graph', {}],
  ['recall', { query: 'tea', top_k: 60, token_budget: 9_000, explain: true }],
  ['remember_many', { blocks: MANY }],
  ['learn_document', { text: MANY.map(({ content }) => `# New\n\n${content}`).join('\n\n') }],
])('elfmem_%s answers within the limit of tokens, also when there is more', async (name, args) => {
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
  const said = answer.content.map((each) => (each.type === 'text' ? each.text : '')).join('')
  if (cursor === undefined) {
    expect(leftOut).not.toHaveLength(0)
    expect(said).toContain('limits.answer_tokens')
  } else expect(leftOut).toBeUndefined()
})

test('an answer that fits says nothing of a limit', async () => {
  const { call } = await served()
  const answer = await call('status')
  expect(answer.structuredContent).not.toHaveProperty('left_out')
  expect(JSON.stringify(answer.content)).not.toContain('answer_tokens')
})

test('a runaway client is told when to call again, and may then', async () => {
  const { call, clock, memory } = await served({ callsPerMinute: 60, burstCalls: 3 })
  for (const content of ['one', 'two', 'three'])
    expect((await call('remember', { content })).isError).toBeFalsy()
  const refused = await call('remember', { content: 'four' })
  expect(refused).toMatchObject({
    isError: true,
    structuredContent: { code: 'RATE_LIMITED', details: { retryAfterSeconds: 1 } },
  })
  expect(JSON.stringify(refused.content)).toContain('Call again in 1 seconds')
  expect(await memory.status()).toMatchObject({ inboxCount: 3 })
  clock.now += 1_000
  expect((await call('remember', { content: 'four' })).isError).toBeFalsy()
  expect((await call('remember', { content: 'five' })).isError).toBe(true)
})

test('what is no tool call counts, too: lists of the tools more than others', async () => {
  const { client, clock, memory } = await served({ callsPerMinute: 60, burstCalls: 60, listCalls: 20 })
  const codeOf = (ask: Promise<unknown>) =>
    ask.then(
      () => 'ok',
      (error: { data?: { code?: string; details?: object } }) => error.data?.code,
    )
  const lists = () => client.request({ method: 'tools/list', params: {} })
  expect([await codeOf(lists()), await codeOf(lists()), await codeOf(lists())]).toEqual(['ok', 'ok', 'ok'])
  expect(await codeOf(lists())).toBe('RATE_LIMITED')
  expect(await codeOf(client.request({ method: 'prompts/list', params: {} }))).toBe('RATE_LIMITED')
  expect(await codeOf(client.getPrompt({ name: 'dream' }))).toBe('RATE_LIMITED')
  expect(await codeOf(client.ping())).toBe('ok')
  clock.now += 2_000
  expect(await codeOf(client.getPrompt({ name: 'dream' }))).toBe('ok')
  expect(await codeOf(client.request({ method: 'prompts/list', params: {} }))).toBe('ok')
  expect(await codeOf(client.getPrompt({ name: 'dream' }))).toBe('RATE_LIMITED')
  expect((await memory.history()).operations).toEqual([])
})

test('an owner over MCP has no rate', async () => {
  const { call } = await served({ callsPerMinute: 1, burstCalls: 1 }, 'owner')
  for (let turn = 0; turn < 5; turn += 1) expect((await call('status')).isError).toBeFalsy()
})

test('5,000 lists of the tools in one write leave the server answering within seconds', async () => {
  const home = temporaryDirectory()
  const bin = join(import.meta.dirname, '../../src/bin.ts')
  const env = { PATH: process.env.PATH ?? '', HOME: home, ...HASHING }
  const child = spawn(process.execPath, [bin, 'serve', '--quiet'], { cwd: home, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = (messages: readonly object[]) =>
    void child.stdin.write(
      messages.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join(''),
    )
  const clientInfo = { name: 'test', version: '0' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  send([{ id: 'hello', method: 'initialize', params }])
  await answers.next()
  const started = performance.now()
  const lists = Array.from({ length: 5_000 }, (_, id) => ({ id, method: 'tools/list', params: {} }))
  send([...lists, { id: 'last', method: 'ping' }])
  const codes: unknown[] = []
  for (;;) {
    const { id, error } = JSON.parse((await answers.next()).value as string)
    if (id === 'last') break
    codes.push(error?.data.code)
  }
  expect(performance.now() - started).toBeLessThan(20_000)
  expect(codes.filter((code) => code === undefined).length).toBeLessThan(60)
  expect(codes.filter((code) => code === 'RATE_LIMITED').length).toBeGreaterThan(4_000)
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('an agent that calls ten times a second never meets the limit', async () => {
  const { call, clock } = await served()
  for (let turn = 0; turn < 2_000; turn += 1) {
    clock.now += 100
    const { isError } = await call('guide')
    expect(isError).toBeFalsy()
  }
})

test('a message that is too long is refused by its id, and the next one is answered', async () => {
  const home = temporaryDirectory()
  const bin = join(import.meta.dirname, '../../src/bin.ts')
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    ...HASHING,
    ELFMEM_LIMITS_REQUEST_BYTES: '100000',
  }
  const child = spawn(process.execPath, [bin, 'serve', '--quiet'], { cwd: home, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (message: object) => {
    child.stdin.write(`${JSON.stringify(message)}\n`)
    return JSON.parse((await lines.next()).value as string)
  }
  const clientInfo = { name: 'test', version: '0' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  await ask({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const remember = (content: string) => ({
    method: 'tools/call',
    params: { name: 'elfmem_remember', arguments: { content } },
  })
  await ask({ jsonrpc: '2.0', id: 2, ...remember('Tea is at four') })
  const long = remember('x'.repeat(2_000_000))
  const data = { code: 'LIMIT_EXCEEDED', details: { limit: 100_000, setting: 'limits.request_bytes' } }
  expect(await ask({ ...long, jsonrpc: '2.0', id: 'at the end' })).toMatchObject({
    id: 'at the end',
    error: { code: -32_600, message: expect.stringContaining('at most 100000'), data },
  })
  expect(await ask({ jsonrpc: '2.0', id: 7, ...long })).toMatchObject({ id: 7, error: { data } })
  expect(await ask({ jsonrpc: '2.0', ...long })).toMatchObject({ id: null, error: { data } })
  const status = { method: 'tools/call', params: { name: 'elfmem_status', arguments: {} } }
  expect(await ask({ jsonrpc: '2.0', id: 8, ...status })).toMatchObject({
    id: 8,
    result: { structuredContent: { inbox_count: 1 } },
  })
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('prompts that there are not, and ones asked for wrongly, count as well', async () => {
  const { client } = await served({ callsPerMinute: 60, burstCalls: 3 })
  const codeOf = (ask: Promise<unknown>) =>
    ask.then(
      () => 'ok',
      (error: { data?: { code?: string } }) => error.data?.code,
    )
  expect(await codeOf(client.getPrompt({ name: 'none' }))).toBe('NOT_FOUND')
  expect(await codeOf(client.getPrompt({ name: 'dream', arguments: { max_count: 'x' } }))).toBe(
    'INVALID_INPUT',
  )
  expect(await codeOf(client.getPrompt({ name: 'dream' }))).toBe('ok')
  expect(await codeOf(client.getPrompt({ name: 'none' }))).toBe('RATE_LIMITED')
})
