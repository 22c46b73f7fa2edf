import { expect, test } from 'vitest'
import { kebabCase } from '../../src/adapters/project/spelling.ts'
import { operations } from '../../src/operations/table.ts'
import { COMMANDS } from '../../src/surfaces/cli/commands.ts'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

const pages = [
  [],
  ...['all', ...operations.map(({ name }) => kebabCase(name)), ...COMMANDS.map(({ name }) => name)].map(
    (name) => [name],
  ),
]

test.each([40, 80])('every page of help fits %i columns, but for its example', async (columns) => {
  for (const page of pages) {
    const { out } = await elfmem(['help', ...page], {
      home: temporaryDirectory(),
      env: { NO_COLOR: '1' },
      tty: true,
      columns,
    })
    const [before = ''] = out.split('Example\n')
    expect(before.split('\n').length).toBeGreaterThan(4)
    expect(before.split('\n').filter((line) => line.length > columns)).toEqual([])
  }
})

test('help explains every --no flag', async () => {
  const { out } = await elfmem(['recall', '--help'], { home: temporaryDirectory() })
  expect(out).toMatch(/--no-reinforce +\w/)
  for (const { name } of operations) {
    const { out: page } = await elfmem([kebabCase(name), '--help'], { home: temporaryDirectory() })
    expect(page).not.toMatch(/--no-[\w-]+ *$/m)
  }
})
