import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { expect, test } from 'vitest'
import { CLIENTS } from '../../src/surfaces/cli/clients/clients.ts'
import { temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { CONFIGS } from './configs.ts'
import { world } from './world.ts'

type Data = Record<string, Record<string, unknown>>

/** Parses TOML, or JSON with the comments and trailing commas of the configurations. */
function parsed(path: string, text: string): Data {
  if (path.endsWith('.toml')) return parseToml(text) as Data
  const bare = text.replace(/\/\*.*?\*\/|(?<!:)\/\/.*/g, '').replace(/,(\s*[}\]])/g, '$1')
  return JSON.parse(bare.trim() === '' ? '{}' : bare) as Data
}

const entryAt = (data: Data, [key, name]: readonly [string, string]) => data[key]?.[name]

test.each(CONFIGS)(
  'init sets up $client, keeps what is there, and uninstall takes the entry out',
  async (config) => {
    const { client, path, text, at: keys, comments } = config
    const at = world({ [path]: text })
    const before = parsed(path, text)
    expect((await at.init(client)).code).toBe(0)
    const written = at.read(path)
    const entry = entryAt(parsed(path, written), keys)
    expect(JSON.stringify(entry)).toContain('"serve"')
    for (const comment of comments) expect(written).toContain(comment)
    if (text.includes('\r\n')) expect(written).not.toMatch(/[^\r]\n/)

    expect((await at.init(client)).code).toBe(0)
    expect(at.read(path)).toBe(written)

    expect((await at.uninstall(client)).code).toBe(0)
    const left = existsSync(join(at.project, '..', path)) ? at.read(path) : text
    const after = parsed(path, left)
    expect(entryAt(after, keys)).toBeUndefined()
    const others = (data: Data) => Object.entries(data).filter(([key]) => key !== keys[0])
    expect(others(after)).toEqual(others(before))
    expect(after[keys[0]] ?? {}).toEqual(before[keys[0]] ?? {})
    for (const comment of comments) expect(left).toContain(comment)
  },
)

test('uninstall of all nine clients leaves no word of elfmem', async () => {
  const at = world()
  const names = [...new Set(CONFIGS.map(({ client }) => client))].join()
  expect(names).toBe(CLIENTS.map(({ name }) => name).join())
  expect((await at.init(names)).code).toBe(0)
  expect(Object.keys(at.all())).toHaveLength(9)
  expect((await at.uninstall('all')).code).toBe(0)
  expect(at.all()).toEqual({})
})

test('an entry of a client is started as its own documentation says', async () => {
  const at = world()
  await at.init(CONFIGS.map(({ client }) => client).join())
  const command = ['npx', '-y', 'elfmem', 'serve']
  const servers = CONFIGS.map(({ client, path, at: keys }) => {
    const file = path.replace('.jsonc', '.json')
    return [client, entryAt(parsed(file, at.read(file)), keys) as Record<string, unknown>] as const
  })
  for (const [client, { command: program, args = [] }] of servers)
    expect([client, [program, args].flat(2).slice(0, 4)]).toEqual([client, command])
  const forms = Object.fromEntries(servers)
  expect(forms['claude-code']).toMatchObject({ type: 'stdio', env: {} })
  expect(forms.vscode).toMatchObject({ type: 'stdio' })
  expect(forms.zed).toMatchObject({ env: {} })
  expect(forms.opencode).toMatchObject({ type: 'local', enabled: true, command: expect.any(Array) })
})

test.each([
  ['claude-code', { CLAUDE_CONFIG_DIR: 'c' }, 'c/.claude.json'],
  ['codex', { CODEX_HOME: 'c' }, 'c/config.toml'],
  ['opencode', { XDG_CONFIG_HOME: 'c' }, 'c/opencode/opencode.json'],
  ['gemini', {}, '.gemini/settings.json'],
])('init --user of %s with %o writes %s in the home directory', async (client, env, path) => {
  const at = world()
  const given = Object.fromEntries(Object.entries(env).map(([name, folder]) => [name, join(at.home, folder)]))
  await at.run(['init', '--client', client, '--user', '--yes'], { env: given })
  expect(at.read(`home/${path}`)).toContain('elfmem')
  expect(readdirSync(at.project)).toEqual(['.git'])
  expect(statSync(join(at.home, path)).mode & 0o777).toBe(0o600)
})

