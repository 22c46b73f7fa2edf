import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test, vi } from 'vitest'
import { HASHING, temporaryDirectory } from './helpers/cli.ts'

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

test('elfmem serve remembers beyond its end and refuses in our shape', async () => {
  const home = temporaryDirectory()
  const first = await connect(home)
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

test('a line beyond the limit is answered, and a line that is no message ends no server', async () => {
  const child = spawn(process.execPath, [BIN, 'serve', '--quiet'], {
    env: { ...environment(temporaryDirectory()), ELFMEM_LIMITS_REQUEST_BYTES: '100000' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' })
  const long = { ...ping('long'), params: { text: 'x'.repeat(500_000) } }
  const status = { ...ping('status'), method: 'tools/call', params: { name: 'elfmem_status', arguments: {} } }
  const write = (texts: readonly string[]) => child.stdin.write(texts.map((line) => `${line}\n`).join(''))
  // The limit of the settings counts once the memory is open.
  write([INITIALIZE, status].map((each) => JSON.stringify(each)))
  await vi.waitFor(() => expect(lines).toHaveLength(2), 20_000)
  const sent = [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    [ping(2)],
    ping(1.5),
    long,
    ping(8),
  ].map((each) => JSON.stringify(each))
  write(['{"jsonrpc":"2.0","id":9,', 'null', ...sent])
  await vi.waitFor(() => expect(lines).toHaveLength(4), 20_000)
  const answers = lines.map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } })
  const codes = answers.map(({ id, error }) => `${id} ${error?.code ?? 'ok'}`)
  expect(codes.sort()).toEqual(['1 ok', '8 ok', 'long -32600', 'status ok'])
})

test('a server whose memory cannot be opened says so and ends with 1', async () => {
  const child = serve(temporaryDirectory(), '--no-socket', '--config', 'none.yaml')
  const said: string[] = []
  child.stderr?.on('data', (chunk) => said.push(String(chunk)))
  await answered(child)
  child.stdin?.end()
  expect(await once(child, 'close')).toEqual([1, null])
  expect(said.join('')).toContain('none.yaml')
  expect(said.join('')).not.toMatch(/^\s+at /m)
})

test('SIGTERM ends a server that answered with 0 and without a log beside the file', async () => {
  const home = temporaryDirectory()
  const child = serve(home)
  await answered(child)
  const call = { name: 'elfmem_remember', arguments: { content: 'Tea is at four' } }
  child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call })}\n`)
  await once(child.stdout!, 'data')
  await vi.waitFor(() => expect(handlesTermination(child)).toBe(true), 10_000)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(existsSync(join(home, '.elfmem', 'agent.db-wal'))).toBe(false)
})

/** Whether a process handles SIGTERM itself. A command does not within 40 ms of a statement. */
function handlesTermination({ pid }: ChildProcess): boolean {
  if (process.platform !== 'linux') return true
  const [, caught = '0'] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return ((BigInt(`0x${caught}`) >> 14n) & 1n) === 1n
}
