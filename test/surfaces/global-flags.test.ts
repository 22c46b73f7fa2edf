import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

test('flags of every command may stand before it', async () => {
  const home = temporaryDirectory()
  const db = join(home, 'other.db')
  await elfmem(['--db', db, 'remember', 'Tea is at four'], { home })
  const { code, out } = await elfmem(['--json', `--db=${db}`, '-q', 'ls', '--status', 'inbox'], { home })
  expect([code, JSON.parse(out).blocks.length]).toEqual([0, 1])
  expect((await elfmem(['--db', db, 'recall', 'when is tea'], { home })).out).toContain('Tea is at four')
})

test.each([
  [['--memory', 'x.db', 'recall', 'y'], 'Did you mean --db?'],
  [['recall', 'y', '--memory', 'x.db'], 'Did you mean --db?'],
  [['--jsn', 'ls'], 'Did you mean --json? Other flags stand behind the command.'],
  [['--scope', 'x', 'ls'], 'Name the command first'],
])('of %j the command line says which flag is meant', async (argv, meant) => {
  const { code, err } = await elfmem(argv, { home: temporaryDirectory() })
  expect(code).toBe(2)
  expect(err).toContain(meant)
})

test.each([[['hook', '--unknown']], [['hook', 'claude-code', '--client', 'x']]])(
  'a hook that is called wrongly never ends with what forbids its client to go on: %j',
  async (argv) => {
    const { code, err } = await elfmem(argv, { home: temporaryDirectory() })
    expect(code).toBe(1)
    expect(err).toContain('--help')
  },
)

test.each(['a b', '', 'x'.repeat(130)])(
  'what is no scope is refused before anything is written or served: %j',
  async (scope) => {
    const home = temporaryDirectory()
    for (const argv of [
      ['init', '--client', 'claude-code', '--yes'],
      ['serve'],
      ['serve', '--http'],
      ['watch'],
      ['review'],
    ]) {
      const { code, err } = await elfmem([...argv, '--scope', scope], { home })
      expect([argv, code]).toEqual([argv, 2])
      expect(err).toContain('is no scope')
    }
    expect(readdirSync(home)).toEqual([])
  },
)
