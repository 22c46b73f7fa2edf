import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { elfmem } from '../surfaces/helpers/cli.ts'
import { jsonText, MARK, tomlText } from './texts.ts'
import { world } from './world.ts'

const SETTINGS = '{\n  "theme": "dark", // mine\n  "mcpServers": {\n    "a": {}\n  }\n}\n'

test('after an edit of somebody else all but the entry is that edit', async () => {
  const at = world({ 'project/.gemini/settings.json': SETTINGS })
  await at.init('gemini')
  const edit = (text: string) =>
    text.replace('"dark"', '"light and long"').replace('{\n  "theme"', '{\n  "new": [1,2],\n  "theme"')
  at.write('project/.gemini/settings.json', edit(at.read('project/.gemini/settings.json')))
  expect((await at.uninstall('gemini')).code).toBe(0)
  expect(at.read('project/.gemini/settings.json')).toBe(edit(SETTINGS))
})

test('a file that a client wrote anew in its own form loses the entry and no value', async () => {
  const at = world({ 'home/.claude.json': '{"a":{"b":[1,{"c":2}]}}' })
  await at.init('claude-code', '--user')
  const written = JSON.parse(at.read('home/.claude.json'))
  at.write('home/.claude.json', JSON.stringify({ ...written, numStartups: 4 }, undefined, 2))
  await at.uninstall('claude-code')
  expect(JSON.parse(at.read('home/.claude.json'))).toEqual({ a: { b: [1, { c: 2 }] }, numStartups: 4 })
})

test('servers that others added beside the entry stay, with the object that was made for it', async () => {
  const at = world()
  await at.init('cursor')
  const written = at.read('project/.cursor/mcp.json')
  at.write(
    'project/.cursor/mcp.json',
    written.replace(/\n {4}\}\n {2}\}\n\}\n$/, '\n    },\n    "b": { "url": "x" }\n  }\n}\n'),
  )
  await at.uninstall('cursor')
  expect(at.read('project/.cursor/mcp.json')).toBe('{\n  "mcpServers": {\n    "b": { "url": "x" }\n  }\n}\n')
})

test('an entry that was changed since is left and named, and everything else goes', async () => {
  const at = world()
  await at.init('claude-code,cursor')
  const mine = at.read('project/.mcp.json').replace('--project-scope', '--scope')
  at.write('project/.mcp.json', mine)
  const { code, out } = await at.uninstall('all')
  expect(code).toBe(1)
  expect(out).toContain(`${join(at.project, '.mcp.json')} has an entry elfmem that was changed since`)
  expect(at.read('project/.mcp.json')).toBe(mine)
  expect(existsSync(join(at.project, '.cursor'))).toBe(false)
})

test('a block of rules that two clients read stays until neither needs it', async () => {
  const at = world({ 'project/AGENTS.md': '# Ours\n\nNo tabs.' })
  await at.init('codex,opencode', '--rules')
  await at.uninstall('codex')
  expect(at.read('project/AGENTS.md')).toContain('elfmem:begin')
  await at.uninstall('opencode')
  expect(at.read('project/AGENTS.md')).toBe('# Ours\n\nNo tabs.')
})

test('what was put there in two steps goes in one, back to the first bytes', async () => {
  const at = world({ 'project/.mcp.json': '{}', 'project/CLAUDE.md': 'x' })
  const before = at.all()
  await at.init('claude-code')
  await at.init('claude-code', '--rules')
  await at.init('claude-code', '--whole')
  await at.uninstall('claude-code')
  expect(at.all()).toEqual(before)
})

test('first bytes do not come back over what somebody wrote between two steps', async () => {
  const at = world({ 'project/.gemini/settings.json': SETTINGS })
  await at.init('gemini')
  const edit = (text: string) => text.replace('"dark"', '"light"')
  at.write('project/.gemini/settings.json', edit(at.read('project/.gemini/settings.json')))
  await at.init('gemini', '--whole')
  await at.uninstall('gemini')
  expect(at.read('project/.gemini/settings.json')).toBe(edit(SETTINGS))
})

test('a file or an entry that is gone is no error, and nothing is left in the manifest', async () => {
  const at = world({ 'project/.mcp.json': '{"mcpServers":{}}' })
  await at.init('claude-code,cursor')
  rmSync(join(at.project, '.cursor'), { recursive: true })
  at.write('project/.mcp.json', '{"mine":1}')
  expect((await at.uninstall('all')).code).toBe(0)
  expect(at.read('project/.mcp.json')).toBe('{"mine":1}')
  expect(readdirSync(join(at.home, '.elfmem/clients'))).toEqual([])
  expect((await at.uninstall('all')).out).toContain('No file of a client')
})

