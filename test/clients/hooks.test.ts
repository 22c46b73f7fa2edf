import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { hookCommand } from '../../src/surfaces/cli/clients/launch.ts'
import { HASHING } from '../surfaces/helpers/cli.ts'
import { type World, world } from './world.ts'

const ROOT = join(import.meta.dirname, '../..')
const BIN = join(ROOT, 'src/bin.ts')

interface Group {
  readonly matcher?: string
  readonly hooks: readonly [
    {
      readonly server?: string
      readonly tool?: string
      readonly input?: Record<string, string>
      readonly command?: string
    },
  ]
}

const groupsIn = (at: World, path: string): Record<string, Group[]> => JSON.parse(at.read(path)).hooks
const argsIn = (at: World, path: string) => JSON.parse(at.read(path)).mcpServers.elfmem.args.slice(2)

const PLUGINS = [
  ['claude-code', 'project/.claude/settings.json', 'hooks.json'],
  ['codex', 'project/.codex/hooks.json', 'codex.json'],
] as const

test.each(PLUGINS)(
  'the hooks of %s are those of the plugin, at the server that init names',
  async (name, path, file) => {
    const at = world()
    expect((await at.init(name, '--hooks')).code).toBe(0)
    const plugin = readFileSync(join(ROOT, 'plugin/hooks', file), 'utf8').replaceAll(
      'plugin:elfmem:elfmem',
      'elfmem',
    )
    expect({ hooks: groupsIn(at, path) }).toEqual(JSON.parse(plugin))
    expect(at.read(path)).not.toContain('plugin:')
    await at.uninstall(name)
    expect(Object.keys(at.all())).toEqual(Object.keys(world().all()))
  },
)

test('hooks of others stay where they are, and with ours taken out the file is what it was', async () => {
  const mine =
    '{\n    "hooks": {\n        "Stop": [\n            { "hooks": [{ "type": "command", "command": "say done" }] }, // mine\n        ],\n        "Notification": [],\n    },\n}\n'
  const at = world({ 'project/.claude/settings.json': mine })
  await at.init('claude-code', '--hooks')
  const written = at.read('project/.claude/settings.json')
  expect(written).toContain('"command": "say done" }] }, // mine\n            {\n                "hooks": [')
  expect(written.match(/"elfmem_hook"/g)?.length).toBeGreaterThan(3)
  at.write('project/.claude/settings.json', written.replace('say done', 'say it is done'))
  await at.uninstall('claude-code')
  expect(at.read('project/.claude/settings.json')).toBe(mine.replace('say done', 'say it is done'))
})

test('a server whose client has hooks answers them, and keeps doing so when init is run again', async () => {
  const at = world()
  await at.init('claude-code,gemini', '--hooks')
  expect(argsIn(at, 'project/.mcp.json')).toEqual(['serve', '--hooks', '--no-socket'])
  expect(argsIn(at, 'project/.gemini/settings.json')).toEqual(['serve', '--hooks'])
  expect((await at.init('claude-code,gemini')).out).not.toContain('+++')
  await at.init('gemini', '--scope', 'team')
  expect(argsIn(at, 'project/.gemini/settings.json')).toEqual(['serve', '--hooks', '--scope', 'team'])
})

test('what a hook of Claude Code sends to the server gets what was remembered in this project', async () => {
  const at = world()
  await at.init('claude-code', '--hooks')
  const client = new Client({ name: 'claude-code', version: '1' })
  const env = { PATH: process.env.PATH ?? '', HOME: at.home, ...HASHING }
  const args = ['--no-warnings', BIN, ...argsIn(at, 'project/.mcp.json')]
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: at.project, env, stderr: 'ignore' }),
  )
  onTestFinished(() => client.close())
  await client.callTool({
    name: 'elfmem_remember',
    arguments: { content: 'Staging listens on port 4210.', source: 'user' },
  })
  const [group] = groupsIn(at, 'project/.claude/settings.json').UserPromptSubmit ?? []
  const [hook] = group?.hooks ?? []
  const fields: Record<string, string> = {
    hook_event_name: 'UserPromptSubmit',
    session_id: 's',
    prompt: 'Which port does staging listen on?',
    source: 'user',
  }
  const input = Object.fromEntries(
    Object.entries(hook?.input ?? {}).map(([key, value]) => [
      key,
      value.replace(/\$\{(\w+)\}/, (_, name) => fields[name] ?? ''),
    ]),
  )
  const answer = await client.callTool({ name: hook?.tool ?? '', arguments: input })
  expect(JSON.stringify(answer.content)).toContain('4210')
})

