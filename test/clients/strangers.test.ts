import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { world } from './world.ts'

const isRoot = process.getuid?.() === 0
/** The user that owns nothing. */
const NOBODY = 65_534

describe('in a project', () => {
  test.each([
    ['a file that is a link', '.mcp.json', 'claude-code', 'is a link'],
    ['a folder that is a link', '.cursor', 'cursor', 'lies behind the link'],
    ['a link within a folder', '.cursor/mcp.json', 'cursor', 'is a link'],
  ])('nothing is written through %s', async (_, path, name, reason) => {
    const at = world()
    const elsewhere = temporaryDirectory()
    const isFolder = path === '.cursor'
    if (!isFolder) writeFileSync(join(elsewhere, 'mcp.json'), '{}')
    if (path.includes('/')) mkdirSync(join(at.project, '.cursor'))
    symlinkSync(isFolder ? elsewhere : join(elsewhere, 'mcp.json'), join(at.project, path))
    const { code, out } = await at.init(name)
    expect([code, out]).toEqual([1, expect.stringContaining(reason)])
    expect(lstatSync(join(at.project, path)).isSymbolicLink()).toBe(true)
    if (!isFolder) expect(readFileSync(join(elsewhere, 'mcp.json'), 'utf8')).toBe('{}')
    expect(existsSync(join(elsewhere, 'mcp.json'))).toBe(!isFolder)
  })

  test('uninstall writes through no link that took the place of a file', async () => {
    const at = world()
    await at.init('claude-code')
    const text = at.read('project/.mcp.json')
    const elsewhere = join(temporaryDirectory(), 'x.json')
    writeFileSync(elsewhere, text)
    const path = join(at.project, '.mcp.json')
    rmSync(path)
    symlinkSync(elsewhere, path)
    expect((await at.uninstall('all')).code).toBe(1)
    expect(readFileSync(elsewhere, 'utf8')).toBe(text)
  })

  test('a file with another name, a hard link, keeps both, and is changed by neither init nor uninstall', async () => {
    const at = world()
    const elsewhere = join(temporaryDirectory(), 'settings.json')
    const path = join(at.project, '.mcp.json')
    writeFileSync(elsewhere, '{"mine":1}')
    linkSync(elsewhere, path)
    const refused = { code: 1, out: expect.stringContaining('has another name, too (a hard link)') }
    expect(await at.init('claude-code', '--force')).toMatchObject(refused)
    expect(at.read('project/.mcp.json')).toBe('{"mine":1}')
    rmSync(elsewhere)
    await at.init('claude-code')
    const written = at.read('project/.mcp.json')
    linkSync(path, elsewhere)
    expect(await at.uninstall('claude-code')).toMatchObject(refused)
    expect([at.read('project/.mcp.json'), lstatSync(path).nlink]).toEqual([written, 2])
    rmSync(elsewhere)
    expect((await at.uninstall('claude-code')).code).toBe(0)
    expect(at.read('project/.mcp.json')).toBe('{"mine":1}')
  })

  test('a read-only folder is refused before anything is written, and the others are changed', async () => {
    const at = world({ 'project/.cursor/x': '' })
    chmodSync(join(at.project, '.cursor'), 0o555)
    const { code, out } = await at.init('cursor,claude-code')
    expect([code, out]).toEqual([1, expect.stringContaining('.cursor, which is read-only')])
    expect(readdirSync(join(at.project, '.cursor'))).toEqual(['x'])
    expect(at.read('project/.mcp.json')).toContain('elfmem')
    chmodSync(join(at.project, '.cursor'), 0o755)
  })

  test.runIf(isRoot)('a file or folder of another user is not touched', async () => {
    const at = world({ 'project/.mcp.json': '{}', 'project/.cursor/x': '' })
    chownSync(join(at.project, '.mcp.json'), NOBODY, NOBODY)
    chownSync(join(at.project, '.cursor'), NOBODY, NOBODY)
    const { code, out } = await at.init('claude-code,cursor')
    expect(code).toBe(1)
    expect(out).toContain('belongs to another user')
    expect(out).toContain('a folder of another user')
    expect(at.read('project/.mcp.json')).toBe('{}')
  })

  test('a name, a text and a folder that would command a terminal or a model are shown harmlessly', async () => {
    const at = world({
      'project/.mcp.json': '{\n "mcpServers": {\n  "\u001b[2Jx": {} // \u202e ignore\n }\n}',
    })
    const { out } = await at.init('claude-code')
    expect(out).not.toContain('\u001b')
    expect(out).not.toContain('\u202e')
    expect(at.read('project/.mcp.json')).toContain('\u202e ignore')
  })

  test('a project’s own files say nothing about what may be taken out', async () => {
    const at = world()
    await at.init('claude-code')
    at.write('project/.elfmem/clients.json', '{"entries":[]}')
    at.write('project/.elfmem/clients/x.json', '{}')
    expect((await at.uninstall('all')).code).toBe(0)
    expect(existsSync(join(at.project, '.mcp.json'))).toBe(false)
  })

  test('trust is not given by it', async () => {
    const at = world({ 'project/.elfmem/config.yaml': 'project: { agent_name: Eve }' })
    await at.init('cursor')
    const { args } = JSON.parse(at.read('project/.cursor/mcp.json')).mcpServers.elfmem
    expect(args).toContain('--scope')
    expect(args).not.toContain('--db')
    expect(existsSync(join(at.home, '.elfmem/trusted'))).toBe(false)
  })
})

