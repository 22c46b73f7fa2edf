import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { LineLimit } from '../../src/surfaces/mcp/line-limit.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'
import { machine, run } from './stranger.ts'

type Fields = Readonly<Record<string, unknown>>

const BIN = join(import.meta.dirname, '../../src/bin.ts')
/** This is deeper than any stack of calls. */
const DEEP = 100_000
const list = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
/** A refusal has at most so many bytes. */
const REFUSAL_MAX = 8_192

const many = <T>(count: number, each: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => each(at))
const keys = (count: number, value: (at: number) => unknown): Fields =>
  Object.fromEntries(many(count, (at) => [`k${at}`, value(at)]))

test.each([
  ['config.yaml', `memory: ${list(DEEP)}`],
  ['config.yaml', `memory: ${'{a: '.repeat(DEEP)}`],
  ['config.yaml', `${'- '.repeat(DEEP)}x`],
  ['config.yaml', 'memory: &within\n  itself: *within\n'],
  ['config.json', `{"memory": ${list(DEEP)}}`],
])('a %s that nests without end is refused', async (name, content) => {
  const home = temporaryDirectory()
  const config = join(home, name)
  writeFileSync(config, content)
  const { code, out } = await elfmem(['status', '--config', config, '--json'], { cwd: home, home })
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ code: 'CONFIG_INVALID' })
})

test.each(['> ', '- ', '> - ', '1. '])('learnDocument takes a document of 30,000 times %j', async (mark) => {
  const { memory } = await openTestMemory()
  const { blockIds } = await memory.learnDocument({ text: `${mark.repeat(30_000)}The gate opens at six.\n` })
  const { block } = await memory.show({ blockId: blockIds.at(-1) ?? '' })
  expect(block.content).toContain('The gate opens at six.')
})

test('arguments, lines of an import and answers of a model that nest without end are refused', async () => {
  const { memory } = await openTestMemory()
  const deep = JSON.parse(list(DEEP)) as never
  for (const call of [
    memory.remember({ content: deep }),
    memory.rememberMany({ blocks: deep }),
    memory.dream({ hostAnalyses: deep }),
  ])
    expect(await refusal(call)).toMatchObject({ code: 'INVALID_INPUT' })
  const path = join(temporaryDirectory(), 'deep.jsonl')
  writeFileSync(path, `{"format": "elfmem-export", "version": 1, "schema": ${list(DEEP)}}\n`)
  expect(await refusal(memory.import({ path }))).toMatchObject({ code: 'INVALID_INPUT' })
})

const HOSTILE: readonly (readonly [name: string, tool: string, args: Fields])[] = [
  ['50,000 wrong analyses', 'dream', { host_analyses: keys(50_000, () => ({ zzz: 1 })) }],
  ['80,000 unknown arguments', 'remember', { content: 'x', ...keys(80_000, () => 1) }],
  ['10,000 wrong blocks', 'remember_many', { blocks: many(10_000, () => ({ content: 5 })) }],
  ['blocks of 900 unknown keys', 'remember_many', { blocks: many(400, () => keys(900, () => 1)) }],
  ['a key of 160 kB', 'remember', { content: 'x', ['k'.repeat(160_000)]: 1 }],
  ['100,001 ids', 'outcome', { helped: many(100_001, (at) => `abcd${at}`) }],
  ['a relation of 1 MB', 'connect', { source: 'abcd', target: 'dcba', relation: 'r'.repeat(1_000_000) }],
  [
    '900 protected tags',
    'remember',
    { content: 'x', tags: many(900, (at) => `peer/${'p'.repeat(100)}${at}`) },
  ],
  ['a date of 1 MB', 'remember', { content: 'x', at: '2'.repeat(1_000_000) }],
  ['a cursor of 1 MB', 'ls', { cursor: 'c'.repeat(1_000_000) }],
  ['a tool of 1 MB', 'x'.repeat(1_000_000), {}],
]

test.each(HOSTILE)('an MCP call with %s is refused in less than 8 kB', async (_, tool, args) => {
  const { memory } = await openTestMemory()
  const client = await connectClient(memory, { name: 'claude' })
  const answer = await client.callTool({ name: `elfmem_${tool}`, arguments: args })
  expect(answer).toMatchObject({ isError: true, structuredContent: { code: expect.any(String) } })
  expect((answer.structuredContent as Fields).code).not.toBe('UNEXPECTED')
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(REFUSAL_MAX)
})

test('a list with too many items is refused before any of them is looked at', async () => {
  const { memory } = await openTestMemory()
  let looked = 0
  const item = new Proxy({}, { get: () => (looked += 1) })
  for (const call of [
    memory.rememberMany({ blocks: many(10_001, () => item) as never }),
    memory.outcome({ helped: many(100_001, () => item) as never }),
    memory.remember({ content: 'x', tags: many(1_001, () => item) as never }),
    memory.connects({ edges: many(1_001, () => item) as never }),
  ])
    expect(await refusal(call)).toMatchObject({ code: 'LIMIT_EXCEEDED' })
  expect(looked).toBe(0)
})

test('a call with more than a million values, however nested, is refused with LIMIT_EXCEEDED', async () => {
  const { memory } = await openTestMemory()
  const thousand = many(1_001, () => 1)
  for (const tags of [many(1_000_001, () => 1), many(1_000, () => thousand)])
    expect(await refusal(memory.remember({ content: 'x', tags: tags as never }))).toMatchObject({
      code: 'LIMIT_EXCEEDED',
    })
})

test('a line over MCP that is too long is refused under its id, and the next is read', async () => {
  const answers = new PassThrough()
  const lines = new LineLimit(() => 1_000_000, answers)
  const passed = text(lines)
  const message = (id: number, value: unknown) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', params: { value } })}\n`
  const fine = message(1, 'x')
  lines.write(message(2, 'x'.repeat(2_000_000)))
  lines.end(fine)
  expect(await passed).toBe(fine)
  answers.end()
  const refused = JSON.parse(await text(answers))
  expect(refused).toMatchObject({ id: 2, error: { data: { code: 'LIMIT_EXCEEDED' } } })
})

test.each(['learn-document', 'remember-many', 'import'])(
  '%s of a file without an end is refused before it is read',
  async (command) => {
    const at = machine({})
    symlinkSync('/dev/zero', join(at.clone, 'zero.md'))
    execFileSync('mkfifo', [join(at.clone, 'pipe.md')])
    const names = command === 'import' ? ['zero.md'] : ['zero.md', 'pipe.md']
    for (const name of names) expect((await run(at, [BIN, command, name])).code).toBe(2)
  },
)

test.each(['a\0b', 'a'.repeat(300)])(
  'a path that no file can have is refused as an argument',
  async (name) => {
    const { memory } = await openTestMemory()
    const path = `${temporaryDirectory()}/${name}`
    for (const call of [
      memory.export({ path }),
      memory.import({ path }),
      memory.backup({ path }),
      memory.restoreBackup({ path }),
    ])
      expect(await refusal(call)).toMatchObject({ code: 'INVALID_INPUT' })
  },
)