test('the memory and other folders of elfmem are never removed, nor a folder with something else in it', async () => {
  const at = world()
  await at.run(['init'])
  await at.run(['remember', 'Tea is at four'])
  await at.init('cursor', '--rules')
  at.write('project/.cursor/rules/mine.mdc', 'x')
  await at.uninstall('all')
  expect((await at.run(['ls', '--status', 'inbox'])).out).toContain('Tea is at four')
  expect(readdirSync(join(at.project, '.cursor/rules'))).toEqual(['mine.mdc'])
})

test('only the project’s or only the user’s files are cleared if that is asked', async () => {
  const at = world()
  await at.init('claude-code')
  await at.init('claude-code', '--user')
  await at.uninstall('claude-code', '--project')
  expect(existsSync(join(at.project, '.mcp.json'))).toBe(false)
  expect(at.read('home/.claude.json')).toContain('elfmem')
  await at.init('claude-code')
  await at.uninstall('claude-code', '--user')
  expect(existsSync(join(at.home, '.claude.json'))).toBe(false)
  expect(at.read('project/.mcp.json')).toContain('elfmem')
})

test('without a client or without an answer nothing is taken out', async () => {
  const at = world()
  await at.init('claude-code')
  const before = at.all()
  expect((await at.run(['uninstall'])).code).toBe(2)
  expect((await at.run(['uninstall', '--client', 'all'])).code).toBe(2)
  expect((await at.run(['uninstall', '--client', 'all', '--dry-run'])).out).toContain('+++ /dev/null')
  expect((await at.run(['uninstall', '--client', 'all'], { answer: '' })).out).toContain(
    'Nothing was changed.',
  )
  expect(at.all()).toEqual(before)
})

test('a lost backup costs no more than the exact blanks: the entry is taken out of the file', async () => {
  const at = world({ 'project/.mcp.json': SETTINGS })
  await at.init('claude-code')
  const kept = join(at.home, '.elfmem/clients')
  for (const name of readdirSync(kept)) if (name.endsWith('.bak')) rmSync(join(kept, name))
  await at.uninstall('all')
  expect(at.read('project/.mcp.json')).toBe(SETTINGS)
})

test('a file that became read-only is left and named', async () => {
  const at = world()
  await at.init('claude-code')
  chmodSync(join(at.project, '.mcp.json'), 0o444)
  const { code, out } = await at.uninstall('all')
  expect([code, out]).toEqual([1, expect.stringContaining('is read-only')])
})

test('any file of JSON comes back byte for byte, and a second init changes nothing', async () => {
  const at = world()
  await fc.assert(
    fc.asyncProperty(jsonText(['mcpServers']), async (text) => {
      at.write('project/.mcp.json', text)
      const argv = ['--client', 'claude-code', '--yes', '-q']
      const { code } = await elfmem(['init', ...argv], { home: at.home, cwd: at.project })
      const once = at.read('project/.mcp.json')
      await elfmem(['init', ...argv], { home: at.home, cwd: at.project })
      expect(at.read('project/.mcp.json')).toBe(once)
      expect(once === text).toBe(code !== 0)
      await elfmem(['uninstall', ...argv], { home: at.home, cwd: at.project })
      expect(at.read('project/.mcp.json')).toBe(text)
    }),
    { numRuns: 60 },
  )
})

const FILES = {
  'project/.gemini/settings.json': jsonText(['mcpServers', 'hooks']),
  'project/.codex/config.toml': tomlText(),
  'project/.codex/hooks.json': jsonText(['hooks', 'Stop']),
  'project/AGENTS.md': tomlText(),
  'project/GEMINI.md': tomlText(),
}

test('any files that were set up twice, and changed before, between or after, lose what was put there and nothing else', async () => {
  let changed = 0
  const argv = ['--client', 'gemini,codex', '--yes', '-q']
  const replaced = (text: string, nth: number) => text.replaceAll(MARK, ['other', 'x\ty', ''][nth] ?? '')
  await fc.assert(
    fc.asyncProperty(fc.record(FILES), fc.nat(3), fc.nat(2), async (texts, when, nth) => {
      const at = world(texts)
      const edit = (step: number) => {
        if (step !== when) return
        for (const path of Object.keys(texts)) at.write(path, replaced(at.read(path), nth))
      }
      await at.run(['init', ...argv, '--rules', '--hooks'])
      edit(0)
      await at.run(['init', ...argv, '--rules', '--hooks', '--scope', 'team'])
      edit(1)
      await at.run(['uninstall', '--client', 'gemini', '--yes', '-q'])
      edit(2)
      await at.run(['uninstall', ...argv])
      const expected = Object.entries(texts).map(([path, text]) => [
        path,
        when < 3 ? replaced(text, nth) : text,
      ])
      expect(Object.keys(texts).map((path) => [path, at.read(path)])).toEqual(expected)
      if (when < 3 && JSON.stringify(expected) !== JSON.stringify(Object.entries(texts))) changed += 1
    }),
    { numRuns: 60 },
  )
  expect(changed).toBeGreaterThan(10)
})

