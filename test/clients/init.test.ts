import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { CLIENTS } from '../../src/surfaces/cli/clients/records/table.ts'
import { world } from './world.ts'

/** What stands in a client's file before elfmem comes. */
const FIXTURES = {
  'an empty file': '',
  'empty braces': '{}',
  'only a comment': '// mine\n',
  'other servers': '{\n  "mcpServers": {\n    "a": { "command": "x" } // keep me\n  }\n}\n',
  'comments and trailing commas':
    '// top\n{\n    /* b */ "theme": "dark", // c\n    "mcpServers": {\n        "a": {},\n    },\n}\n',
  tabs: '{\n\t"mcpServers": {\n\t\t"b": 1\n\t}\n}',
  CRLF: '{\r\n  "mcpServers": {\r\n    "b": {}\r\n  }\r\n}\r\n',
  'a BOM': '\uFEFF{ "a": 1 }',
  'one line': '{"mcpServers":{"a":{"command":"x"}}}',
  'an empty object of servers': '{\n  "mcpServers": {}\n}\n',
  'an empty object over two lines': '{ "mcpServers": {\n  }\n}\n',
} as const

describe('init --client', () => {
  test.each(Object.entries(FIXTURES))(
    'keeps %s as it was around its entry, and uninstall gives back every byte',
    async (_, text) => {
      const at = world({ 'project/.mcp.json': text })
      const before = at.all()
      expect((await at.init('claude-code')).code).toBe(0)
      const written = at.read('project/.mcp.json')
      expect(written).toContain('elfmem')
      expect(written.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'))
      if (text.includes('\r\n')) expect(written).not.toMatch(/[^\r]\n/)
      if (text.includes('\t')) expect(written).toContain('\n\t\t\t"type": "stdio"')
      const once = at.all()
      expect((await at.init('claude-code')).out).toContain('as it should be')
      expect(at.all()).toEqual(once)
      expect((await at.uninstall('claude-code')).code).toBe(0)
      expect(at.all()).toEqual(before)
    },
  )

  test.each(CLIENTS.map(({ name }) => name))(
    'sets up %s where nothing was, and uninstall leaves nothing',
    async (name) => {
      const at = world()
      const before = at.all()
      expect((await at.init(name, '--rules')).code).toBe(0)
      expect(Object.keys(at.all()).length).toBeGreaterThan(Object.keys(before).length)
      expect((await at.uninstall(name)).code).toBe(0)
      expect(at.all()).toEqual(before)
    },
  )

  test('shows every change as a unified diff and writes nothing with --dry-run, after a no, and where nobody can be asked', async () => {
    const at = world({ 'project/.mcp.json': '{\n  "mcpServers": {\n    "a": {}\n  }\n}\n' })
    const before = at.all()
    const argv = ['init', '--client', 'claude-code,codex', '--rules']
    const dry = await at.run([...argv, '--dry-run'])
    expect(dry.code).toBe(0)
    expect(dry.out).toContain(`--- ${join(at.project, '.mcp.json')}`)
    expect(dry.out).toContain('--- /dev/null\n')
    expect(dry.out).toContain(
      '@@ -1,5 +1,11 @@\n {\n   "mcpServers": {\n-    "a": {}\n+    "a": {},\n+    "elfmem": {',
    )
    expect((await at.run(argv, { answer: 'no' })).out).toContain('Nothing was changed.')
    const alone = await at.run(argv)
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('--yes')])
    const json = await at.run([...argv, '--json', '--dry-run'])
    expect(JSON.parse(json.out)).toMatchObject({
      done: false,
      changes: [{ path: join(at.project, '.mcp.json') }, {}, {}, {}],
    })
    expect(at.all()).toEqual(before)
    expect(existsSync(join(at.home, '.elfmem'))).toBe(false)
    expect((await at.run(argv, { answer: 'yes' })).out).toContain('wrote')
  })

  test('replaces an entry with other arguments only with --force, and shows what to paste', async () => {
    const mine = '{ "mcpServers": { "elfmem": { "command": "elfmem", "args": ["serve", "--db", "x"] } } }\n'
    const at = world({ 'project/.mcp.json': mine })
    const refused = await at.init('claude-code')
    expect(refused.code).toBe(1)
    expect(refused.out).toContain('--force replaces it')
    expect(refused.out).toContain('"mcpServers": {')
    expect(at.read('project/.mcp.json')).toBe(mine)
    expect((await at.init('claude-code', '--force')).code).toBe(0)
    expect(JSON.parse(at.read('project/.mcp.json')).mcpServers.elfmem.args).toContain('--project-scope')
    await at.uninstall('claude-code')
    expect(at.read('project/.mcp.json')).toBe(mine)
  })

  test('brings an entry of its own up to date without being told to', async () => {
    const at = world({ 'project/.mcp.json': '{ "mcpServers": {} }' })
    await at.init('claude-code')
    expect((await at.init('claude-code', '--scope', 'team')).code).toBe(0)
    expect(JSON.parse(at.read('project/.mcp.json')).mcpServers.elfmem.args.slice(-2)).toEqual([
      '--scope',
      'team',
    ])
    await at.uninstall('claude-code')
    expect(at.read('project/.mcp.json')).toBe('{ "mcpServers": {} }')
  })

  test.each([
    [
      '.mcp.json',
      'claude-code',
      '{ "mcpServers": ',
      'is no valid JSON: a value was expected at line 1, column 17',
    ],
    [
      '.mcp.json',
      'claude-code',
      '{ "mcpServers": [] }',
      'has something else at mcpServers, where an object was expected',
    ],
    ['.codex/config.toml', 'codex', 'a = \n', 'is no valid TOML: invalid value at line 1, column 5'],
    [
      '.codex/config.toml',
      'codex',
      'mcp_servers = { a = { command = "x" } }\n',
      'at mcp_servers, where a table',
    ],
    ['.codex/config.toml', 'codex', '[[mcp_servers]]\n', 'at mcp_servers, where a table'],
    ['.mcp.json', 'claude-code', '[]', 'has something else at its top, where an object was expected'],
    ['.mcp.json', 'claude-code', '{ "a": 1 "b": 2 }', 'a comma or } was expected at line 1, column 10'],
    ['.codex/config.toml', 'codex', 'a = 1\na = 2\n', 'already defined table or value at line 2, column 1'],
    ['CLAUDE.md', 'claude-code', '<!-- elfmem:begin v1 -->\nmine\n', 'elfmem:begin and elfmem:end'],
  ])(
    'refuses %s of %s that is %j, shows what to paste, and changes the other files',
    async (file, name, text, reason) => {
      const at = world({ [`project/${file}`]: text })
      const { code, out } = await at.init(`${name},gemini`, '--rules')
      expect(code).toBe(1)
      expect(out).toContain(reason)
      expect(out).toContain('To do it by hand:')
      expect(at.read(`project/${file}`)).toBe(text)
      expect(at.read('project/.gemini/settings.json')).toContain('elfmem')
    },
  )

  test('takes TOML in any form of the same entry as its own, and leaves all other lines', async () => {
    const other = '# mine\nmodel = "x" # y\n\n[mcp_servers.other]\ncommand = "a"\n'
    for (const own of [
      '[mcp_servers.elfmem]\ncommand = "npx"\nargs = [ "-y", "elfmem", "serve",\n "--project-scope" ]\n',
      'mcp_servers.elfmem = { command = \'npx\', args = ["-y", "elfmem", "serve", "--project-scope"] }\n',
    ]) {
      const at = world({ 'project/.codex/config.toml': own.startsWith('[') ? other + own : own + other })
      expect((await at.init('codex')).out).toContain('as it should be')
    }
    const at = world({
      'project/.codex/config.toml': `${other}[mcp_servers.elfmem]\ncommand = "old"\n[mcp_servers.elfmem.env]\nA = "b"\n\n[tui]\nx = 1\n`,
    })
    expect((await at.init('codex', '--force')).code).toBe(0)
    expect(at.read('project/.codex/config.toml')).toBe(
      `${other}[mcp_servers.elfmem]\ncommand = "npx"\nargs = ["-y", "elfmem", "serve", "--project-scope"]\n\n[tui]\nx = 1\n`,
    )
  })

  test('keeps the mode of a file, and makes what is the user’s for nobody else', async () => {
    const at = world({ 'project/.mcp.json': '{}', 'home/.claude.json': '{}' })
    chmodSync(join(at.project, '.mcp.json'), 0o640)
    chmodSync(join(at.home, '.claude.json'), 0o600)
    await at.init('claude-code,windsurf')
    await at.init('claude-code', '--user')
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
    expect(modeOf(join(at.project, '.mcp.json'))).toBe('640')
    expect(modeOf(join(at.home, '.claude.json'))).toBe('600')
    expect(modeOf(join(at.home, '.codeium/windsurf/mcp_config.json'))).toBe('600')
    const kept = join(at.home, '.elfmem/clients')
    expect(modeOf(kept)).toBe('700')
    expect(readdirSync(kept).map((name) => modeOf(join(kept, name)))).toEqual(Array(5).fill('600'))
  })

  test('writes nothing of elfmem into a project but the entries', async () => {
    const at = world({ 'project/.mcp.json': '{}' })
    await at.init('claude-code', '--rules')
    const names = readdirSync(at.project).sort()
    expect(names).toEqual(['.git', '.mcp.json', 'CLAUDE.md'])
  })

  test('shows no secret that stands beside its entry', async () => {
    const key = `sk-ant-api03-${'aB3dE6gH9'.repeat(10)}AA`
    const at = world({
      'project/.cursor/mcp.json': `{\n  "mcpServers": {\n    "a": { "env": { "API_KEY": "${key}" } }\n  }\n}\n`,
    })
    const { out } = await at.init('cursor')
    expect(out).toContain('[redacted')
    expect(out).not.toContain(key)
    expect(at.read('project/.cursor/mcp.json')).toContain(key)
  })

  test.each([
    [['--client', 'claude-cod'], 'Did you mean claude-code?'],
    [['--client', 'claude-code', '--project', '--user'], 'contradict'],
    [['--client', 'claude-code', '--scope', 'a', '--whole'], 'contradict'],
    [['--client', 'windsurf', '--project'], 'Leave out --project'],
    [['--client', 'claude-code', '--here'], 'means nothing with --client'],
    [['--rules'], 'needs --client'],
    [['--client', 'all'], 'No client was found'],
  ])('says of %j what is wrong with it', async (argv, said) => {
    const { code, err } = await world().run(['init', ...argv])
    expect(code).toBeGreaterThan(0)
    expect(err).toContain(said)
  })

  test('with all it sets up those that left a sign, and init without clients names them', async () => {
    const at = world({ 'home/.codex/auth.json': '{}', 'project/.vscode/settings.json': '{}' })
    expect((await at.run(['init'])).out).toContain('elfmem init --client codex,vscode')
    expect((await at.init('all')).code).toBe(0)
    const files = Object.keys(at.all())
    expect(files).toContain('project/.codex/config.toml')
    expect(files).toContain('project/.vscode/mcp.json')
    expect(files).not.toContain('project/.mcp.json')
  })

  test('nobody is asked about what was not shown, and --user leaves the project as it is', async () => {
    const at = world()
    const argv = ['--client', 'cursor', '--user', '--rules', '--quiet']
    const asked = await at.run(['init', ...argv], { answer: 'yes' })
    expect(asked.out).toContain('+++ ')
    expect(readdirSync(at.project)).toEqual(['.git'])
    expect(at.read('home/.cursor/mcp.json')).toContain('elfmem')
    expect((await at.run(['uninstall', '--client', 'all', '-q'], { answer: 'no' })).out).toContain('--- ')
    expect((await at.run(['uninstall', '--client', 'all', '-q', '--yes'])).out).toBe('')
  })

  test('needs a project for files of one, and in the home directory there is none', async () => {
    const at = world()
    const { code, err } = await at.run(['init', '--client', 'claude-code', '--project'], { cwd: at.home })
    expect([code, err]).toEqual([2, expect.stringContaining('no project here')])
    await at.run(['init', '--client', 'claude-code', '--yes'], { cwd: at.home })
    expect(at.read('home/.claude.json')).toContain('elfmem')
    expect(existsSync(join(at.home, '.mcp.json'))).toBe(false)
  })

  test('from a folder within a project changes the files at its top', async () => {
    const at = world({ 'project/packages/inner/package.json': '{}' })
    await at.run(['init', '--client', 'claude-code', '--yes'], { cwd: join(at.project, 'packages/inner') })
    expect(at.read('project/.mcp.json')).toContain('elfmem')
  })

  test('fits a terminal of 60 columns but for lines of the files', async () => {
    const at = world({ 'project/.mcp.json': '{ "mcpServers": { "elfmem": 1 } }' })
    const { out, err } = await at.run(['init', '--client', 'claude-code,windsurf'], {
      tty: true,
      columns: 60,
      answer: 'yes',
    })
    const said = stripVTControlCharacters(`${out}${err}`).split('\n')
    const own = said.filter((line) => !/^(?:[-+@ ]|.{0,4}\/|\{|.*(?:\/home\/|\/project\/))/.test(line))
    expect(own.length).toBeGreaterThan(2)
    expect(own.filter((line) => line.length > 60)).toEqual([])
  })

  test('says with the whole command how it is taken back, and what it refused also when it is to be quiet', async () => {
    const at = world({ 'project/.cursor/mcp.json': '[]' })
    expect((await at.init('gemini,claude-code')).out).toMatch(
      /`elfmem uninstall\s+--client\s+claude-code,gemini`/,
    )
    expect((await at.run(['uninstall', '--client', 'claude-code,gemini', '--yes'])).code).toBe(0)
    const { code, out, err } = await at.init('cursor,gemini', '-q')
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('.cursor/mcp.json')
    expect(err).toContain('To do it by hand:')
    const changed = at.read('project/.gemini/settings.json').replace('serve', 'other')
    at.write('project/.gemini/settings.json', changed)
    const left = await at.run(['uninstall', '--client', 'all', '--yes', '-q'])
    expect([left.code, left.out, left.err]).toEqual([1, '', expect.stringContaining('was changed since')])
    const dry = await at.run(['init', '--client', 'cursor', '--dry-run', '-q'])
    expect([dry.code, dry.out, dry.err]).toEqual([1, '', expect.stringContaining('.cursor/mcp.json')])
  })
})

test('what is said of a client holds where it was set up, and of one that was refused nothing is', async () => {
  const at = world({ 'home/.cursor/mcp.json': '[]' })
  const { out } = await at.run(['init', '--yes', '--user', '--client', 'claude-code,claude-desktop,cursor'], {
    columns: 1_000,
  })
  const said = out.slice(out.indexOf('wrote '))
  expect(said).toContain('Quit Claude Desktop')
  expect(said).not.toContain('Cursor')
  expect(said).not.toContain('asks at its next start')
  expect(said).toContain('`elfmem uninstall --client claude-code,claude-desktop` takes it back')
})

test('that a project has a scope is said only if a client serves it', async () => {
  const said = async (...argv: string[]) =>
    (await world().init(...argv)).out.includes('Memories of this project')
  expect(await said('windsurf')).toBe(false)
  expect(await said('windsurf,zed')).toBe(true)
})