test('the command of Gemini’s hooks answers with JSON also where no server runs', async () => {
  const at = world()
  await at.init('gemini', '--hooks')
  const commands = Object.values(groupsIn(at, 'project/.gemini/settings.json')).flatMap(
    ([group]) => group?.hooks[0].command ?? [],
  )
  expect(new Set(commands)).toEqual(new Set(['npx -y elfmem hook gemini']))
  const command = commands[0]?.replace('npx -y elfmem', `'${process.execPath}' --no-warnings '${BIN}'`) ?? ''
  const env = { PATH: process.env.PATH ?? '', HOME: at.home }
  const out = execFileSync('sh', ['-c', command], {
    cwd: at.project,
    env,
    input: '{"hook_event_name":"BeforeAgent","prompt":"x"}',
  })
  expect(JSON.parse(String(out))).toEqual({})
})

test('a hook’s command is the small program where it can be found, with its path quoted for a shell', () => {
  const at = world({ "project/a b's/hook.cjs": '', "project/a b's/bin.js": '' })
  const folder = join(at.project, "a b's")
  const program = ['/usr/bin/node', join(folder, 'bin.js')] as const
  expect(hookCommand({ program, env: {} })).toBe(`/usr/bin/node '${at.project}/a b'\\''s/hook.cjs'`)
  at.write('project/bin/elfmem-hook', '#!/bin/sh\n')
  execFileSync('chmod', ['+x', join(at.project, 'bin/elfmem-hook')])
  expect(hookCommand({ program, env: { PATH: `:/nowhere:${join(at.project, 'bin')}` } })).toBe('elfmem-hook')
})

test('Codex is said to need a look at its hooks, and doctor says when it was given', async () => {
  const at = world({ 'home/.codex/config.toml': '' })
  expect((await at.init('codex', '--hooks')).out).toContain('Open /hooks in Codex once')
  const hooksOf = async () => {
    const { out } = await at.run(['doctor', '--clients', '--client', 'codex', '--json'], {
      env: { PATH: '' },
    })
    return JSON.parse(out).clients[0].hooks
  }
  const path = join(at.project, '.codex/hooks.json')
  expect(await hooksOf()).toEqual([{ path, state: 'ours', allowed: false }])
  at.write(
    'home/.codex/config.toml',
    `[hooks.state."${path}:user_prompt_submit:0:0"]\ntrusted_hash = "sha256:0"\n`,
  )
  expect(await hooksOf()).toEqual([{ path, state: 'ours', allowed: true }])
})

test('where the plugin is on no hooks are written beside it, and of a client without hooks that is said', async () => {
  const at = world({ 'home/.claude/settings.json': '{ "enabledPlugins": { "elfmem@elfmem": true } }' })
  const { out } = await at.init('claude-code,zed', '--hooks')
  expect(out).toContain('Claude Code has the plugin of elfmem')
  expect(out).toContain('Zed has no hooks that elfmem knows of')
  expect(Object.keys(at.all())).not.toContain('project/.claude/settings.json')
  expect(argsIn(at, 'project/.mcp.json')).toEqual(['serve', '--project-scope'])
  expect((await at.run(['init', '--client', 'codex', '--hooks', '--whole', '--yes'])).code).toBe(2)
})

const EDITS = [
  ['claude-code', 'project/.claude/settings.json', '"elfmem_hook"', '"elfmem_two"'],
  ['gemini', 'project/.gemini/settings.json', '"timeout": 1000', '"timeout": 9000'],
] as const

test.each(EDITS.flatMap((edit) => [[...edit, 'all'] as const, [...edit, 'the last'] as const]))(
  'hooks of %s in %s that were changed since, %s to %s in %s, stay, are named, and are known the next time',
  async (name, path, was, is, which) => {
    const at = world()
    await at.init(name, '--hooks')
    const written = at.read(path)
    const last = written.lastIndexOf(was)
    const changed =
      which === 'all'
        ? written.replaceAll(was, is)
        : written.slice(0, last) + is + written.slice(last + was.length)
    at.write(path, changed)
    for (const _ of [1, 2]) {
      const { code, out } = await at.run(['uninstall', '--client', 'all', '--yes'], { columns: 1_000 })
      const reason = `${path.slice(8)} has hooks of elfmem that were changed since.`
      expect([code, out]).toEqual([1, expect.stringContaining(reason)])
      expect(at.read(path).split(is).length).toBe(changed.split(is).length)
      expect(at.read(path)).not.toContain(was)
    }
    at.write(path, at.read(path).replaceAll(is, was))
    expect((await at.uninstall(name)).code).toBe(0)
    expect(JSON.stringify(at.all())).not.toContain('elfmem')
    expect(readdirSync(join(at.home, '.elfmem/clients'))).toEqual([])
  },
)

test('a hook that somebody took out is no changed one', async () => {
  const at = world()
  await at.init('claude-code', '--hooks')
  const path = 'project/.claude/settings.json'
  const settings = JSON.parse(at.read(path))
  for (const groups of Object.values(settings.hooks) as Group[][]) groups.splice(1)
  delete settings.hooks.UserPromptSubmit
  at.write(path, JSON.stringify({ ...settings, mine: 1 }))
  expect((await at.uninstall('claude-code')).code).toBe(0)
  expect(at.read(path)).toBe('{"hooks":{},"mine":1}')
})
