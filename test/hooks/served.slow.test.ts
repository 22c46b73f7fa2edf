import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { settingsSchema } from '../../src/engine/settings.ts'
import { askServer } from '../../src/surfaces/hooks/ask.ts'
import { ServedHooks } from '../../src/surfaces/hooks/served-hooks.ts'
import { socketPath } from '../../src/surfaces/hooks/socket-path.ts'
import { HASHING, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { addedBy, claude } from './helpers/payloads.ts'

const BIN = join(import.meta.dirname, '../../src/bin.ts')
const ASKED = 'which port does staging listen on?'

interface World {
  readonly home: string
  readonly cwd: string
}

/** A home with a project in it, which is a git repository. */
function project(name = 'app', home = realpathSync(temporaryDirectory())): World {
  const cwd = join(home, name)
  mkdirSync(cwd)
  execFileSync('git', ['init', '-q'], { cwd })
  return { home, cwd }
}

async function serve({ home, cwd }: World, ...more: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '0' })
  const env = { PATH: process.env.PATH ?? '', HOME: home, ELFMEM_HOOKS_BUDGET_MS: '5000', ...HASHING }
  const args = [BIN, 'serve', '--quiet', ...more]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd }))
  onTestFinished(() => client.close())
  return client
}

async function remember(client: Client, content: string): Promise<void> {
  await client.callTool({ name: 'elfmem_remember', arguments: { content } })
}

async function hook(client: Client, given: Record<string, unknown>): Promise<object> {
  const { content } = await client.callTool({ name: 'elfmem_hook', arguments: given })
  const [{ text = '' } = {}] = content as { text?: string }[]
  return JSON.parse(text)
}

const ask = async ({ home, cwd }: World, payload: object) =>
  (await askServer({ client: 'gemini', cwd, home, payload: JSON.stringify(payload), within: 5_000 })) ?? '{}'

const beforeAgent = (prompt: string, session_id = 'g') => ({
  hook_event_name: 'BeforeAgent',
  session_id,
  prompt,
})

/** Asks until a server has made its socket. */
async function answered(world: World, payload: object): Promise<string> {
  for (;;) {
    const answer = await ask(world, payload)
    if (answer !== '{}') return answer
  }
}

test('serve --hooks lists elfmem_hook, which answers events; serve without it refuses', async () => {
  const world = project()
  const [with_, without] = [await serve(world, '--hooks'), await serve(world)]
  const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
  expect((await names(with_)).filter((name) => name === 'elfmem_hook')).toHaveLength(1)
  expect(await names(without)).toEqual((await names(with_)).filter((name) => name !== 'elfmem_hook'))
  const call = { name: 'elfmem_hook', arguments: claude.prompt(ASKED) }
  expect(await without.callTool(call)).toMatchObject({
    isError: true,
    structuredContent: { code: 'TOOL_NOT_LISTED', recovery: expect.stringContaining('serve --hooks') },
  })
  await remember(with_, 'Staging listens on port 4210.')
  expect(addedBy(await hook(with_, claude.prompt(ASKED)))).toContain('4210')
  expect(await hook(with_, claude.prompt(ASKED))).toEqual({})
  expect(await hook(with_, { client: 'nobody', ...claude.prompt(ASKED, 'other') })).toEqual({})
  expect(await hook(with_, {})).toEqual({})
})

test('a hook command is answered over a socket of mode 0600', async () => {
  const world = project()
  const client = await serve(world, '--hooks')
  await remember(client, 'Staging listens on port 4210.')
  const inner = join(world.cwd, 'src', 'deep')
  mkdirSync(inner, { recursive: true })
  expect(await answered({ ...world, cwd: inner }, beforeAgent(ASKED))).toContain('4210')
  const path = socketPath(world.home, world.cwd) ?? ''
  expect(lstatSync(path).mode & 0o777).toBe(0o600)
  expect(lstatSync(join(path, '..')).mode & 0o777).toBe(0o700)
  // A project inside this one is another project.
  const nested = project('nested', inner)
  expect(await ask({ ...nested, home: world.home }, beforeAgent(ASKED, 'n'))).toBe('{}')
  await client.close()
  expect(await ask(world, beforeAgent(ASKED, 'later'))).toBe('{}')
})

test('a server replaces a stale socket, and another one takes over when it ends', async () => {
  const world = project()
  const first = await serve(world, '--hooks')
  await remember(first, 'Staging listens on port 4210.')
  await answered(world, beforeAgent(ASKED, '1'))
  const { pid } = first.transport as StdioClientTransport
  process.kill(pid as number, 'SIGKILL')
  const path = socketPath(world.home, world.cwd) ?? ''
  expect(lstatSync(path).isSocket()).toBe(true)
  const second = await serve(world, '--hooks')
  expect(await answered(world, beforeAgent(ASKED, '2'))).toContain('4210')
  const third = await serve(world, '--hooks')
  await hook(third, claude.prompt(ASKED))
  await second.close()
  expect(await answered(world, beforeAgent(ASKED, '3'))).toContain('4210')
})

test('the hook command answers {} without a server, to garbage and to nothing', async () => {
  const world = project()
  const command = join(import.meta.dirname, '../../src/surfaces/hooks/command.ts')
  for (const given of ['', '{', JSON.stringify(beforeAgent(ASKED)), 'x'.repeat(2_000_000)]) {
    const child = spawn(process.execPath, [command, 'gemini'], {
      cwd: world.cwd,
      env: { PATH: process.env.PATH, HOME: world.home },
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(given)
    const out: Buffer[] = []
    child.stdout.on('data', (part) => out.push(part))
    const [code] = await once(child, 'close')
    expect([code, Buffer.concat(out).toString()]).toEqual([0, '{}'])
  }
})

test('a server answers hooks within their budget while its memory is being opened', async () => {
  const { hooks: given, capture } = settingsSchema.parse({})
  const settings = { ...given, ...capture, budgetMs: 30 }
  const never = Promise.withResolvers<never>().promise
  const hooks = new ServedHooks(never, Promise.resolve(settings), 10_000)
  expect(await hooks.handle('claude-code', claude.prompt(ASKED))).toEqual({})
  const failed = new ServedHooks(Promise.reject(new Error('no')), never, 10_000)
  expect(await failed.handle('claude-code', claude.prompt(ASKED))).toEqual({})
  // Nor does a configuration that takes long to be read delay a client.
  expect(await new ServedHooks(never, never, 30).handle('claude-code', claude.prompt(ASKED))).toEqual({})
})
