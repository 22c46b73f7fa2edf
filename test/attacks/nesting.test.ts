import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { readJson } from '../../src/domain/text/read-json.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { elfmem, HASHING, temporaryDirectory } from '../surfaces/helpers/cli.ts'

const BIN = join(import.meta.dirname, '../../src/bin.ts')

/** Deeper than any stack of calls. */
const DEEP = 100_000
const list = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

test.each([
  ['a list in brackets', 'config.yaml', `memory: ${list(DEEP)}`],
  ['brackets that nobody closes', 'config.yaml', `memory: ${'['.repeat(DEEP)}`],
  ['brackets over lines', 'config.yaml', `memory:\n  ${'[\n  '.repeat(DEEP)}`],
  ['records in braces', 'config.yaml', `memory: ${'{a: '.repeat(DEEP)}`],
  ['a list in lists', 'config.yaml', `${'- '.repeat(DEEP)}x`],
  ['a key in keys', 'config.yaml', '? '.repeat(DEEP)],
  [
    'lines each further in',
    'config.yaml',
    Array.from({ length: 200 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
  ],
  ['JSON', 'config.json', `{"memory": ${list(DEEP)}}`],
])('a config that nests without end is refused as that: %s', async (_, name, text) => {
  const home = temporaryDirectory()
  const config = join(home, name)
  writeFileSync(config, text)
  const { code, err } = await elfmem(['status', '--config', config, '--db', join(home, 'm.db')], {
    cwd: home,
    home,
  })
  expect(code).not.toBe(0)
  expect(err).toContain('nests deeper than 32 levels')
  expect(err).not.toContain('stack')
})

test('a config with brackets in its words and all settings that nest is still read', async () => {
  const home = temporaryDirectory()
  const config = join(home, 'config.yaml')
  const lines = ['# [[[ a comment ]]]', 'project:', '  name: "[a] {b}"', 'memory:', '  inbox_threshold: 3']
  writeFileSync(config, lines.join('\n'))
  const { code } = await elfmem(['status', '--config', config, '--db', join(home, 'm.db')], {
    cwd: home,
    home,
  })
  expect(code).toBe(0)
})

test.each(['> ', '- ', '> - ', '1. ', '  - a\n  '])(
  'a document is learned though it nests without end: %j',
  async (mark) => {
    const { memory } = await openTestMemory()
    const text = `# Gate\n\n${mark.repeat(30_000)}The gate opens at six.\n`
    const { blockIds } = await memory.learnDocument({ text })
    const last = await memory.show({ blockId: blockIds.at(-1) ?? '' })
    expect(last.block.content).toContain('The gate opens at six.')
  },
)

test('arguments that nest without end are refused by the library', async () => {
  const { memory } = await openTestMemory()
  const deep = JSON.parse(list(DEEP)) as never
  expect(await refusal(memory.remember({ content: deep }))).toMatchObject({ code: 'INVALID_INPUT' })
  expect(await refusal(memory.rememberMany({ blocks: deep }))).toMatchObject({ code: 'INVALID_INPUT' })
  expect(await refusal(memory.dream({ hostAnalyses: deep }))).toMatchObject({ code: 'INVALID_INPUT' })
})

test('arguments that nest without end are refused by a server, which goes on', async () => {
  const home = temporaryDirectory()
  const client = new Client({ name: 'test', version: '0' })
  const env = { PATH: process.env.PATH ?? '', HOME: home, ...HASHING }
  const command = { command: process.execPath, args: [BIN, 'serve', '--quiet'], env, cwd: home }
  await client.connect(new StdioClientTransport(command))
  onTestFinished(() => client.close())
  // Deep enough for the server, and not too deep for the client, which has to write it.
  let deep: unknown = 'bottom'
  for (let level = 0; level < 1_000; level++) deep = [deep]
  const refused = await client.callTool({ name: 'elfmem_remember', arguments: { content: deep } })
  expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'INVALID_INPUT' } })
  expect(
    await client.callTool({ name: 'elfmem_remember', arguments: { content: 'The gate opens' } }),
  ).toMatchObject({
    structuredContent: { status: 'created' },
  })
})

test('lines of an import that nest without end are refused with their number', () => {
  const home = temporaryDirectory()
  writeFileSync(
    join(home, 'deep.jsonl'),
    `{"format": "elfmem-export", "version": 1, "schema": ${list(DEEP)}}\n`,
  )
  const run = spawnSync(
    process.execPath,
    [BIN, 'import', join(home, 'deep.jsonl'), '--db', join(home, 'm.db')],
    {
      cwd: home,
      env: { PATH: process.env.PATH ?? '', HOME: home, ...HASHING },
      encoding: 'utf8',
    },
  )
  expect(run.status).not.toBe(0)
  expect(run.stderr).toContain('Line 1 cannot be taken in')
})

test('of an answer of a model that nests without end only what is whole and shallow is read', () => {
  expect(readJson('['.repeat(DEEP))).toBeUndefined()
  expect(readJson(list(DEEP))).toBeUndefined()
  expect(readJson(`{"a": 1, "b": ${list(DEEP)}}`)).toEqual({ value: { a: 1 }, mended: true })
})
