import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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

test('doctor --clients starts what the user configured, counts its tools, and makes no memory', async () => {
  const at = world({ 'home/.cursor/mcp.json': program('--no-warnings', BIN, 'serve', '--quiet') })
  const { code, clients } = await looked(at)
  expect(code).toBe(0)
  expect(clients).toMatchObject([
    {
      client: 'cursor',
      configured: [{ place: 'user', reachable: { tools: 21 } }],
    },
  ])
  expect(existsSync(join(at.home, '.elfmem/agent.db'))).toBe(false)
})

test('doctor --clients starts nothing that a project brought', async () => {
  const at = world()
  at.write(
    'project/.mcp.json',
    program('-e', `require('fs').writeFileSync(${JSON.stringify(join(at.home, 'ran'))}, '')`),
  )
  const { clients } = await looked(at)
  expect(clients[0].configured[0]).toMatchObject({ place: 'project' })
  expect(clients[0].configured[0]).not.toHaveProperty('reachable')
  expect(readdirSync(at.home)).not.toContain('ran')
})

test.each([
  ['ends at once', program('-e', 'process.exit(3)')],
  ['is not there', '{ "mcpServers": { "elfmem": { "command": "/nowhere/elfmem" } } }'],
  ['says something else', program('-e', 'console.log("Hello!"); setInterval(() => {}, 1000)')],
])('doctor --clients ends with 1 where a server %s', async (_, text) => {
  const at = world({ 'home/.cursor/mcp.json': text })
  const { code, clients } = await looked(at, '--client', 'cursor')
  expect(code).toBe(1)
  expect(clients[0].configured[0].reachable).toEqual({ failure: expect.any(String) })
})

test('doctor --clients ends with 1 where a file does not parse', async () => {
  const at = world({ 'project/.mcp.json': '{ "mcpServers": { "elfmem": }' })
  expect((await at.run(['doctor', '--clients'])).code).toBe(1)
})
