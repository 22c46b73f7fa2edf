import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

test.each(['init', 'trust'])(
  '%s puts ours in the place of an older .gitignore, and leaves one’s own',
  async (command) => {
    const at = await repository()
    const path = join(at.clone, '.elfmem', '.gitignore')
    writeFileSync(path, '*.db\n*.db-shm\n*.db-wal\n*.bak*\n')
    await here(at, command)
    expect(readFileSync(path, 'utf8')).toBe('*\n!config.yaml\n!.gitignore\n')
    writeFileSync(path, '# mine\n')
    await here(at, command)
    expect(readFileSync(path, 'utf8')).toBe('# mine\n')
  },
)

test('doctor warns of what git tracks of a memory, and says nothing where it tracks none', async () => {
  const at = await repository()
  expect((await here(at, 'doctor')).out).not.toContain('git')
  git(at, 'add', '-f', '.elfmem')
  const { out } = await here(at, 'doctor')
  expect(out).toMatch(/! git .*git tracks \d+ files of this memory: memory\.db/)
  expect(out).toContain('git rm --cached')
})

test('doctor runs nothing that a repository’s own configuration names', async () => {
  const at = await repository()
  const ran = join(at.home, 'ran')
  writeFileSync(join(at.home, 'hook.sh'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 })
  git(at, 'config', 'core.fsmonitor', join(at.home, 'hook.sh'))
  git(at, 'add', '-f', '.elfmem')
  expect(existsSync(ran)).toBe(true)
  rmSync(ran)
  expect((await cli(at, 'doctor')).out).toContain('git tracks')
  expect(existsSync(ran)).toBe(false)
})
