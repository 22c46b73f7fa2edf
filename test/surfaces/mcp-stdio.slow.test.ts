import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test, vi } from 'vitest'
import { operations } from '../../src/operations/table.ts'
import { offeredOf } from '../../src/operations/tool-sets.ts'
import { elfmem, HASHING, temporaryDirectory } from './helpers/cli.ts'

const BIN = join(import.meta.dirname, '../../src/bin.ts')

function environment(home: string): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: home, ...HASHING }
}

async function connect(home: string, ...more: readonly string[]): Promise<Client> {
  return connectWith(home, {}, ...more)
}

async function connectWith(
  home: string,
  variables: Readonly<Record<string, string>>,
  ...more: readonly string[]
): Promise<Client> {
  const client = new Client({ name: 'test', version: '0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'serve', '--quiet', ...more],
    env: { ...environment(home), ...variables },
    cwd: home,
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

test('a real server answers, remembers over its end, and says no in our words', async ({ annotate }) => {
  const home = temporaryDirectory()
  const begun = performance.now()
  const first = await connect(home)
  await annotate(`handshake of a cold server from source: ${Math.round(performance.now() - begun)} ms`)
  await first.callTool({ name: 'elfmem_remember', arguments: { content: 'Tea is at four' } })
  await first.close()
  const second = await connect(home)
  const { structuredContent } = await second.callTool({ name: 'elfmem_inbox', arguments: {} })
  expect(structuredContent).toMatchObject({ blocks: [{ content: 'Tea is at four' }] })
  const unknown = await second.callTool({ name: 'elfmem_nothing', arguments: {} })
  expect(unknown).toMatchObject({ isError: true, structuredContent: { code: 'NOT_FOUND' } })
  const wrong = await second.callTool({ name: 'elfmem_remember', arguments: { content: 7 } })
  expect(wrong).toMatchObject({ isError: true, structuredContent: { code: 'INVALID_INPUT' } })
})

test('a server of one scope reaches no other by any argument', async () => {
  const home = temporaryDirectory()
  const [mine, theirs] = [await connect(home, '--scope', 'mine'), await connect(home, '--scope', 'theirs')]
  const kept = await mine.callTool({ name: 'elfmem_remember', arguments: { content: 'Tea is at four' } })
  const { block_id } = kept.structuredContent as { readonly block_id: string }
  const call = async (name: string, args: Record<string, unknown>) =>
    (await theirs.callTool({ name: `elfmem_${name}`, arguments: args })).structuredContent
  expect(await call('inbox', {})).toMatchObject({ blocks: [] })
  expect(await call('show', { block_id })).toMatchObject({ code: 'NOT_FOUND' })
  expect(await call('inbox', { scope: 'mine' })).toMatchObject({ code: 'OUT_OF_SCOPE' })
  expect(await call('status', {})).toMatchObject({ scope: 'theirs', inbox_count: 0 })
})

test('the set of tools is that of the flag, else of the variable, else that of agents, in list and call', async () => {
  const home = temporaryDirectory()
  const variables = { ELFMEM_TOOLS: 'all' }
  const counts = [
    [await connect(home), 18],
    [await connect(home, '--tools', 'verbs'), 5],
    [await connectWith(home, variables), offeredOf(operations, { capability: 'agent', tools: 'all' }).length],
    [await connectWith(home, variables, '--tools', 'verbs'), 5],
  ] as const
  for (const [client, count] of counts) expect((await client.listTools()).tools).toHaveLength(count)
  const [, [verbs], [all]] = counts
  const arguments_ = { blocks: [{ content: 'Tea is at four' }] }
  const call = { name: 'elfmem_remember_many', arguments: arguments_ }
  const refused = await verbs.callTool(call)
  expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'TOOL_NOT_LISTED' } })
  expect(existsSync(join(home, '.elfmem'))).toBe(false)
  expect((await all.callTool(call)).isError).toBeFalsy()
  expect(existsSync(join(home, '.elfmem'))).toBe(true)
})

test.each([
  { argv: ['erase'], told: 'elfmem_erase; its list has 0 tools. Start it with --as owner' },
  { argv: ['recall,erase,decide', '--as', 'owner'], told: 'elfmem_decide; its list has 2 tools.' },
  { argv: ['recall,remember'], told: undefined },
])('a server says which chosen tools its client does not see: $argv', async ({ argv, told }) => {
  const child = serve(temporaryDirectory(), '--tools', ...argv)
  const said = text(child.stderr!)
  await answered(child)
  child.stdin?.end()
  if (told === undefined) expect(await said).not.toContain('does not list')
  else expect(await said).toContain(told)
})

