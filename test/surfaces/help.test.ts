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

test.each([40, 80])(
  'every page of help fits a terminal of %i columns, but for a command to copy',
  async (columns) => {
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
  },
)

test('help says of a flag that switches something off what holds with it', async () => {
  const { out } = await elfmem(['recall', '--help'], { home: temporaryDirectory() })
  expect(out).toMatch(/--no-ids +In text, end no entry with the id/)
  expect(out).toMatch(/--no-reinforce +Change nothing at all/)
  for (const { name } of operations) {
    const { out: page } = await elfmem([kebabCase(name), '--help'], { home: temporaryDirectory() })
    expect(page).not.toMatch(/--no-[\w-]+ *$/m)
  }
})

test('help of a command names the flags that it takes, each once', async () => {
  const { out } = await elfmem(['serve', '--help'], { home: temporaryDirectory() })
  expect(out.match(/--as /g)).toHaveLength(1)
  expect(out).not.toContain('--json')
  const { out: page } = await elfmem(['config', '--help'], { home: temporaryDirectory() })
  expect(page).toMatch(/--json +print the result as JSON/)
  expect(page).not.toContain('--as ')
})

test('a list of sentences is given a flag for each, as its help says', async () => {
  const home = temporaryDirectory()
  expect((await elfmem(['setup', '--help'], { home })).out).toContain('--values <text> …')
  await elfmem(['setup', '--values', 'Patience,candour', '--values', 'Be kind, be brief'], { home })
  const { out } = await elfmem(['inbox', '--json'], { home })
  expect(JSON.parse(out).blocks.map(({ content }: { content: string }) => content)).toEqual([
    'Patience,candour',
    'Be kind, be brief',
  ])
})