test.each([
  ['project/.mcp.json', 'claude-code', '{ "mcpServers": '],
  ['project/.mcp.json', 'claude-code', '{ "mcpServers": [] }'],
  ['project/.mcp.json', 'claude-code', '{ "a": 1 "b": 2 }'],
  ['project/.mcp.json', 'claude-code', '['.repeat(100_000)],
  ['project/.codex/config.toml', 'codex', 'a = \n'],
  ['project/.codex/config.toml', 'codex', 'a = 1\na = 2\n'],
  ['project/.mcp.json', 'claude-code', '\uFEFF{}'],
  ['project/.codex/config.toml', 'codex', '\uFEFFmodel = "m"\n'],
  ['project/.codex/config.toml', 'codex', '[mcp_servers.elfmem]\ncommand = "elfmem"\n'],
])(
  'init leaves %s of %s as it is where it does not parse, and sets up the others',
  async (path, client, text) => {
    const at = world({ [path]: text })
    expect((await at.init(`${client},gemini`)).code).toBe(1)
    expect(at.read(path)).toBe(text)
    expect(at.read('project/.gemini/settings.json')).toContain('elfmem')
  },
)

test('init --dry-run, an answer no and a missing terminal write nothing, and show the difference', async () => {
  const at = world({ 'project/.mcp.json': '{\n  "mcpServers": {\n    "a": {}\n  }\n}\n' })
  const before = at.all()
  const argv = ['init', '--client', 'claude-code,codex']
  const dry = await at.run([...argv, '--dry-run'])
  expect([dry.code, dry.out]).toEqual([0, expect.stringContaining(join(at.project, '.mcp.json'))])
  expect((await at.run(argv, { answer: 'no' })).code).toBe(0)
  expect((await at.run(argv)).code).toBe(2)
  const json = await at.run([...argv, '--json', '--dry-run'])
  expect(JSON.parse(json.out)).toMatchObject({ done: false, changes: [{}, {}] })
  expect(at.all()).toEqual(before)
  await at.run(argv, { answer: 'yes' })
  expect(at.read('project/.mcp.json')).toContain('elfmem')
})

test('uninstall without --client, without an answer or with --dry-run takes nothing out', async () => {
  const at = world()
  await at.init('claude-code')
  const before = at.all()
  expect((await at.run(['uninstall'])).code).toBe(2)
  expect((await at.run(['uninstall', '--client', 'all'])).code).toBe(2)
  expect((await at.run(['uninstall', '--client', 'all', '--dry-run'])).code).toBe(0)
  expect(at.all()).toEqual(before)
})

test.each(['claude-code', 'codex', 'gemini'])(
  'init of %s with hooks and uninstall keep a hook of the user in a folder of that name',
  async (client) => {
    const at = world()
    await at.init(client, '--hooks')
    const path = Object.keys(at.all()).find((each) => /hooks|settings/.test(each)) ?? ''
    const data = JSON.parse(at.read(path))
    data.hooks.SessionStart.push({ hooks: [{ type: 'command', command: '/home/eve/elfmem-notes/check.sh' }] })
    at.write(path, JSON.stringify(data))
    await at.init(client, '--hooks')
    await at.uninstall(client)
    const kept = JSON.parse(at.read(path)).hooks.SessionStart
    expect(kept).toEqual([{ hooks: [expect.objectContaining({ command: expect.any(String) })] }])
  },
)

test('uninstall keeps the memory, what others wrote since, and other projects', async () => {
  const at = world()
  await at.run(['init'])
  await at.run(['remember', 'Tea is at four'])
  await at.init('cursor')
  at.write('project/.cursor/mcp.json', at.read('project/.cursor/mcp.json').replace('{', '{ "mine": 1,'))
  const cwd = join(at.project, '../other')
  mkdirSync(join(cwd, '.git'), { recursive: true })
  await at.run(['init', '--client', 'cursor', '--yes'], { cwd })
  expect((await at.uninstall('all')).code).toBe(0)
  expect(parsed('x.json', at.read('project/.cursor/mcp.json'))).toEqual({ mine: 1, mcpServers: {} })
  expect((await at.run(['ls', '--status', 'inbox'])).out).toContain('Tea is at four')
  expect(at.read('other/.cursor/mcp.json')).toContain('elfmem')
})

