import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cli, everything, here, type Machine, machine } from './stranger.ts'

const git = (at: Machine, ...argv: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...argv], {
    cwd: at.clone,
    env: { PATH: process.env.PATH ?? '', HOME: at.home },
    encoding: 'utf8',
  })

/** A repository with a memory that has all the files a memory can have. */
async function repository(): Promise<Machine> {
  const at = machine({ 'README.md': 'x' })
  rmSync(join(at.clone, '.git'), { recursive: true })
  git(at, 'init', '-q')
  await here(at, 'init')
  for (const told of ['Tea is at four', 'Milk is in the cellar']) await here(at, 'remember', told)
  await here(at, 'dream')
  await here(at, 'backup')
  await here(at, 'export', '--name', 'all.jsonl')
  for (const ending of ['-index', '-index-0123', '-wal', '-shm'])
    writeFileSync(join(at.clone, '.elfmem', `memory.db${ending}`), '', { flag: 'a' })
  return at
}

const staged = (at: Machine) => git(at, 'ls-files').trim().split('\n')

test('git add -A in a project with a memory takes its config and nothing of its words', async () => {
  const at = await repository()
  expect(
    everything(join(at.clone, '.elfmem')).filter((name) => /exports\/|backups\//.test(name)),
  ).toHaveLength(2)
  git(at, 'add', '-A')
  expect(staged(at)).toEqual(['.elfmem/.gitignore', '.elfmem/config.yaml', 'README.md'])
})

const OURS = '*\n!config.yaml\n!.gitignore\n'
const ignoreOf = (at: Machine) => join(at.clone, '.elfmem', '.gitignore')

test.each(['init', 'trust'])('%s puts ours in the place of an older .gitignore', async (command) => {
  const at = await repository()
  writeFileSync(ignoreOf(at), '*.db\n*.db-shm\n*.db-wal\n*.bak*\n')
  await here(at, command)
  expect(readFileSync(ignoreOf(at), 'utf8')).toBe(OURS)
})

test('a .gitignore of one’s own that ignores as much stays', async () => {
  const at = await repository()
  for (const text of [`# mine\r\n${OURS.replaceAll('\n', '\r\n')}`, '!*\n*\n!/config.yaml\nnotes\n', '*']) {
    writeFileSync(ignoreOf(at), text)
    await here(at, 'trust')
    expect(readFileSync(ignoreOf(at), 'utf8')).toBe(text)
  }
})

/** A clone whose `.elfmem` came with a `.gitignore` of a stranger's. */
async function cloned(make: (path: string) => void): Promise<Machine> {
  const at = machine({ 'README.md': 'x', '.elfmem/config.yaml': 'project: { agent_name: Eve }' })
  rmSync(join(at.clone, '.git'), { recursive: true })
  git(at, 'init', '-q')
  make(ignoreOf(at))
  return at
}

test.each([
  ['takes all', '!*\n'],
  ['is empty', ''],
  ['takes the memory back', '*\n!config.yaml\n!.gitignore\n!memory.db\n'],
  ['takes it back by another name', '*\n!mem*\n'],
  ['speaks of the config alone', '# mine\n!config.yaml\n'],
])('a .gitignore of a stranger’s that %s puts no memory into git, and is kept', async (_, text) => {
  const at = await cloned((path) => writeFileSync(path, text))
  git(at, 'add', '-A')
  const { code, err } = await here(at, 'trust')
  expect([code, err]).toEqual([0, expect.stringContaining('ours is in its place')])
  await here(at, 'remember', 'Tea is at four')
  git(at, 'add', '-A')
  expect(staged(at)).toEqual(['.elfmem/.gitignore', '.elfmem/config.yaml', 'README.md'])
  expect(git(at, 'show', ':.elfmem/.gitignore')).toBe(OURS)
  const kept = readdirSync(join(at.clone, '.elfmem')).find((name) => name.includes('.before-')) ?? ''
  expect(readFileSync(join(at.clone, '.elfmem', kept), 'utf8')).toBe(text)
})

test.each([
  ['a folder', (path: string) => void mkdirSync(path)],
  ['a dangling link', (path: string) => symlinkSync('nowhere', path)],
  ['a link to a file', (path: string) => symlinkSync('../README.md', path)],
  ['a named pipe', (path: string) => void execFileSync('mkfifo', [path])],
])('a project whose .gitignore is %s is not trusted before it is removed', async (_, make) => {
  const at = await cloned(make)
  const { code, err } = await here(at, 'trust')
  expect([code, err]).toEqual([1, expect.stringMatching(/\.gitignore is (a link|no regular file)/)])
  await here(at, 'remember', 'Tea is at four')
  expect(existsSync(join(at.clone, '.elfmem', 'memory.db'))).toBe(false)
  rmSync(ignoreOf(at), { recursive: true })
  expect((await here(at, 'trust')).code).toBe(0)
  expect(statSync(ignoreOf(at)).isFile()).toBe(true)
})

/** Runs what stands between backticks in the advice of a check, in its order. */
async function follow(at: Machine, out: string): Promise<void> {
  const advice = out.slice(out.indexOf('! git'))
  for (const [, command = ''] of advice.matchAll(/`((?:git|elfmem|printf) [^`]*)`/g)) {
    const path = /^elfmem trust (.*)$/.exec(command)?.[1]
    if (path === undefined)
      execFileSync('sh', ['-c', command], { env: { PATH: process.env.PATH ?? '', HOME: at.home } })
    else expect((await here(at, 'trust', path)).code).toBe(0)
  }
}

test('doctor warns of what git tracks of a memory, says nothing where it tracks none, and its advice helps', async () => {
  const at = await repository()
  expect((await here(at, 'doctor')).out).not.toContain('git')
  git(at, 'add', '-f', '.elfmem')
  const { out } = await here(at, 'doctor')
  expect(out).toMatch(/! git .*git tracks \d+ files of this memory: memory\.db/)
  await follow(at, out)
  expect((await here(at, 'doctor')).out).not.toContain('git')
  git(at, 'add', '-A')
  expect(staged(at)).toEqual(['.elfmem/.gitignore', '.elfmem/config.yaml', 'README.md'])
})

test.each(['trust', 'init'])(
  '%s says that git has a memory already, and its advice keeps new words out of a commit',
  async (command) => {
    const at = await repository()
    git(at, 'add', '-f', '.')
    git(at, 'commit', '-qm', 'theirs')
    const told = async () => {
      const { out, err } = await here(at, command)
      return out + err
    }
    const [, advice = ''] =
      /git tracks \d+ files of this memory: memory\.db.*`(git [^`]*)`/.exec(await told()) ?? []
    expect(advice).toContain('rm -r --cached')
    await here(at, 'remember', 'Ottokar is at five')
    execFileSync('sh', ['-c', advice], { env: { PATH: process.env.PATH ?? '', HOME: at.home } })
    git(at, 'add', '-A')
    git(at, 'commit', '-qm', 'mine')
    expect(git(at, 'ls-tree', '-r', '--name-only', 'HEAD')).not.toContain('memory.db')
    expect(existsSync(join(at.clone, '.elfmem', 'memory.db'))).toBe(true)
    expect(await told()).not.toContain('git tracks')
  },
)

test('doctor warns of a memory that git would take, and its advice helps', async () => {
  const at = await repository()
  writeFileSync(ignoreOf(at), '!*\n')
  const { out } = await here(at, 'doctor')
  expect(out).toMatch(/! git .*git does not ignore this memory, and would take \d+ files of it: memory\.db/)
  await follow(at, out)
  expect((await here(at, 'doctor')).out).not.toContain('git')
  const named = join(at.clone, 'notes of mine.db')
  await here(at, 'remember', 'Tea is at four', '--db', named)
  for (const stage of [() => undefined, () => git(at, 'add', '-f', named)]) {
    stage()
    const told = (await here(at, 'doctor', '--db', named)).out
    expect(told).toContain('! git')
    await follow(at, told)
    expect((await here(at, 'doctor', '--db', named)).out).not.toContain('git')
  }
})

test('what looks into git runs nothing that a repository’s own configuration names', async () => {
  const at = await repository()
  const ran = join(at.home, 'ran')
  writeFileSync(join(at.home, 'hook.sh'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 })
  git(at, 'config', 'core.fsmonitor', join(at.home, 'hook.sh'))
  git(at, 'add', '-f', '.elfmem')
  expect(existsSync(ran)).toBe(true)
  rmSync(ran)
  for (const command of ['doctor', 'trust', 'init']) {
    const { out, err } = await cli(at, command)
    expect(out + err).toContain('git tracks')
  }
  expect(existsSync(ran)).toBe(false)
})
