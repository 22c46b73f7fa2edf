import { expect, test } from 'vitest'
import { tomlEditor } from '../../src/surfaces/cli/clients/edit/toml-edit.ts'
import { world } from './world.ts'

const read = (text: string) => tomlEditor.valueAt(text, [])

test.each([
  'a = 1\na = 2',
  'a = 1\n"a" = 2',
  '[mcp_servers.a]\n[mcp_servers.a]',
  '[a]\n[ "a" ]',
  'a = 1\n[a]',
  'a = 1\na.b = 2',
  'a.b = 1\na = 2',
  'a.b = 1\n[a]',
  '[a.b]\n[a]\nb = 1',
  '[a.b]\n[a]\nb.c = 1',
  '[a]\n[[a]]',
  '[[a]]\n[a]',
  'a = []\n[[a]]',
  '[[a]]\n[a.b]\n[a.b]',
  '[[a]]\nx = 1\nx = 2',
  'a = { b = 1 }\n[a.c]',
  'a = { b = 1 }\na.c = 2',
  'a = { b = 1, b = 2 }',
  'a = { b = { c = 1 }, b.d = 2 }',
  'a = [{ b.c = 1, b.c = 2 }]',
])('%j defines something twice and does not parse', (text) => {
  expect(() => read(text)).toThrow('line')
})

test.each([
  'a.b = 1\na.c = 2',
  'a.b = 1\n[a.c]\nd = 1',
  '[a.b]\n[a]\nc = 1',
  '[a]\nx = 1\n[b]\nx = 1',
  '[[a]]\nx = 1\n[a.b]\ny = 1\n[[a]]\nx = 2\n[a.b]\ny = 1',
  '[[a.b]]\n[[a.b]]\n[a]\nc = 1',
  'a = { b.c = 1, b.d = 2 }',
  'a = [{ b = 1 }, { b = 2 }]',
  '__proto__ = 1\nconstructor = 2\n[toString]\n[hasOwnProperty.x]',
])('%j defines each thing once', (text) => {
  expect(read(text)).toBeTypeOf('object')
})

test('a file of Codex with two tables of one name is left as it is, with what to paste', async () => {
  const broken = '[mcp_servers.a]\ncommand = "x"\n\n[mcp_servers.a]\ncommand = "y"\n'
  const at = world({ 'project/.codex/config.toml': broken })
  const { code, out } = await at.init('codex', '--force')
  expect([code, out]).toEqual([1, expect.stringContaining('line 4')])
  expect(out).toContain('To do it by hand:')
  expect(at.read('project/.codex/config.toml')).toBe(broken)
})

test('what looks like our table in a text of several lines, or stands in a comment, stays as it is', async () => {
  const decoys =
    "a = '''\n[mcp_servers.elfmem]\n# x\n\n'''\n# [mcp_servers.elfmem]\nb = [\n[1],\n]\n\n# of mine\n[tui]\nx = 1\n"
  const at = world({ 'project/.codex/config.toml': decoys })
  await at.init('codex')
  const edit = (text: string) => text.replace('x = 1', "x = '''\n[mcp_servers.elfmem]\n'''")
  at.write('project/.codex/config.toml', `${edit(at.read('project/.codex/config.toml'))}\n# later\n[y]\n`)
  expect((await at.uninstall('codex')).code).toBe(0)
  expect(at.read('project/.codex/config.toml')).toBe(`${edit(decoys)}\n# later\n[y]\n`)
})

test('a comment that its owner wrote into the table stays when the table goes', async () => {
  const at = world()
  await at.init('codex')
  const written = at.read('project/.codex/config.toml')
  at.write('project/.codex/config.toml', written.replace('args', '# mine\nargs'))
  expect((await at.uninstall('codex')).code).toBe(0)
  expect(at.read('project/.codex/config.toml')).toBe('# mine\n')
})
