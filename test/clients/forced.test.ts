import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { world } from './world.ts'

const JSON_MINE =
  '{\n  "theme": "dark", // mine\n  "mcpServers": {\n    "elfmem" : { "command":"mine",\n      /* keep */ "env": { "A": "b" } }, // old\n    "b": {},\n  },\n}\n'
const TOML_MINE =
  'theme = "dark"\n\n[mcp_servers.elfmem] # mine\ncommand = "mine"\n# why\nargs = []\n\n[mcp_servers.elfmem.env]\nA = "b"'
const RULES_MINE = '# "dark"\n\n<!-- elfmem:begin v1 -->\nmine\n<!-- elfmem:end -->\n\nMore.'

test.each([
  ['project/.gemini/settings.json', 'gemini', JSON_MINE],
  ['project/.gemini/settings.json', 'gemini', JSON_MINE.replaceAll('\n', '\r\n')],
  ['project/.codex/config.toml', 'codex', TOML_MINE],
  ['project/.codex/config.toml', 'codex', `\uFEFF${TOML_MINE}\r\n[tui]\r\nx = 1\r\n`],
  ['project/GEMINI.md', 'gemini', RULES_MINE],
])('what --force replaced in %s of %s comes back after a foreign edit: %j', async (path, name, mine) => {
  const at = world({ [path]: mine })
  expect((await at.init(name, '--rules')).code).toBe(1)
  expect((await at.init(name, '--rules', '--force')).code).toBe(0)
  expect(at.read(path)).not.toContain('mine"')
  // Brought up to date, it still knows what it replaced.
  await at.init(name, '--rules', '--scope', 'team')
  const edit = (text: string) => text.replace('"dark"', '"light, and more"')
  at.write(path, edit(at.read(path)))
  expect((await at.uninstall(name)).code).toBe(0)
  expect(at.read(path)).toBe(edit(mine))
  expect(readdirSync(join(at.home, '.elfmem/clients'))).toEqual([])
})

test('a table that came behind a replaced one without an end of its line stays a table of its own', async () => {
  const at = world({ 'project/.codex/config.toml': TOML_MINE })
  await at.init('codex', '--force')
  at.write('project/.codex/config.toml', `${at.read('project/.codex/config.toml')}[tui]\nx = 1\n`)
  await at.uninstall('codex')
  expect(at.read('project/.codex/config.toml')).toBe(`${TOML_MINE}\n[tui]\nx = 1\n`)
})

test.each([
  ['a table with a changed comment', TOML_MINE, (text: string) => text.replace('# why', '# changed')],
  ['an entry that is gone', TOML_MINE, () => 'x = 1\n'],
])('of %s that finds no place to come back to a copy stays, and is named', async (_, mine, edit) => {
  const at = world({ 'project/.codex/config.toml': mine })
  await at.init('codex', '--force')
  at.write('project/.codex/config.toml', edit(at.read('project/.codex/config.toml')))
  const { code, out } = await at.run(['uninstall', '--client', 'all', '--yes'], { columns: 1_000 })
  expect(code).toBe(1)
  const [name = ''] = readdirSync(join(at.home, '.elfmem/clients'))
  const copy = join(at.home, '.elfmem/clients', name)
  expect(out).toContain(`it is kept in ${copy}.`)
  expect(readFileSync(copy, 'utf8')).toContain('"mine"')
  expect(at.read('project/.codex/config.toml')).not.toContain('elfmem')
})

test.each([
  'mcp_servers.elfmem = { command = "mine" }\nx = 1\n',
  '[mcp_servers]\nelfmem.command = "mine"\n',
  '[mcp_servers]\nelfmem.command = "mine"\n[mcp_servers.elfmem.env]\nA = "b"\n',
  'mcp_servers = {}\n',
  "text = '''\n[mcp_servers.elfmem]\n'''\nmcp_servers.elfmem.command = \"mine\"\n",
])(
  'TOML in which the entry is no table of its own is left as it is, with what to paste: %j',
  async (mine) => {
    const at = world({ 'project/.codex/config.toml': mine })
    const { code, out } = await at.init('codex', '--force')
    expect([code, out]).toEqual([1, expect.stringContaining('To do it by hand:')])
    expect(at.read('project/.codex/config.toml')).toBe(mine)
  },
)

test('of a file that is gone a copy of what --force had replaced stays', async () => {
  const at = world({ 'project/.gemini/settings.json': JSON_MINE })
  await at.init('gemini', '--force')
  rmSync(join(at.project, '.gemini'), { recursive: true })
  expect((await at.uninstall('all')).out).toContain('it is kept in')
  const [name = ''] = readdirSync(join(at.home, '.elfmem/clients'))
  expect(readFileSync(join(at.home, '.elfmem/clients', name), 'utf8')).toContain('/* keep */')
})