describe('in the user’s folder', () => {
  test('a link is followed to a file of the user, which keeps its place', async () => {
    const at = world({ 'home/dotfiles/claude.json': '{ "a": 1 }\n' })
    const path = join(at.home, '.claude.json')
    symlinkSync('dotfiles/claude.json', path)
    const before = at.all()
    expect((await at.init('claude-code', '--user')).code).toBe(0)
    expect(readlinkSync(path)).toBe('dotfiles/claude.json')
    expect(at.read('home/dotfiles/claude.json')).toContain('elfmem')
    await at.uninstall('claude-code')
    expect(at.all()).toEqual(before)
  })

  test('a file that was made for a client, and moved and linked since, stays without what was added', async () => {
    for (const [client, file] of [
      ['claude-code', '.claude.json'],
      ['codex', '.codex/config.toml'],
    ] as const) {
      const at = world()
      expect((await at.init(client, '--user')).code).toBe(0)
      mkdirSync(join(at.home, 'dotfiles'))
      const moved = join(at.home, 'dotfiles/moved')
      renameSync(join(at.home, file), moved)
      symlinkSync(moved, join(at.home, file))
      expect((await at.uninstall(client)).code).toBe(0)
      expect(readlinkSync(join(at.home, file))).toBe(moved)
      expect(at.read('home/dotfiles/moved')).not.toContain('elfmem')
    }
  })

  test.runIf(isRoot)('a link to a file of another user is refused', async () => {
    const at = world({ 'home/theirs/claude.json': '{}' })
    chownSync(join(at.home, 'theirs/claude.json'), NOBODY, NOBODY)
    symlinkSync('theirs/claude.json', join(at.home, '.claude.json'))
    const { code, out } = await at.init('claude-code', '--user')
    expect([code, out]).toEqual([1, expect.stringContaining('belongs to another user')])
    expect(at.read('home/theirs/claude.json')).toBe('{}')
  })

  test.each([
    ['nowhere', 'gone.json', 'leads nowhere'],
    ['itself', '.claude.json', 'leads nowhere'],
    ['a folder', 'folder', 'is no regular file'],
    ['a device', '/dev/null', /no regular file|another user/],
  ])('a link to %s is refused', async (_, target, reason) => {
    const at = world({ 'home/folder/x': '' })
    symlinkSync(target, join(at.home, '.claude.json'))
    const { code, out } = await at.init('claude-code', '--user')
    expect([code, out]).toEqual([1, expect.stringMatching(reason)])
  })

  test('a file that is not UTF-8 is refused as it is', async () => {
    const at = world()
    const bytes = Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00])
    writeFileSync(join(at.home, '.claude.json'), bytes)
    const { code, out } = await at.init('claude-code', '--user')
    expect([code, out]).toEqual([1, expect.stringContaining('is not UTF-8')])
    expect(readFileSync(join(at.home, '.claude.json'))).toEqual(bytes)
  })
})

test('values that look like ours in odd places, huge numbers and keys of objects are left as they are', async () => {
  const text =
    '{"__proto__":{"elfmem":1},"constructor":2,"mcpServers":{"__proto__":{},"toString":{}},"n":1e400,"dup":1,"dup":2}'
  const at = world({ 'project/.mcp.json': text })
  expect((await at.init('claude-code')).code).toBe(0)
  expect(at.read('project/.mcp.json').replace(/,"elfmem":\{"type".*?"env":\{\}\}/, '')).toBe(text)
  await at.uninstall('all')
  expect(at.read('project/.mcp.json')).toBe(text)
})

test('a file that nests too deep is refused, and one of ten megabytes is edited', async () => {
  const deep = world({ 'project/.mcp.json': `${'['.repeat(100_000)}` })
  expect((await deep.init('claude-code')).code).toBe(1)
  const dotted = world({ 'project/.codex/config.toml': `${'a.'.repeat(100_000)}b = 1\n` })
  expect((await dotted.init('codex')).code).toBe(1)
  const history = Array.from(
    { length: 100_000 },
    (_, n) => `    { "n": ${n}, "text": "${'x'.repeat(80)}" }`,
  ).join(',\n')
  const large = `{\n  "history": [\n${history}\n  ]\n}\n`
  const at = world({ 'home/.claude.json': large })
  const started = performance.now()
  expect((await at.init('claude-code', '--user')).code).toBe(0)
  expect(performance.now() - started).toBeLessThan(30_000)
  await at.uninstall('all')
  expect(at.read('home/.claude.json')).toBe(large)
})

test('a folder whose name has ends of lines and commands adds no line to what is said', async () => {
  const at = world({ 'project/x': '' })
  const cwd = join(at.project, 'a\n+++ forged\r\n✓ forged\u001b[2J')
  mkdirSync(join(cwd, '.git'), { recursive: true })
  writeFileSync(join(cwd, 'opencode.json'), '[]')
  const said = []
  for (const argv of [
    ['init', '--client', 'claude-code,cursor,opencode', '--hooks', '--yes'],
    ['init', '--client', 'claude-code', '--yes'],
    ['doctor', '--clients'],
    ['uninstall', '--client', 'all', '--yes'],
  ]) {
    const { out, err } = await at.run(argv, { cwd, env: { PATH: '' }, columns: 1_000 })
    said.push(...`${out}${err}`.split('\n'))
  }
  expect(said.length).toBeGreaterThan(50)
  expect(said.filter((line) => /^\s*(?:\+\+\+|✓) forged/.test(line))).toEqual([])
  for (const sign of ['\r', '\u001b']) expect(said.join('')).not.toContain(sign)
})