test('a file of variables comes too late to choose the tools, and that is said', async () => {
  const home = temporaryDirectory()
  writeFileSync(join(home, 'variables'), 'ELFMEM_TOOLS=all\n')
  const { err } = await elfmem(['status', '--env-file', 'variables'], { home })
  expect(err).toContain('ELFMEM_TOOLS in variables does not count')
  expect((await elfmem(['status'], { home, env: { ELFMEM_TOOLS: 'all' } })).err).toBe('')
})

test('schemas of answers are listed if they are asked for', async () => {
  const client = await connect(temporaryDirectory(), '--output-schemas')
  const { tools } = await client.listTools()
  expect(tools.every(({ outputSchema }) => outputSchema?.type === 'object')).toBe(true)
})

test('a set that is none is refused before anything is served', async () => {
  const home = temporaryDirectory()
  for (const { argv, env } of [
    { argv: ['--tools', 'some'], env: {} },
    { argv: [], env: { ELFMEM_TOOLS: 'some' } },
  ]) {
    const { code, err } = await elfmem(['serve', ...argv], { home, env })
    expect(err).toContain('Say verbs, agent or all')
    expect(code).not.toBe(0)
  }
})

function serve(home: string, ...more: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [BIN, 'serve', ...more], { cwd: home, env: environment(home) })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
}

async function answered(child: ChildProcess): Promise<string> {
  child.stdin?.write(`${JSON.stringify(INITIALIZE)}\n`)
  const [chunk] = await once(child.stdout!, 'data')
  return String(chunk)
}

test('every request has an answer: broken lines, what is no message, and batches, whose messages are answered each', async () => {
  const child = serve(temporaryDirectory(), '--quiet')
  const lines: string[] = []
  child.stdout?.on('data', (chunk) => lines.push(...String(chunk).split('\n').filter(Boolean)))
  const said: string[] = []
  child.stderr?.on('data', (chunk) => said.push(String(chunk)))
  const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' })
  const sent = [
    INITIALIZE,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    [ping(2), { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }, ping('three'), 4],
    [],
    ping(1.5),
    { ...ping(5), params: [1] },
    { ...ping(6), jsonrpc: '1.0' },
    { jsonrpc: '2.0', id: 7, method: 7 },
    ping(8),
  ]
  const broken = ['{"jsonrpc":"2.0","id":9,', 'null', '  ']
  child.stdin?.write(
    [...sent.map((each) => JSON.stringify(each)), ...broken].map((line) => `${line}\n`).join(''),
  )
  const answers = () =>
    lines.map((line) => JSON.parse(line) as { id: unknown; result?: object; error?: { code: number } })
  await vi.waitFor(() => expect(answers()).toHaveLength(12), 10_000)
  const refused = answers().flatMap(({ id, error }) => (error ? [[id, error.code]] : []))
  expect(refused).toEqual([
    [null, -32600],
    [null, -32600],
    [1.5, -32600],
    [5, -32600],
    [6, -32600],
    [7, -32600],
    [null, -32700],
    [null, -32600],
  ])
  expect(answers().flatMap(({ id, result }) => (result ? [id] : []))).toEqual([1, 2, 'three', 8])
  expect(said).toEqual([])
})

test('standard output carries nothing but the protocol, standard error one line', async () => {
  const home = temporaryDirectory()
  const child = serve(home)
  const said: string[] = []
  child.stderr?.on('data', (chunk) => said.push(String(chunk)))
  expect(JSON.parse(await answered(child))).toMatchObject({
    id: 1,
    result: { serverInfo: { name: 'elfmem' } },
  })
  child.stdin?.end()
  await once(child, 'exit')
  expect(said.join('').trimEnd().split('\n')).toEqual([expect.stringContaining('home directory')])
})

test.each([{ flags: [] }, { flags: ['--hooks'] }, { flags: ['--project-scope'] }])(
  'a server whose memory cannot be opened says so in a sentence, and its end is no crash: $flags',
  async ({ flags }) => {
    const home = temporaryDirectory()
    const child = serve(home, '--no-socket', '--config', 'none.yaml', ...flags)
    const said: string[] = []
    child.stderr?.on('data', (chunk) => said.push(String(chunk)))
    await answered(child)
    child.stdin?.end()
    expect(await once(child, 'close')).toEqual([1, null])
    expect(said.join('')).toMatch(
      /✗ .*none\.yaml, named by --config, does not exist\.\n {2}.*leave --config out\.\n$/s,
    )
  },
)

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends a server that rests cleanly', async (signal) => {
  const home = temporaryDirectory()
  const child = serve(home)
  await answered(child)
  // The memory is opened meanwhile; a signal within a statement of that ends the server by itself.
  await sleep(1_500)
  child.kill(signal)
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(existsSync(join(home, '.elfmem', 'agent.db-wal'))).toBe(false)
})

test('a client that vanishes ends the server', async () => {
  const child = serve(temporaryDirectory())
  await answered(child)
  child.stdout?.destroy()
  child.stdin?.destroy()
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
})
