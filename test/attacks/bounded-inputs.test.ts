import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
  ['config.yaml', `memory: ${list(30_000)}`],
  ['config.yaml', `memory: ${'{a: '.repeat(30_000)}`],
  ['config.yaml', 'memory: &within\n  itself: *within\n'],
])('a %s that nests without end is refused', async (name, content) => {
  const home = temporaryDirectory()
  const config = join(home, name)
  writeFileSync(config, content)
  const { code, out } = await elfmem(['status', '--config', config, '--json'], { cwd: home, home })
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ code: 'CONFIG_INVALID' })
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
  ['blocks of 900 unknown keys', 'remember_many', { blocks: many(400, () => keys(900, () => 1)) }],
  ['a relation of 1 MB', 'connect', { source: 'abcd', target: 'dcba', relation: 'r'.repeat(1_000_000) }],
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
