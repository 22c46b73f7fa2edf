import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'
import { connectClient } from './helpers/roads.ts'

const NOTES = ['Tea is at four', 'Bread needs a night', 'The harbour opens at six']

test.each([
  [['ls', '--status', 'inbox'], NOTES],
  [['inbox'], NOTES],
  [['history'], ['1  20', '2  20', '3  20']],
])('a page of %j says on a terminal how to see the rest', async (argv, all) => {
  const home = temporaryDirectory()
  for (const content of NOTES) await elfmem(['remember', content], { home })
  const { out } = await elfmem([...argv, '--limit', '2'], { home })
  const [, cursor = ''] = /^For more add --cursor (\S+)\.$/m.exec(out) ?? []
  const onward = ['--limit', '2', '--cursor', cursor.replaceAll("'", '')]
  const { out: rest } = await elfmem([...argv, ...onward], { home })
  expect(rest).not.toContain('--cursor')
  for (const each of all) expect([out, rest].filter((page) => page.includes(each))).toHaveLength(1)
})

test('a page of open pairs says on a terminal and to a client how to see the rest', async () => {
  const { memory, learn, store, path } = await openTestMemory()
  const [a, b, c] = (await learn(...NOTES)) as [string, string, string]
  const createdAt = '2026-01-01T00:00:00.000Z'
  const pair = { kind: 'near_duplicate', score: 0.9, resolved: false, createdAt } as const
  await store.write((tx) =>
    tx.savePairs([
      { a, b, ...pair },
      { a: b, b: c, ...pair },
    ]),
  )
  const { out } = await elfmem(['inbox', '--open-pairs', '1', '--db', path], { home: temporaryDirectory() })
  const [, cursor = ''] = /--open-pairs-cursor (\S+)\.$/m.exec(out) ?? []
  const onward = ['inbox', '--open-pairs', '1', '--open-pairs-cursor', cursor, '--db', path]
  expect((await elfmem(onward, { home: temporaryDirectory() })).out).toContain(NOTES[2])
  const client = await connectClient(memory)
  const { content } = await client.callTool({ name: 'elfmem_inbox', arguments: { open_pairs: 1 } })
  expect(JSON.stringify(content)).toContain(`open_pairs_cursor: '${cursor}'`)
})

test('a page tells a client how to see the rest', async () => {
  const { memory } = await openTestMemory()
  for (const content of ['Tea is at four', 'Bread needs a night']) await memory.remember({ content })
  const answer = await (await connectClient(memory)).callTool({
    name: 'elfmem_inbox',
    arguments: { limit: 1 },
  })
  const [{ text = '' } = {}] = answer.content as readonly { readonly text: string }[]
  const { cursor } = answer.structuredContent as { readonly cursor: string }
  expect(text).toContain(`For more pass cursor "${cursor}".`)
})

test.each([
  [['--db'], 'Name the command first'],
  [['remember', ''], 'content is blank'],
  [['inbox', '--max', '3', '--max-count', '2'], 'Pass limit alone.'],
  [['remember-many', 'notes.txt'], 'one JSON object a line, such as {"content":"…"}'],
])('of %j the command line says what is wrong', async (argv, said) => {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'notes.txt'), 'Tea is at four.\n')
  const { err, code } = await elfmem(argv, { home: temporaryDirectory(), cwd })
  expect(code).toBe(2)
  expect(err).toContain(said)
})

test('of a project that is not trusted a terminal is told once', async () => {
  const home = temporaryDirectory()
  const cwd = join(home, 'project')
  mkdirSync(join(cwd, '.elfmem'), { recursive: true })
  writeFileSync(join(cwd, '.elfmem', 'config.yaml'), '')
  const { out, err } = await elfmem(['status'], { home, cwd, tty: true, columns: 400 })
  expect(`${out}${err}`.match(/you have not said that it is trusted/g)).toHaveLength(1)
  const { out: json } = await elfmem(['status', '--json'], { home, cwd })
  expect(JSON.parse(json).summary).toContain('you have not said that it is trusted')
})

test('undo says how many operations it does not list', async () => {
  const { memory } = await openTestMemory()
  const contents = [
    'tea',
    'bread',
    'harbour',
    'rope',
    'lamp',
    'stove',
    'ladder',
    'kettle',
    'anchor',
    'oar',
    'sail',
    'net',
  ]
  for (const each of contents)
    await memory.remember({ content: `The ${each} stands by the door of room ${each.length}` })
  await memory.dream()
  const client = await connectClient(memory, { as: 'owner' })
  const answer = await client.callTool({ name: 'elfmem_undo', arguments: { dry_run: true } })
  const [{ text = '' } = {}] = answer.content as readonly { readonly text: string }[]
  const { undone_count: many } = answer.structuredContent as { readonly undone_count: number }
  expect(many).toBeGreaterThan(10)
  expect(text).toContain(`… and ${many - 10} older ones`)
})
