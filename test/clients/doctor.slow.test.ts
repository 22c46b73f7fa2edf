import { chmodSync, existsSync, linkSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { type World, world } from './world.ts'

const BIN = join(import.meta.dirname, '../../src/bin.ts')
const env = { PATH: process.env.PATH ?? '' }
const program = (...args: string[]) =>
  JSON.stringify({ mcpServers: { elfmem: { command: process.execPath, args } } })

async function looked(at: World, ...argv: string[]) {
  const { code, out } = await at.run(['doctor', '--clients', '--json', ...argv], {
    env: { ...env, HOME: at.home },
  })
  return { code, clients: JSON.parse(out).clients }
}

test('doctor --clients starts what the user configured, counts its tools, and leaves no memory behind', async () => {
  const at = world({ 'home/.cursor/mcp.json': program('--no-warnings', BIN, 'serve', '--quiet') })
  const { code, clients } = await looked(at)
  expect(code).toBe(0)
  expect(clients).toMatchObject([
    {
      client: 'cursor',
      configured: [{ place: 'user', state: 'yours', reachable: { tools: 18 } }],
      rules: [],
    },
  ])
  expect(existsSync(join(at.home, '.elfmem/agent.db'))).toBe(false)
  const text = await at.run(['doctor', '--clients'], { env: { ...env, HOME: at.home } })
  expect(text.out).toMatch(/✓ Cursor\n {2}configured .*written by somebody else\n {2}reachable {3}18 tools/)
})

test('it starts nothing that a project brought, whatever its name', async () => {
  const at = world()
  at.write(
    'project/.mcp.json',
    program('-e', `require('fs').writeFileSync(${JSON.stringify(join(at.home, 'ran'))}, '')`),
  )
  const { clients } = await looked(at)
  expect(clients[0].configured[0]).toMatchObject({ place: 'project', state: 'yours' })
  expect(clients[0].configured[0]).not.toHaveProperty('reachable')
  expect(readdirSync(at.home)).not.toContain('ran')
})

test.each([
  ['ends at once', program('-e', 'process.exit(3)'), /ended at once \(code 3\)/],
  [
    'is not there',
    '{ "mcpServers": { "elfmem": { "command": "/nowhere/elfmem" } } }',
    /cannot be started \(ENOENT\)/,
  ],
  [
    'says something else',
    program('-e', 'console.log("Hello!"); setInterval(() => {}, 1000)'),
    /something else than MCP/,
  ],
  [
    'closes its output',
    program('-e', 'require("fs").closeSync(1); setTimeout(() => {}, 60000)'),
    /says nothing/,
  ],
])('a server that %s is named with what happened, and the code says so', async (_, text, reason) => {
  const at = world({ 'home/.cursor/mcp.json': text })
  const { code, clients } = await looked(at, '--client', 'cursor')
  expect(code).toBe(1)
  expect(clients[0].configured[0].reachable.failure).toMatch(reason)
})

test('it says of what init wrote that it is as it was written, and whether the client was told to use it', async () => {
  const at = world({ 'home/.codex/config.toml': '' })
  await at.init('claude-code,codex', '--rules')
  const stateOf = async (name: string) => {
    const { out } = await at.run(['doctor', '--clients', '--client', name, '--json'], { env: { PATH: '' } })
    return JSON.parse(out).clients[0]
  }
  expect(await stateOf('codex')).toMatchObject({
    configured: [
      { state: 'ours', allowed: false, reachable: { failure: expect.stringContaining('ENOENT') } },
    ],
    rules: [join(at.project, 'AGENTS.md')],
  })
  at.write('home/.codex/config.toml', `[projects."${at.project}"]\ntrust_level = "trusted"\n`)
  expect((await stateOf('codex')).configured[0].allowed).toBe(true)
  // As `claude mcp list` of version 2.1.332 took it: what a project says counts once the project is trusted.
  at.write('project/.claude/settings.local.json', '{ "enabledMcpjsonServers": ["elfmem"] }')
  expect((await stateOf('claude-code')).configured[0].allowed).toBe(false)
  const trusted = {
    projects: { [at.project]: { hasTrustDialogAccepted: true } },
    history: 'x'.repeat(2_000_000),
  }
  at.write('home/.claude.json', JSON.stringify(trusted))
  expect((await stateOf('claude-code')).configured[0].allowed).toBe(true)
  at.write('project/.claude/settings.local.json', '{}')
  expect((await stateOf('claude-code')).configured[0].allowed).toBe(false)
  at.write('home/.claude/settings.json', '{ "enableAllProjectMcpServers": true }')
  expect((await stateOf('claude-code')).configured[0].allowed).toBe(true)
})

test('without any client it says so, and of one that was found how to set it up', async () => {
  const at = world()
  expect((await at.run(['doctor', '--clients'])).out).toContain('No client was found')
  at.write('project/.cursor/x', '')
  expect((await at.run(['doctor', '--clients'])).out).toContain('elfmem init --client cursor')
})

test.each([
  [
    'a server that does not start',
    'home/.cursor/mcp.json',
    '{ "mcpServers": { "elfmem": { "command": "/nowhere" } } }',
    1,
    '✗',
  ],
  ['a file that does not parse', 'project/.cursor/mcp.json', '{ "mcpServers": { "elfmem": ', 1, '✗'],
  [
    'one that it may not start',
    'project/.cursor/mcp.json',
    '{ "mcpServers": { "elfmem": { "command": "x" } } }',
    0,
    '?',
  ],
  [
    'one at an address',
    'home/.cursor/mcp.json',
    '{ "mcpServers": { "elfmem": { "url": "http://x" } } }',
    0,
    '?',
  ],
  ['none', 'home/.cursor/mcp.json', '{}', 0, '–'],
])('of %s its code and its sign say the same', async (_, path, text, code, sign) => {
  const at = world({ [path]: text })
  const said = await at.run(['doctor', '--clients'], { env })
  expect([said.code, said.out]).toEqual([code, expect.stringContaining(`${sign} Cursor\n`)])
})

test('a file that can be read is not said to be unreadable because it cannot be written', async () => {
  const at = world({ 'project/opencode.json': '{}' })
  await at.init('opencode,cursor')
  chmodSync(join(at.project, 'opencode.json'), 0o444)
  linkSync(join(at.project, '.cursor/mcp.json'), join(at.project, 'second.json'))
  const { out } = await at.run(['doctor', '--clients', '--json'], { env: { PATH: '' } })
  const states = JSON.parse(out).clients.map(({ configured }: { configured: { state: string }[] }) =>
    configured.map(({ state }) => state),
  )
  expect(states).toEqual([['ours'], ['ours']])
})

test('why a file cannot be read is said', async () => {
  const at = world({ 'project/.mcp.json': '{ "mcpServers": { "elfmem": }' })
  const { code, out } = await at.run(['doctor', '--clients'], { columns: 1_000 })
  expect([code, out]).toEqual([
    1,
    expect.stringContaining('which is no valid JSON: a value was expected at line 1'),
  ])
})

test('one server that several clients name is started once', async () => {
  const starts = join(temporaryDirectory(), 'starts')
  const text = program('-e', `require('fs').appendFileSync(${JSON.stringify(starts)}, 'x')`)
  const at = world({ 'home/.cursor/mcp.json': text, 'home/.codeium/windsurf/mcp_config.json': text })
  const { clients } = await looked(at)
  expect(clients).toHaveLength(2)
  expect(readFileSync(starts, 'utf8')).toBe('x')
})
