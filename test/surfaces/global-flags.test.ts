import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

test.each(['a b', '', 'x'.repeat(130)])(
  'the scope %j is refused before anything is written or served',
  async (scope) => {
    const home = temporaryDirectory()
    for (const argv of [['init', '--client', 'claude-code', '--yes'], ['serve'], ['review']]) {
      const { code } = await elfmem([...argv, '--scope', scope], { home })
      expect([argv, code]).toEqual([argv, 2])
    }
    expect(readdirSync(home)).toEqual([])
  },
)
