import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Client, EDITORS, serverEntry, serverFile } from '../../src/surfaces/cli/clients/client.ts'
import type { Ground, Place } from '../../src/surfaces/cli/clients/paths.ts'
import { CLIENTS } from '../../src/surfaces/cli/clients/records/table.ts'
import { world } from './world.ts'

/** What `claude mcp add` of version 2.1.332 and `codex mcp add` of 0.169.0 wrote for this command, in each of their files. */
const BY_THE_CLIENTS = {
  'claude-code':
    '{\n  "mcpServers": {\n    "elfmem": {\n      "type": "stdio",\n      "command": "elfmem",\n      "args": [\n        "serve",\n        "--project-scope"\n      ],\n      "env": {}\n    }\n  }\n}',
  codex: '[mcp_servers.elfmem]\ncommand = "elfmem"\nargs = ["serve", "--project-scope"]\n',
} as const
const LAUNCH = { command: 'elfmem', args: ['serve', '--project-scope'] }

const clientOf = (name: string): Client => CLIENTS.find((each) => each.name === name)!

test.each(Object.entries(BY_THE_CLIENTS))(
  'the entry of %s is the one that its own command writes',
  (name, written) => {
    const client = clientOf(name)
    const entry = serverEntry(client, LAUNCH)
    const editor = EDITORS[client.format]
    expect(editor.stands(written, entry)).toBe('same')
    const top = entry.at.slice(0, 1)
    expect(editor.valueAt(editor.put('', entry).text, top)).toEqual(editor.valueAt(written, top))
  },
)

test('beside a server that the command of Codex wrote there is the same as if it had written both', () => {
  const entry = serverEntry(clientOf('codex'), { command: 'x', args: ['y z'] })
  const other = { ...entry, at: ['mcp_servers', 'other'], value: { ...Object(entry.value), env: { A: 'b' } } }
  expect(EDITORS.toml.put(BY_THE_CLIENTS.codex, other).text).toBe(
    `${BY_THE_CLIENTS.codex}\n[mcp_servers.other]\ncommand = "x"\nargs = ["y z"]\n\n[mcp_servers.other.env]\nA = "b"\n`,
  )
})

const on = (platform: string, env: Record<string, string> = {}): Ground => ({
  home: '/h',
  project: '/p',
  env,
  platform,
})

test.each<[string, Place, Ground, string | undefined]>([
  ['claude-code', 'project', on('linux'), '/p/.mcp.json'],
  ['claude-code', 'user', on('linux'), '/h/.claude.json'],
  ['claude-code', 'user', on('linux', { CLAUDE_CONFIG_DIR: '/c' }), '/c/.claude.json'],
  ['claude-desktop', 'project', on('linux'), undefined],
  ['claude-desktop', 'user', on('linux'), '/h/.config/Claude/claude_desktop_config.json'],
  [
    'claude-desktop',
    'user',
    on('darwin'),
    '/h/Library/Application Support/Claude/claude_desktop_config.json',
  ],
  ['codex', 'project', on('linux'), '/p/.codex/config.toml'],
  ['codex', 'user', on('linux', { CODEX_HOME: '/c' }), '/c/config.toml'],
  ['cursor', 'project', on('linux'), '/p/.cursor/mcp.json'],
  ['cursor', 'user', on('darwin'), '/h/.cursor/mcp.json'],
  ['gemini', 'project', on('linux'), '/p/.gemini/settings.json'],
  ['gemini', 'user', on('linux'), '/h/.gemini/settings.json'],
  ['opencode', 'project', on('linux'), '/p/opencode.json'],
  ['opencode', 'user', on('linux', { XDG_CONFIG_HOME: '/x' }), '/x/opencode/opencode.json'],
  ['vscode', 'project', on('linux'), '/p/.vscode/mcp.json'],
  ['vscode', 'user', on('darwin'), '/h/Library/Application Support/Code/User/mcp.json'],
  ['windsurf', 'project', on('linux'), undefined],
  ['windsurf', 'user', on('linux'), '/h/.codeium/windsurf/mcp_config.json'],
  ['zed', 'project', on('linux'), undefined],
  ['zed', 'user', on('darwin'), '/h/.config/zed/settings.json'],
])('%s reads its servers of the %s in %o from %s', (name, place, ground, path) => {
  expect(serverFile(clientOf(name), place, ground)).toBe(path)
})

