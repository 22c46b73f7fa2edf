import { describe, expect, test } from 'vitest'
import { snakeCase } from '../../src/adapters/project/spelling.ts'
import { namingOf } from '../../src/operations/aliases.ts'
import { operations } from '../../src/operations/table.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'
import { cliRoad, connectClient, libraryRoad, mcpRoad, type Road } from './helpers/roads.ts'

const ROADS: readonly (readonly [surface: string, road: () => Promise<Road>])[] = [
  ['the library', libraryRoad],
  ['the command line', cliRoad],
  ['MCP', mcpRoad],
]

/** Every other name of an argument, and what it stands for. */
const aliases = operations.flatMap(({ name: operation, input }) =>
  Object.entries(input.shape).flatMap(([alias, schema]) => {
    const { aliasOf } = namingOf(schema)
    return aliasOf === undefined ? [] : [{ operation, alias, name: aliasOf }]
  }),
)

describe.each(ROADS)('another name of an argument, by %s,', (_, road) => {
  test('counts as its name', async () => {
    const call = await road()
    for (const content of statements(5)) await call('remember', { content })
    const names = aliases.filter(({ operation }) => operation === 'inbox').map(({ alias }) => alias)
    expect(names).toEqual(['maxCount', 'max'])
    for (const name of ['limit', ...names])
      expect((await call('inbox', { [name]: 2 })).result?.blocks).toHaveLength(2)
    await call('dream', { max: 3 })
    expect((await call('inbox', {})).result?.blocks).toHaveLength(2)
    await call('dream', {})
    for (const name of ['limit', 'topK'])
      expect(
        (await call('recall', { query: 'number', minStrength: 0, [name]: 1 })).result?.blocks,
      ).toHaveLength(1)
    for (const name of ['limit', 'lastN'])
      expect((await call('history', { [name]: 1 })).result?.operations).toHaveLength(1)
  })

  test.each(aliases)(
    'is refused beside its name: $operation takes $alias or $name',
    async ({ operation, alias, name }) => {
      const call = await road()
      expect(await call(operation, { [alias]: 1, [name]: 1 })).toEqual({ code: 'INVALID_INPUT' })
    },
  )
})

test('a refusal of two names spells them as the surface does', async () => {
  const { memory } = await openTestMemory({ kind: 'memory' })
  const both = { query: 'tea', topK: 1, limit: 1 }
  await expect(memory.recall(both)).rejects.toMatchObject({
    message: 'recall: topK and limit are names of one argument.',
    recovery: 'Pass limit alone.',
  })
  const client = await connectClient(memory)
  const { structuredContent } = await client.callTool({
    name: 'elfmem_recall',
    arguments: { query: 'tea', top_k: 1, limit: 1 },
  })
  expect(structuredContent).toMatchObject({ error: 'recall: top_k and limit are names of one argument.' })
  const { err } = await elfmem(['recall', 'tea', '--top-k', '1', '--limit', '1'], {
    home: temporaryDirectory(),
  })
  expect(err).toContain('recall: top-k and limit are names of one argument.')
})

test('two other names of one argument are refused, too', async () => {
  const { memory } = await openTestMemory({ kind: 'memory' })
  await expect(memory.inbox({ maxCount: 1, max: 1 })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
})

test('tools list no other name of an argument, though they take it', async () => {
  const { memory } = await openTestMemory({ kind: 'memory' })
  const { tools } = await (await connectClient(memory)).listTools()
  const listed = (operation: string) =>
    Object.keys(
      tools.find(({ name }) => name === `elfmem_${snakeCase(operation)}`)?.inputSchema.properties ?? {},
    )
  for (const { operation, alias, name } of aliases) {
    expect(listed(operation)).toContain(snakeCase(name))
    expect(listed(operation)).not.toContain(snakeCase(alias))
  }
  expect(JSON.stringify(tools)).not.toMatch(/aliasOf|alsoAs|unlisted|sameAs|displaced_edges|frame_name/)
})

test('help shows the one name, and a mistyped alias is known', async () => {
  const home = temporaryDirectory()
  const { out } = await elfmem(['recall', '--help'], { home })
  expect(out).toContain('--limit')
  expect(out).not.toContain('--top-k')
  expect((await elfmem(['recall', 'tea', '--topk', '1'], { home })).err).toContain('--top-k')
})

test('answers have what was renamed under both names, on every surface', async () => {
  for (const [, road] of ROADS) {
    const call = await road()
    await call('remember', { content: 'Tea is at four.' })
    const dreamt = await call('dream', {})
    expect(dreamt.result).toMatchObject({ evicted_edges: [], displaced_edges: [] })
    const { result } = await call('recall', { query: 'tea', frame: 'task' })
    expect(result).toMatchObject({
      frame: 'task',
      frame_name: 'task',
      evicted_edges: [],
      displaced_edges: [],
    })
  }
})

describe('outcome', () => {
  test.each(ROADS)('is about a set by either name, on %s', async (_, road) => {
    const call = await road()
    const { result } = await call('remember', { content: 'Tea is at four.' })
    await call('dream', {})
    for (const name of ['about', 'scope']) {
      const told = await call('outcome', { blockIds: [result?.block_id], signal: 1, [name]: 'set' })
      expect(told.result).toMatchObject({ clocks_moved: 1, blocks_updated: 0 })
    }
  })

  test('keeps to a scope as other operations do', async () => {
    const { memory } = await openTestMemory()
    const { blockId } = await memory.remember({ content: 'Tea is at four.', scope: 'atlas' })
    await memory.dream()
    const here = { blockIds: [blockId], signal: 1 }
    expect(await memory.outcome({ ...here, scope: 'elsewhere' })).toMatchObject({ blocksUpdated: 0 })
    expect(await memory.outcome({ ...here, scope: 'atlas' })).toMatchObject({ blocksUpdated: 1 })
  })

  test('of a scope that is named like a kind of report says what it is about', async () => {
    const { memory } = await openTestMemory()
    const { blockId } = await memory.remember({ content: 'Tea is at four.', scope: 'set' })
    await memory.dream()
    const here = { blockIds: [blockId], signal: 1, scope: 'set' }
    expect(await memory.outcome(here)).toMatchObject({ clocksMoved: 1 })
    expect(await memory.outcome({ ...here, about: 'blocks' })).toMatchObject({ blocksUpdated: 1 })
  })
})
