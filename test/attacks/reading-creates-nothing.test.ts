import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { kebabCase } from '../../src/adapters/project/spelling.ts'
import { operations } from '../../src/operations/table.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { cli, everything, machine, mcp } from './stranger.ts'

/** Arguments without which an operation is refused for other reasons. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  show: ['ffffffff'],
  forget: ['ffffffff'],
  edit: ['ffffffff', '--content', 'x'],
  restore: ['ffffffff'],
  outcome: ['ffffffff', '--signal', '1'],
  recordUse: ['ffffffff'],
  connect: ['ffffffff', 'eeeeeeee'],
  connects: ['--connections', '[{"source_id":"ffffffff","target_id":"eeeeeeee"}]'],
  disconnect: ['ffffffff', 'eeeeeeee'],
  connectByQuery: ['tea', 'milk'],
  resolve: ['ffffffff', 'eeeeeeee'],
  recall: ['tea'],
  export: ['-'],
}

const others = operations.filter(({ makesMemory }) => makesMemory !== true)

test.each(others.map(({ name }) => name))('%s makes no memory where there is none', async (name) => {
  const home = temporaryDirectory()
  const missing = join(home, 'no', 'such', 'folder', 'x.db')
  for (const db of [[], ['--db', missing]]) {
    const { out, err } = await elfmem([kebabCase(name), ...(ARGUMENTS[name] ?? []), ...db, '--json'], {
      home,
    })
    expect(out + err).not.toBe('')
    expect(everything(home)).toEqual([])
  }
})

test.each([['recall', 'tea'], ['ls'], ['inbox'], ['status'], ['graph'], ['history'], ['doctor'], ['dream']])(
  'elfmem %s says that there is no memory yet',
  async (...argv) => {
    const home = temporaryDirectory()
    const said = `There is no memory at ${join(home, '.elfmem', 'agent.db')} yet.`
    const { out, code } = await elfmem(argv, { home })
    expect([code, out]).toEqual([0, expect.stringContaining(said)])
    expect(JSON.parse((await elfmem([...argv, '--json'], { home })).out).summary).toContain(said)
    await elfmem(['remember', 'Tea is at four'], { home })
    expect((await elfmem(argv, { home })).out).not.toContain('no memory')
  },
)

test.each([['export', 'x.jsonl'], ['backup'], ['remember', '']])(
  'elfmem %s refuses and makes nothing where there is no memory',
  async (...argv) => {
    const home = temporaryDirectory()
    const { code, err } = await elfmem(argv, { home })
    expect([code > 0, everything(home)]).toEqual([true, []])
    if (argv[0] !== 'remember') expect(err).toContain('There is no memory at')
  },
)

test('the commands around it make nothing either', async () => {
  const home = temporaryDirectory()
  for (const argv of [
    ['config'],
    ['config', '--all'],
    ['trust', '--list'],
    ['completion', 'bash'],
    ['--help'],
    ['guide'],
  ])
    await elfmem(argv, { home })
  expect(everything(home)).toEqual([])
})

test('a process that only reads leaves no file beside a memory that is there', async () => {
  const at = machine({})
  await cli(at, 'remember', 'Tea is at four')
  const before = everything(at.home)
  for (const argv of [['recall', 'tea'], ['ls'], ['status']]) expect((await cli(at, ...argv)).code).toBe(0)
  expect(everything(at.home)).toEqual(before)
})

test('a server makes its memory with the first words it is to keep, and sees what others made before', async () => {
  const at = machine({})
  const client = await mcp(at)
  const call = async (name: string, args: Readonly<Record<string, unknown>> = {}) =>
    (await client.callTool({ name: `elfmem_${name}`, arguments: args })).structuredContent as Record<
      string,
      unknown
    >
  expect(String((await call('recall', { query: 'tea' })).summary)).toContain('There is no memory')
  await call('dream')
  expect(everything(at.home)).toEqual([])
  const other = await mcp(at)
  await call('remember', { content: 'Tea is at four' })
  expect(existsSync(join(at.home, '.elfmem', 'agent.db'))).toBe(true)
  expect((await call('recall', { query: 'tea' })).blocks).toHaveLength(1)
  const seen = await other.callTool({ name: 'elfmem_recall', arguments: { query: 'tea' } })
  expect((seen.structuredContent as { readonly blocks: unknown[] }).blocks).toHaveLength(1)
})

test('calls at once on a memory that is not there are all kept', async () => {
  const at = machine({})
  const client = await mcp(at)
  const facts = Array.from({ length: 8 }, (_, n) => `The fact of day ${n} is the number ${n * 7}`)
  const calls = facts.map((content) => client.callTool({ name: 'elfmem_remember', arguments: { content } }))
  for (const { isError } of await Promise.all(calls)) expect(isError).not.toBe(true)
  const { structuredContent } = await client.callTool({ name: 'elfmem_status', arguments: {} })
  expect(structuredContent).toMatchObject({ inbox_count: 8 })
})
