import { describe, expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'
import { cliRoad, connectClient, libraryRoad, mcpRoad, type Road } from './helpers/roads.ts'

const ROADS: readonly (readonly [surface: string, road: () => Promise<Road>])[] = [
  ['the library', libraryRoad],
  ['the command line', cliRoad],
  ['MCP', mcpRoad],
]

/** The arguments that the Python elfmem calls otherwise: each is a limit here. */
const PYTHON_NAMES = [
  ['inbox', 'maxCount', 'blocks'],
  ['inbox', 'max', 'blocks'],
  ['recall', 'topK', 'blocks'],
  ['history', 'lastN', 'operations'],
] as const

describe.each(ROADS)('an argument by its Python name, in %s,', (_, road) => {
  test('limits the answer', async () => {
    const call = await road()
    for (const content of statements(5)) await call('remember', { content })
    for (const [operation, name, list] of PYTHON_NAMES)
      expect(
        (await call(operation, { ...(operation === 'recall' && { query: 'harbour' }), [name]: 1 })).result?.[
          list
        ],
      ).toHaveLength(1)
    await call('dream', { max: 3 })
    expect((await call('inbox', {})).result?.blocks).toHaveLength(2)
  })

  test('recall answers frame and frame_name', async () => {
    const call = await road()
    await call('remember', { content: 'Tea is at four.' })
    const { result } = await call('recall', { query: 'tea', frame: 'task' })
    expect(result).toMatchObject({ frame: 'task', frame_name: 'task' })
  })
})

test('tools/list names the argument limit and none of its Python names', async () => {
  const { memory } = await openTestMemory({ kind: 'memory' })
  const { tools } = await (await connectClient(memory)).listTools()
  expect(tools.find(({ name }) => name === 'elfmem_inbox')?.inputSchema.properties).toHaveProperty('limit')
  const inputs = JSON.stringify(tools.map(({ inputSchema }) => inputSchema))
  expect(inputs).not.toMatch(/aliasOf|unlisted|sameAs|"(frame_name|top_k|max_count|last_n)":/)
})
