import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { projectIdentity } from './identity.ts'

const HOME = '/nobody/home'

function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'elfmem-identity-')))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const made = (...parts: readonly string[]): string => {
  const path = join(...parts)
  mkdirSync(path, { recursive: true })
  return path
}

const scopeOf = (cwd: string, home = HOME) => projectIdentity({ cwd, home }).scope

function git(cwd: string, ...args: readonly string[]): void {
  const name = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid']
  execFileSync('git', [...name, ...args], { cwd, stdio: 'ignore' })
}

/** A repository with one commit. */
function repository(...parts: readonly string[]): string {
  const path = made(...parts)
  git(path, 'init', '-q')
  git(path, 'commit', '-q', '--allow-empty', '-m', 'first')
  return path
}

test('all folders of a repository are one project, and two repositories are two', () => {
  const top = folder()
  const one = repository(top, 'one')
  const inner = made(one, 'packages', 'inner')
  writeFileSync(join(inner, 'package.json'), '{}')
  expect(projectIdentity({ cwd: inner, home: HOME })).toEqual(projectIdentity({ cwd: one, home: HOME }))
  expect(projectIdentity({ cwd: inner, home: HOME }).root).toBe(one)
  expect(scopeOf(repository(top, 'two'))).not.toBe(scopeOf(one))
})

test('worktrees of one repository are one project', () => {
  const top = folder()
  const one = repository(top, 'one')
  git(one, 'worktree', 'add', '-q', '-b', 'tree', join(top, 'other place'))
  const tree = made(top, 'other place', 'src')
  expect(scopeOf(tree)).toBe(scopeOf(one))
  expect(projectIdentity({ cwd: tree, home: HOME }).root).toBe(join(top, 'other place'))
})

test('a folder that only says that it is a worktree of a repository does not get its memories', () => {
  const top = folder()
  const victim = repository(top, 'victim')
  git(victim, 'worktree', 'add', '-q', join(top, 'tree'))
  const foreign = made(top, 'foreign')
  for (const gitdir of [join(victim, '.git/worktrees/tree'), join(victim, '.git'), '../victim/.git']) {
    writeFileSync(join(foreign, '.git'), `gitdir: ${gitdir}\n`)
    expect(scopeOf(foreign), gitdir).not.toBe(scopeOf(victim))
  }
  // Everything that a download can bring, down to the file that points back.
  const fake = made(foreign, 'fake', 'worktrees', 'x')
  writeFileSync(join(fake, 'gitdir'), `${join(foreign, '.git')}\n`)
  writeFileSync(join(fake, 'commondir'), `${join(victim, '.git')}\n`)
  writeFileSync(join(foreign, '.git'), `gitdir: ${fake}\n`)
  expect(scopeOf(foreign)).not.toBe(scopeOf(victim))
  rmSync(join(foreign, '.git'))
  symlinkSync(join(victim, '.git'), join(foreign, '.git'))
  expect(scopeOf(foreign)).not.toBe(scopeOf(victim))
})

test('a link to a project leads to the same project, and a project that moved is another one', () => {
  const top = folder()
  const one = repository(top, 'one')
  symlinkSync(one, join(top, 'link'))
  expect(scopeOf(join(top, 'link'))).toBe(scopeOf(one))
  const before = scopeOf(one)
  renameSync(one, join(top, 'moved'))
  expect(scopeOf(join(top, 'moved'))).not.toBe(before)
})

test('the home directory is no project, whatever lies in it', () => {
  const home = repository(folder(), 'home')
  const project = made(home, 'project')
  expect(projectIdentity({ cwd: project, home }).root).toBe(project)
  expect(scopeOf(project, home)).not.toBe(scopeOf(home, home))
})

test.each([
  ['a;$(touch$IFS.PWNED);b', 'a---touch-IFS.PWNED--b'],
  ['--flag', 'flag'],
  ['日本 語', '日本-語'],
  ['line\nbreak\'"`', 'line-break---'],
  ['…', 'project'],
])('of the folder %j the scope has only letters, digits and signs that no shell obeys', (name, first) => {
  expect(scopeOf(made(folder(), name))).toMatch(new RegExp(`^${first.replace('.', '\\.')}-[0-9a-f]{16}$`))
})
