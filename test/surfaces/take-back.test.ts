import { join } from 'node:path'
import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

test('a terminal is told in one line how to take exactly this back, and the command does it', async () => {
  const home = temporaryDirectory()
  const { out } = await elfmem(['remember', 'Tea is at four'], { home, tty: true })
  const [said, number] = /^elfmem undo (\d+) takes it back\.$/m.exec(out) ?? []
  expect(said).toBeDefined()
  await elfmem(['remember', 'Milk is in the cellar'], { home })
  await elfmem(['undo', number!], { home })
  const { out: left } = await elfmem(['ls', '--status', 'inbox'], { home })
  expect(left).toContain('Milk is in the cellar')
  expect(left).not.toContain('Tea is at four')
})

test('a command about another memory says so in the line that takes it back', async () => {
  const home = temporaryDirectory()
  const file = join(home, 'other memory.db')
  const { out } = await elfmem(['--db', file, 'remember', 'Tea is at four'], { home, tty: true })
  expect(out).toMatch(new RegExp(`^elfmem undo \\d+ --db '${file}' takes it back\\.$`, 'm'))
})

test.for([
  ['quiet', ['--quiet'], true],
  ['not a terminal', [], false],
] as const)('what is %s gets no such line', async ([, flags, tty]) => {
  const home = temporaryDirectory()
  const { out } = await elfmem([...flags, 'remember', 'Tea is at four'], { home, tty })
  expect(out).not.toContain('takes it back')
})

test('a program gets the number in JSON, and nothing but JSON', async () => {
  const home = temporaryDirectory()
  const { out } = await elfmem(['--json', 'remember', 'Tea is at four'], { home, tty: true })
  expect(JSON.parse(out).operation_id).toBeTypeOf('number')
})

test('what changed nothing, or says it already, is followed by no such line', async () => {
  const home = temporaryDirectory()
  await elfmem(['remember', 'Tea is at four'], { home })
  for (const looked of [['recall', 'tea'], ['dream', '--help'], ['status']])
    expect((await elfmem(looked, { home, tty: true })).out).not.toContain('takes it back')
  const { out } = await elfmem(['undo'], { home, tty: true })
  expect(out.match(/elfmem undo \d+/g)).toHaveLength(1)
})

test('the number alone shows one entry, and with its changes what was before and after in words', async () => {
  const home = temporaryDirectory()
  const ids: string[] = []
  // They share no word, so that the dream joins them by nothing.
  for (const said of ['Tea is at four', 'Copper pipes leak']) {
    const { out } = await elfmem(['--json', 'remember', said], { home })
    ids.push(JSON.parse(out).block_id)
  }
  await elfmem(['dream'], { home })
  const [tea = '', milk = ''] = ids
  const numberOf = async (...argv: string[]) =>
    String(JSON.parse((await elfmem(['--json', ...argv], { home })).out).operation_id)
  const edited = await numberOf('edit', tea, '--content', 'Tea is at five')
  const shown = await elfmem(['history', edited, '--changes'], { home })
  expect(shown.out).toContain('words "Tea is at four" → "Tea is at five"')
  const joined = await numberOf('connect', tea, milk, 'supports')
  const { out } = await elfmem(['history', joined, '--changes'], { home })
  expect(out).toMatch(/"[^"]+" is joined to \S+ "[^"]+" \(supports\)/)
  const { out: runs } = await elfmem(['history', '--runs'], { home })
  expect(runs).toMatch(/dream: 2 promoted.*\[3 entries\]/)
  expect(runs).not.toContain('promote:')
})
