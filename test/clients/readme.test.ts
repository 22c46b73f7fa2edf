import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import { serverEntry, serverFile } from '../../src/surfaces/cli/clients/client.ts'
import { CLIENTS } from '../../src/surfaces/cli/clients/records/table.ts'
import { HASHING, NODE_OPTIONS } from '../surfaces/helpers/cli.ts'
import { asProcess, world } from './world.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const BIN = join(ROOT, 'src/bin.ts')
const page = (path: string) => readFileSync(join(ROOT, path), 'utf8')
/** What stands before the first part of the README. */
const [firstScreen = ''] = page('README.md').split('\n## ')

const commandsIn = (text: string) =>
  [...text.matchAll(/^(?:npx )?elfmem ((?:[^#\n]|#\S)*)/gm)].map(([, rest = '']) => rest.trim().split(/\s+/))

test('the first commands of the README set up Claude Code, whose server then starts, and can be taken back', async () => {
  const at = world()
  const before = at.all()
  const [init = [], doctor = [], ...rest] = commandsIn(firstScreen)
  expect(rest).toEqual([])
  expect((await asProcess(at, [...init, '--yes'])).code).toBe(0)
  const env = { PATH: process.env.PATH ?? '', HOME: at.home, ...HASHING, ...NODE_OPTIONS }
  const { stdout } = await run(process.execPath, ['--no-warnings', BIN, ...doctor], { cwd: at.project, env })
  expect(stdout).toMatch(/✓ Claude Code\n.*\n.*\n {2}reachable {3}18 tools/)
  await at.uninstall('all')
  expect(at.all()).toEqual(before)
})

test('the first entry of the README serves any MCP client the memories of its project', async () => {
  const at = world()
  const [, json = ''] = /```json\n(.*?)```/s.exec(firstScreen) ?? []
  const { command, args } = JSON.parse(json).mcpServers.elfmem
  expect([command, ...args.slice(0, 2)]).toEqual(['npx', '-y', 'elfmem'])
  const client = new Client({ name: 'any', version: '1' })
  const env = { PATH: process.env.PATH ?? '', HOME: at.home, ...HASHING }
  const started = {
    command: process.execPath,
    args: ['--no-warnings', BIN, ...args.slice(2)],
    cwd: at.project,
    env,
  }
  await client.connect(new StdioClientTransport({ ...started, stderr: 'ignore' }))
  await client.callTool({ name: 'elfmem_remember', arguments: { content: 'Tea is at four.' } })
  await client.close()
  const listed = await at.run(['ls', '--status', 'inbox', '--json'])
  expect(JSON.parse(listed.out).blocks[0].scope).toMatch(/^project-/)
})

test('the page of clients names each of them, its files and its form, and its commands are understood', async () => {
  const text = page('docs/clients.md')
  const ground = { home: '~', project: '.', env: {}, platform: 'linux' }
  for (const client of CLIENTS) {
    const row = text.split('\n').find((line) => line.includes(`| \`${client.name}\` |`)) ?? ''
    expect(row, client.name).toContain(`| ${client.title} |`)
    const { at } = serverEntry(client, { command: 'x', args: [] })
    expect(row).toContain(client.format === 'toml' ? `[${at.join('.')}]` : `\`${at[0]}\``)
    const project = serverFile(client, 'project', ground)
    expect(row).toContain(project === undefined ? '| none |' : `\`${project}\``)
    expect(/\| none[^|]*\|$/.test(row)).toBe(client.hooks === undefined)
  }
  const commands = commandsIn(text)
  expect(commands.length).toBe(5)
  for (const argv of commands) expect((await world().run([...argv, '--help'])).code).toBe(0)
})
