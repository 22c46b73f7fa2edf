import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { here, type Machine, machine } from './stranger.ts'

const git = (at: Machine, ...argv: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...argv], {
    cwd: at.clone,
    env: { PATH: process.env.PATH ?? '', HOME: at.home },
    encoding: 'utf8',
  })

function repository(files: Readonly<Record<string, string>> = {}): Machine {
  const at = machine({ 'README.md': 'x', ...files })
  rmSync(join(at.clone, '.git'), { recursive: true })
  git(at, 'init', '-q')
  return at
}

const staged = (at: Machine) => git(at, 'ls-files').trim().split('\n')
const WORDLESS = ['.elfmem/.gitignore', '.elfmem/config.yaml', 'README.md']

test('git add -A in a project with a memory, a backup and an export stages none of their words', async () => {
  const at = repository()
  await here(at, 'init')
  for (const command of [['remember', 'Tea is at four'], ['dream'], ['backup'], ['export']])
    await here(at, ...command)
  git(at, 'add', '-A')
  expect(staged(at)).toEqual(WORDLESS)
})

test.each(['!*\n', '', '*\n!config.yaml\n!.gitignore\n!memory.db\n', '*\n!mem*\n'])(
  'trust replaces a .gitignore of a stranger that lets the memory in: %j',
  async (text) => {
    const at = repository({
      '.elfmem/config.yaml': 'project: { agent_name: Eve }',
      '.elfmem/.gitignore': text,
    })
    expect((await here(at, 'trust')).code).toBe(0)
    await here(at, 'remember', 'Tea is at four')
    git(at, 'add', '-A')
    expect(staged(at)).toEqual(WORDLESS)
  },
)