test.each([
  ['claude-desktop', 'mcpServers', { command: 'elfmem', args: LAUNCH.args }],
  ['cursor', 'mcpServers', { command: 'elfmem', args: LAUNCH.args }],
  ['gemini', 'mcpServers', { command: 'elfmem', args: LAUNCH.args }],
  ['windsurf', 'mcpServers', { command: 'elfmem', args: LAUNCH.args }],
  ['vscode', 'servers', { type: 'stdio', command: 'elfmem', args: LAUNCH.args }],
  ['zed', 'context_servers', { command: 'elfmem', args: LAUNCH.args, env: {} }],
  ['opencode', 'mcp', { type: 'local', command: ['elfmem', ...LAUNCH.args], enabled: true }],
])('%s names a server under %s in its own form', (name, key, value) => {
  expect(serverEntry(clientOf(name), LAUNCH)).toEqual({ kind: 'member', at: [key, 'elfmem'], value })
})

test('a client that starts its servers elsewhere is told of the project by name, and one for all projects by its own', async () => {
  const at = world()
  await at.init('cursor,windsurf,zed')
  const argsIn = (path: string, key: string) => JSON.parse(at.read(path))[key].elfmem.args.slice(2)
  const [flag, scope] = argsIn('project/.cursor/mcp.json', 'mcpServers').slice(1)
  expect([flag, scope]).toEqual(['--scope', expect.stringMatching(/^project-[0-9a-f]{16}$/)])
  expect(argsIn('home/.codeium/windsurf/mcp_config.json', 'mcpServers')).toEqual([
    'serve',
    '--scope',
    'windsurf',
  ])
  expect(argsIn('home/.config/zed/settings.json', 'context_servers')).toEqual(['serve', '--project-scope'])
  await at.run(['init'])
  await at.init('cursor')
  expect(argsIn('project/.cursor/mcp.json', 'mcpServers')).toEqual([
    'serve',
    '--db',
    `${at.project}/.elfmem/memory.db`,
  ])
  const { out } = await at.init('windsurf', '--whole')
  expect(argsIn('home/.codeium/windsurf/mcp_config.json', 'mcpServers')).toEqual(['serve'])
  expect(out).toContain('shows in all of them')
})

test('opencode is told in the file that it has, with comments or without', async () => {
  const at = world({ 'project/opencode.jsonc': '{\n  // mine\n}\n' })
  await at.init('opencode')
  expect(at.read('project/opencode.jsonc')).toContain('// mine\n  "mcp": {')
})

test('the command that init names may be pasted into a shell, whatever the folder is called', async () => {
  const at = world()
  for (const name of ['a;$(touch$IFS.PWNED);b', '--flag', "it's", '日本 語']) {
    const cwd = join(at.project, '..', name)
    mkdirSync(join(cwd, '.git'), { recursive: true })
    const { out } = await at.run(['init', '--client', 'cursor', '--yes'], { cwd, columns: 1_000 })
    const command = /`elfmem (ls --scope .*?)` lists/.exec(out)?.[1] ?? ''
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { cwd, encoding: 'utf8' })
    const { args } = JSON.parse(readFileSync(join(cwd, '.cursor/mcp.json'), 'utf8')).mcpServers.elfmem
    expect(words.trim().split('\n')).toEqual(['ls', ...args.slice(-2)])
    expect(readdirSync(cwd).sort()).toEqual(['.cursor', '.git'])
    expect((await at.run(words.trim().split('\n'), { cwd })).err).not.toContain('needs')
  }
})

test('a scope of the owner that looks like a flag is still the scope that the server gets', async () => {
  const at = world()
  await at.run(['init', '--client', 'cursor', '--yes', '--scope=-team'])
  const { args } = JSON.parse(at.read('project/.cursor/mcp.json')).mcpServers.elfmem
  expect(args.slice(2)).toEqual(['serve', '--scope=-team'])
})
