import { expect, test } from 'vitest'
import { callsMemory, gitActsIn, programOf } from './commands.ts'

const COMMIT = { does: 'commit' }
const REVERT = { does: 'revert' }
const discard = (...paths: readonly string[]) => ({ does: 'discard', paths })

test.each([
  ['git commit -m "ship it"', [COMMIT]],
  ['npm test && git -C ../app commit -am done', [COMMIT]],
  ['cd app; GIT_EDITOR=true git -c user.name=a commit --amend --no-edit', [COMMIT]],
  ['git commit --dry-run', []],
  ['echo "git commit -m x" && ls', []],
  ["grep 'a; git commit' notes", []],
  ['git revert --no-edit HEAD', [REVERT]],
  ['git revert 1a2b3c4', []],
  ['git reset --hard HEAD~1', [REVERT]],
  ['git reset --hard @^', [REVERT]],
  ['git reset --hard', [discard()]],
  ['git reset --hard 1a2b3c4', []],
  ['git reset HEAD~1', []],
  ['git checkout -- src/a.ts "src/b c.ts"', [discard('src/a.ts', 'src/b c.ts')]],
  ['git checkout -- .', [discard()]],
  ['git checkout main', []],
  ['git restore src/a.ts', [discard('src/a.ts')]],
  ['git restore --staged src/a.ts', []],
  ['git commit -am x && git revert HEAD', [COMMIT, REVERT]],
  ['digit commit', []],
  ['git', []],
  ['', []],
])('gitActsIn of %j gives %j', (line, acts) => {
  expect(gitActsIn(line)).toEqual(acts)
})

test.each([
  ['npm test', 'npm test'],
  ['git -C app push origin main', 'git push'],
  ['npx -y vitest run', 'npx vitest'],
  ['git', 'git'],
  ['cd app && ./scripts/ship.sh --port 4210', 'ship.sh'],
  ['PORT=4210 node server.js', 'node'],
  ['A=1', ''],
  ["'/usr/bin/my tool' x", 'my tool'],
])('programOf of %j gives %j', (line, program) => {
  expect(programOf(line)).toBe(program)
})

test('callsMemory is true of a line that runs elfmem, not of one that mentions it', () => {
  expect(callsMemory('elfmem outcome c1760a95 0')).toBe(true)
  expect(callsMemory('cd x && npx elfmem show c1760a95')).toBe(true)
  for (const line of ['npx -y elfmem@1 show a1', 'pnpm dlx elfmem ls', 'deno run -A npm:elfmem ls'])
    expect(callsMemory(line)).toBe(true)
  for (const line of ['grep elfmem README.md docs', 'npm install elfmem', 'npx elfmem-like x'])
    expect(callsMemory(line)).toBe(false)
})