test('of a project that is gone nothing is left in the manifest', async () => {
  const at = world({ 'project/.mcp.json': '{}' })
  await at.init('claude-code,cursor', '--rules')
  rmSync(at.project, { recursive: true })
  const uninstall = ['uninstall', '--client', 'all', '--yes']
  const here = await at.run(uninstall, { cwd: at.home })
  expect([here.code, here.out]).toEqual([0, expect.stringContaining(`${at.project} is gone`)])
  expect(readdirSync(join(at.home, '.elfmem/clients'))).not.toEqual([])
  const all = await at.run([...uninstall, '--all-projects'], { cwd: at.home })
  expect([all.code, all.out]).toEqual([0, expect.stringContaining('the record is forgotten')])
  expect(readdirSync(join(at.home, '.elfmem/clients'))).toEqual([])
})

test('what another program wrote while the owner was asked stays, and nothing is done', async () => {
  const at = world({ 'project/.mcp.json': '{ "mcpServers": {} }' })
  const changeMeanwhile = async () => {
    at.write('project/.mcp.json', '{ "mcpServers": { "new": {} } }')
    return 'yes'
  }
  const { code, err } = await at.run(['init', '--client', 'claude-code'], { answer: changeMeanwhile })
  expect([code, err]).toEqual([1, expect.stringContaining('changed by another program')])
  expect(at.read('project/.mcp.json')).toBe('{ "mcpServers": { "new": {} } }')
  expect(readdirSync(join(at.home, '.elfmem/clients'))).toEqual([])
})

test('where the user’s folder cannot be written nothing is changed', async () => {
  const at = world({ 'project/.mcp.json': '{}', 'home/.elfmem': 'a file' })
  const { code, err } = await at.init('claude-code')
  expect([code, err]).toEqual([1, expect.stringContaining('cannot be written')])
  expect(at.read('project/.mcp.json')).toBe('{}')
})

test('another project is left alone, whatever was done to its files, unless all projects are asked for', async () => {
  const at = world()
  const cwd = join(at.project, '../other')
  mkdirSync(join(cwd, '.git'), { recursive: true })
  await at.init('claude-code')
  await at.init('claude-code', '--user')
  await at.run(['init', '--client', 'claude-code', '--yes'], { cwd })
  const theirs = at.read('other/.mcp.json').replace('--project-scope', '--scope')
  at.write('other/.mcp.json', theirs)
  const here = await at.run(['uninstall', '--client', 'all', '--yes'], { columns: 1_000 })
  expect(here.code).toBe(0)
  expect(here.out).toContain(`This is about the project ${at.project} and your own files.\n`)
  expect(here.out).toContain(
    '1 file of other projects stays as before; --all-projects takes out of them, too.\n',
  )
  expect(at.read('other/.mcp.json')).toBe(theirs)
  expect([existsSync(join(at.project, '.mcp.json')), existsSync(join(at.home, '.claude.json'))]).toEqual([
    false,
    false,
  ])
  await at.init('claude-code')
  const all = await at.run(['uninstall', '--client', 'all', '--yes', '--all-projects'], { cwd: at.home })
  expect([all.code, all.out]).toEqual([1, expect.stringContaining('was changed since')])
  expect(all.out).toContain('This is about all projects and your own files.')
  expect(existsSync(join(at.project, '.mcp.json'))).toBe(false)
})

test('a project that was moved is said to be gone from where it was', async () => {
  const at = world()
  await at.init('claude-code')
  const moved = join(at.project, '../moved')
  renameSync(at.project, moved)
  const { code, out } = await at.run(['uninstall', '--client', 'all', '--yes'], {
    cwd: moved,
    columns: 1_000,
  })
  expect(code).toBe(0)
  expect(out).toContain(
    `The project ${at.project} is gone: the record stays until --all-projects. If it was moved,`,
  )
})

test.each([
  [['--user', '--all-projects'], '--user and --all-projects contradict'],
  [['--user', '--project'], '--user and --project contradict'],
])('of uninstall %j is refused', async (flags, said) => {
  const { code, err } = await world().run(['uninstall', '--client', 'all', ...flags])
  expect([code, err]).toEqual([2, expect.stringContaining(said)])
})
