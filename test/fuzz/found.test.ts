import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cutMarkdown } from '../../src/adapters/markdown/cut.ts'
import { resolveProject } from '../../src/adapters/project/resolve.ts'
import { openTestMemory, refusal, temporaryFolder } from '../helpers/memory.ts'
import { writtenFiles } from '../helpers/written-files.ts'
import { elfmem } from '../surfaces/helpers/cli.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

/** The smallest cases of what the suites beside this file found. */

describe('half a character or a NUL', () => {
  test.each(['a\0b', '\ud83d'])('is refused in what is kept beside a block: %j', async (broken) => {
    const { memory, learn } = await openTestMemory()
    const [blockId = ''] = await learn('Tea is at four')
    const calls = [
      memory.remember({ content: 'a', session: broken }),
      memory.remember({ content: 'a', source: broken }),
      memory.rememberMany({ blocks: [{ content: 'a', session: broken }] }),
      memory.learnDocument({ text: 'a', session: broken }),
      memory.learnDocument({ text: 'a', source: broken }),
      memory.outcome({ helped: [blockId], source: broken }),
      memory.forget({ blockId, reason: broken }),
    ]
    for (const call of calls) expect(await refusal(call)).toMatchObject({ code: 'INVALID_INPUT' })
    expect(await memory.status()).toMatchObject({ activeCount: 1, inboxCount: 0 })
  })
})

describe('a value without end', () => {
  const project = (name: string, text: string) => {
    const path = `/p/${name}`
    const files = writtenFiles({ [path]: text })
    return resolveProject({ cwd: '/p', home: '/h', env: {}, flags: { config: path }, files })
  }

  test.each([
    ['config.yaml', 'memory: &within\n  itself: *within\n'],
    ['config.json', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ])('is refused in %s', async (name, text) => {
    const told = await refusal(project(name, text))
    expect(told.code).toBe('CONFIG_INVALID')
    expect(told.message).toContain('nests deeper')
  })

  test('is refused in data on the command line and over MCP', async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const { code, err } = await elfmem(['remember-many', `[${deep}]`], { home: temporaryFolder() })
    expect(code).toBe(2)
    expect(err).toContain('nest deeper')
    const client = await connectClient((await openTestMemory()).memory)
    const answer = await client.callTool({
      name: 'elfmem_dream',
      arguments: { host_analyses: JSON.parse(deep) },
    })
    expect(answer).toMatchObject({ isError: true, structuredContent: { code: 'INVALID_INPUT' } })
  })

  test('what YAML finds odd in a config is told as ours are, and not by the process', async () => {
    const said: string[] = []
    const hear = (warning: Error) => void said.push(warning.message)
    process.on('warning', hear)
    const { warnings } = await project('config.yaml', 'memory: !made-up {inbox_threshold: 3}\n')
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', hear)
    expect(warnings).toEqual([expect.stringMatching(/^\/p\/config\.yaml: Unresolved tag: !made-up/)])
    expect(said).toEqual([])
  })
})

test('an id as long as a book is an id that is not there', async () => {
  const { store } = await openTestMemory()
  const book = 'x'.repeat(200_000)
  expect(await store.read((tx) => tx.idsByPrefix([book]))).toEqual(new Map([[book, []]]))
})

describe('an export in which', () => {
  const lived = async () => {
    const { memory, learn } = await openTestMemory()
    await learn('Tea is at four', 'The kettle is blue')
    await memory.forget({ blockId: (await memory.ls()).blocks[0]!.id })
    const path = join(temporaryFolder(), 'export.jsonl')
    await memory.export({ path })
    return path
  }
  const importWith = async (change: (row: Row) => object) => {
    const path = await lived()
    const rows = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map((row) => ({ ...row, ...change(row) }))
    writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const { memory } = await openTestMemory()
    const told = await refusal(memory.import({ path, trusted: true }))
    expect(await memory.status()).toMatchObject({ activeCount: 0, inboxCount: 0, archivedCount: 0 })
    return told
  }

  type Row = Readonly<Record<string, unknown>>
  const inTable = (table: string, change: object) => (row: Row) => (row.table === table ? change : {})

  test.each<[string, RegExp, (row: Row) => object]>([
    ['a text is a number', /"summary" is no text/, inTable('operations', { summary: 0 })],
    ['a number is a text', /"position" is no whole number/, inTable('blocks', { position: '1' })],
    ['a content has half a character', /"content" holds/, inTable('blocks', { content: '\ud83d' })],
    [
      'the log goes back',
      /the log goes back/,
      ({ table, id }) => (table === 'operations' ? { hours: -Number(id) } : {}),
    ],
    ['a session is missing', /its session is not there/, inTable('sessions', { id: 'another' })],
    [
      'the vectors are not those of the head',
      /another embedding_dimensions/,
      ({ key }) => (key === 'embedding_dimensions' ? { value: 'many' } : {}),
    ],
  ])('%s is refused by its line', async (_, said, change) => {
    const told = await importWith(change)
    expect(told.code).toBe('INVALID_INPUT')
    expect(told.message).toMatch(/Line \d+/)
    expect(told.message).toMatch(said)
  })
})

describe('a document', () => {
  const words = (first: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${first}${at}`).join(' ')

  test('keeps a heading that has no room before what stands below it', () => {
    const chunks = cutMarkdown(`# Harbour\n\n## ${words('pier', 12)}\n\nThe pilot boards at dawn.\n`, 32)
    expect(chunks.map(({ text }) => text).join('\n')).toContain('Harbour')
  })

  test('repeats no line of a code block that is never closed', () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line number ${at}`)
    const chunks = cutMarkdown(`\`\`\`\n${lines.join('\n')}`, 48)
    expect(chunks.length).toBeGreaterThan(1)
    const kept = chunks.flatMap(({ text }) => text.split('\n')).filter((line) => line !== '```')
    expect(kept).toEqual(lines)
  })
})

test.each(['> ', '- ', '1. ', '> - ', '>', '* '])(
  'a document of nothing but %j is learnt in paragraphs',
  async (marks) => {
    const { memory } = await openTestMemory()
    const text = `${marks.repeat(1_500)}\n\nThe gate opens at six`
    const { blockIds } = await memory.learnDocument({ text, source: 'a.md' })
    const { block } = await memory.show({ blockId: blockIds.at(-1)! })
    expect(block.content).toContain('The gate opens at six')
  },
)

test('a list nested deeper than a parser can follow is learnt', async () => {
  const { memory } = await openTestMemory()
  const text = Array.from({ length: 400 }, (_, depth) => `${'  '.repeat(depth)}- level ${depth}`).join('\n')
  const { chunksCreated } = await memory.learnDocument({ text, source: 'a.md' })
  expect(chunksCreated).toBeGreaterThan(0)
})
