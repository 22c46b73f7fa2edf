import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

test('--db, --json and -q may stand before the command', async () => {
  const home = temporaryDirectory()
  const db = join(home, 'other.db')
  await elfmem(['--db', db, 'remember', 'Tea is at four'], { home })
  const { code, out } = await elfmem(['--json', `--db=${db}`, '-q', 'ls', '--status', 'inbox'], { home })
  expect([code, JSON.parse(out).blocks.length]).toEqual([0, 1])
  expect((await elfmem(['--db', db, 'recall', 'when is tea'], { home })).out).toContain('Tea is at four')
})

test('a flag of a command before the command is refused', async () => {
  const { code, err } = await elfmem(['--scope', 'x', 'ls'], { home: temporaryDirectory() })
  expect([code, err]).toEqual([2, expect.stringContaining('command first')])
})

test.each(['a b', '', 'x'.repeat(130)])(
  'the scope %j is refused before anything is written or served',
  async (scope) => {
    const home = temporaryDirectory()
    for (const argv of [['init', '--client', 'claude-code', '--yes'], ['serve'], ['watch'], ['review']]) {
      const { code } = await elfmem([...argv, '--scope', scope], { home })
      expect([argv, code]).toEqual([argv, 2])
    }
    expect(readdirSync(home)).toEqual([])
  },
)