test('init replaces another entry of its name, keeps the file from before beside it, and uninstall removes that copy', async () => {
  const mine =
    '{ "mcpServers": { "elfmem": { "command": "elfmem", "args": ["serve", "--db", "x"] }, "a": { "command": "a" } } }\n'
  const at = world({ 'project/.mcp.json': mine })
  expect((await at.init('claude-code')).code).toBe(0)
  expect(at.read('project/.mcp.json')).toContain('--project-scope')
  expect((await at.init('claude-code', '--scope', 'team')).code).toBe(0)
  expect(at.read('project/.mcp.json.before-elfmem')).toBe(mine)
  await at.uninstall('claude-code')
  expect(Object.keys(at.all())).toEqual(['project/.mcp.json'])
})

test('uninstall leaves tables that somebody put between the marks of elfmem', async () => {
  const at = world()
  await at.init('codex')
  const path = 'project/.codex/config.toml'
  const mixed = at.read(path).replace('# elfmem:end', '[mcp_servers.mine]\ncommand = "mine"\n# elfmem:end')
  at.write(path, mixed)
  expect((await at.uninstall('codex')).code).toBe(1)
  expect(at.read(path)).toBe(mixed)
})

test('an entry names the scope of the project where its client does not start in it', async () => {
  const at = world()
  await at.init('claude-code,cursor,windsurf')
  const argsIn = (path: string) =>
    (entryAt(parsed(path, at.read(path)), ['mcpServers', 'elfmem']) as { args: string[] }).args.slice(3)
  expect(argsIn('project/.mcp.json')).toEqual(['--project-scope'])
  const scope = expect.stringMatching(/^project-[0-9a-f]{16}$/)
  expect(argsIn('project/.cursor/mcp.json')).toEqual(['--scope', scope])
  expect(argsIn('home/.codeium/windsurf/mcp_config.json')).toEqual(['--scope', 'windsurf'])
  await at.init('claude-code,cursor', '--scope', 'team')
  for (const path of ['project/.mcp.json', 'project/.cursor/mcp.json'])
    expect(argsIn(path)).toEqual(['--scope', 'team'])
})

test.each([
  ['a file that is a link', '.mcp.json', 'claude-code'],
  ['a folder that is a link', '.cursor', 'cursor'],
])('init in a project writes nothing through %s', async (_, path, client) => {
  const at = world()
  const elsewhere = temporaryDirectory()
  writeFileSync(join(elsewhere, 'mcp.json'), '{}')
  symlinkSync(path === '.cursor' ? elsewhere : join(elsewhere, 'mcp.json'), join(at.project, path))
  expect((await at.init(client)).code).toBe(1)
  expect(readdirSync(elsewhere)).toEqual(['mcp.json'])
  expect(statSync(join(elsewhere, 'mcp.json')).size).toBe(2)
})

test('init keeps the mode of a file, gives no trust, and puts nothing else into the project', async () => {
  const at = world({ 'project/.mcp.json': '{}', 'project/.elfmem/config.yaml': 'project: { scope: evil }' })
  chmodSync(join(at.project, '.mcp.json'), 0o640)
  await at.init('claude-code')
  expect(statSync(join(at.project, '.mcp.json')).mode & 0o777).toBe(0o640)
  expect(readdirSync(at.project).sort()).toEqual(['.elfmem', '.git', '.mcp.json', '.mcp.json.before-elfmem'])
  expect(existsSync(join(at.home, '.elfmem/trusted'))).toBe(false)
  expect(at.read('project/.mcp.json')).not.toContain('evil')
})

test.each([
  [['--client', 'claude-cod'], 2],
  [['--client', 'claude-code', '--scope', 'a', '--whole'], 2],
  [['--hooks'], 2],
  [['--client', 'all'], 1],
])('init %j is refused with code %i', async (argv, code) => {
  const at = world()
  expect((await at.run(['init', ...argv])).code).toBe(code)
  expect(readdirSync(at.project)).toEqual(['.git'])
})

test('init --client all sets up the clients that left a sign', async () => {
  const at = world({ 'home/.codex/auth.json': '{}', 'project/.vscode/settings.json': '{}' })
  expect((await at.init('all')).code).toBe(0)
  const files = Object.keys(at.all())
  expect(files).toEqual(expect.arrayContaining(['project/.codex/config.toml', 'project/.vscode/mcp.json']))
  expect(files).not.toContain('project/.mcp.json')
})
