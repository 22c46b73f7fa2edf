import { describe, expect, test } from 'vitest'
import { readBlocks } from '../../src/store/blocks.ts'
import { readEdgesAround } from '../../src/store/graph.ts'
import { readItemCount } from '../../src/store/items.ts'
import type { Store } from '../../src/store/transaction.ts'
import { openTestMemory } from '../helpers/memory.ts'
import {
  CHATGPT,
  CLAUDE,
  fileOf,
  folderOf,
  mem0Database,
  NOTES,
  pythonDatabase,
  RULES,
  SERVER_MEMORY,
} from './samples.ts'

const SOURCES: Readonly<Record<string, () => string>> = {
  'elfmem-python': pythonDatabase,
  'server-memory': () => SERVER_MEMORY,
  chatgpt: () => fileOf('conversations.json', JSON.stringify(CHATGPT)),
  claude: () => fileOf('conversations.json', JSON.stringify(CLAUDE)),
  rules: () => fileOf('AGENTS.md', RULES),
  markdown: () => folderOf(NOTES),
  mem0: () => mem0Database([{ data: 'Bakes on Fridays', userId: 'ana' }, { data: 'Sells on Saturdays' }]),
}

/** All that a memory knows, without clocks of use. */
async function stateOf(store: Store) {
  return store.read(async (tx) => {
    const { blocks } = await tx.queries.changes(0)
    const ids = blocks.map(({ block }) => block.id).sort()
    const known = await readBlocks(tx, ids)
    const edges = (await readEdgesAround(tx, ids)).map(({ edge }) => edge)
    return { known, edges, counts: await tx.queries.counts(), items: await readItemCount(tx) }
  })
}

describe.each(Object.entries(SOURCES))('%s', (format, source) => {
  test('importFrom a second time brings nothing new and changes nothing', async () => {
    const { memory, store } = await openTestMemory()
    const path = source()
    const first = await memory.importFrom({ path })
    expect(first.format).toBe(format)
    expect(first.created).toBeGreaterThan(0)
    const before = await stateOf(store)
    const entries = (await memory.history({ lastN: 100 })).operations.length
    const second = await memory.importFrom({ path })
    expect(second).toMatchObject({ created: 0, linksMade: 0, known: first.created + first.known })
    expect(second.operationId).toBeUndefined()
    expect(await stateOf(store)).toEqual(before)
    expect((await memory.history({ lastN: 100 })).operations).toHaveLength(entries)
  })

  test('undo takes an import back whole, and importFrom brings it again', async () => {
    const { memory, store, learn } = await openTestMemory()
    await learn('The orchard has nine rows.', 'The press stands in the barn.')
    await memory.remember({ content: 'The cider waits in the cellar.' })
    const before = await stateOf(store)
    const { operationId, created, linksMade } = await memory.importFrom({ path: source() })
    await memory.undo({ operationId: operationId! })
    expect(await stateOf(store)).toEqual(before)
    expect(await memory.importFrom({ path: source() })).toMatchObject({ created, linksMade })
  })

  test('importFrom with dryRun tells what it would do and writes nothing', async () => {
    const { memory, store } = await openTestMemory()
    const path = source()
    const before = await stateOf(store)
    const would = await memory.importFrom({ path, dryRun: true })
    expect(await stateOf(store)).toEqual(before)
    expect((await memory.history()).operations).toEqual([])
    const did = await memory.importFrom({ path })
    const { created, known, linksMade, left } = would
    expect(did).toMatchObject({ created, known, linksMade, left })
    const again = await memory.importFrom({ path, dryRun: true })
    expect(again).toMatchObject({ created: 0, linksMade: 0, left })
  })

  test('importFrom without trusted gives class import and no identity', async () => {
    const { memory, store } = await openTestMemory()
    await memory.importFrom({ path: source() })
    const { known } = await stateOf(store)
    expect(new Set(known.map(({ sourceClass }) => sourceClass))).toEqual(new Set(['import']))
    expect(known.every(({ tags }) => tags.includes(`imported/${format}`))).toBe(true)
    expect(known.flatMap(({ tags }) => tags).filter((tag) => tag.startsWith('self/'))).toEqual([])
    expect((await memory.recall({ frame: 'self' })).blocks).toEqual([])
  })
})

test('importFrom with trusted keeps source classes and identity tags', async () => {
  const { memory } = await openTestMemory()
  expect(await memory.importFrom({ path: pythonDatabase(), trusted: true })).toMatchObject({ created: 9 })
  const { blocks } = await memory.recall({ frame: 'self' })
  expect(blocks.map(({ content }) => content).sort()).toEqual([
    'I keep the log of the harbour.',
    'Say what the tide does.',
  ])
  const { block } = await memory.show({ blockId: '2edf4561c0341216' })
  expect(block).toMatchObject({ sourceClass: 'user', source: 'user' })
})

describe('what is here already', () => {
  test('importFrom adds no tags, cues, evidence or edges to a known block', async () => {
    const { memory, store, learn } = await openTestMemory()
    const [id] = await learn('The ferry to Ystad leaves pier four at six.')
    const before = await store.read((tx) => readBlocks(tx, [id!]))
    const answer = await memory.importFrom({ path: pythonDatabase() })
    expect(answer).toMatchObject({ created: 8, known: 1, linksMade: 1 })
    expect(answer.left).toContainEqual(expect.objectContaining({ what: 'links', count: 1 }))
    const after = await store.read((tx) => readBlocks(tx, [id!]))
    const said = ({ tags, cue, successes, failures, sourceClass }: (typeof before)[number]) => ({
      ...{ tags, cue, successes, failures, sourceClass },
    })
    expect(after.map(said)).toEqual(before.map(said))
  })

  test('importFrom brings back no block that was forgotten or edited', async () => {
    const { memory } = await openTestMemory()
    const path = fileOf(
      'AGENTS.md',
      '- Sow the beans in May.\n- Water the beans at dawn.\n- Pick the beans in August.',
    )
    await memory.importFrom({ path })
    await memory.dream()
    const ids = new Map((await memory.ls()).blocks.map(({ id, content }) => [content, id]))
    await memory.forget({ blockId: ids.get('Sow the beans in May.')! })
    await memory.edit({ blockId: ids.get('Water the beans at dawn.')!, content: 'Water the beans at dusk.' })
    expect(await memory.importFrom({ path })).toMatchObject({ created: 0, known: 3 })
    expect((await memory.ls()).blocks.map(({ content }) => content).sort()).toEqual([
      'Pick the beans in August.',
      'Water the beans at dusk.',
    ])
  })
})

test('importFrom takes secrets out, or leaves their texts out with memory.secrets refuse', async () => {
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  const path = fileOf('AGENTS.md', `- The robot's token is ${token}.\n- The robot sweeps at nine.`)
  const { memory } = await openTestMemory()
  const redacted = await memory.importFrom({ path })
  expect(redacted).toMatchObject({ created: 2, redacted: [{ count: 1, field: 'AGENTS.md: content' }] })
  const strict = await openTestMemory({ settings: { memory: { secrets: 'refuse' } } })
  const refused = await strict.memory.importFrom({ path })
  expect(refused).toMatchObject({ created: 1, left: [{ what: 'texts', count: 1 }] })
  for (const each of [memory, strict.memory])
    expect(JSON.stringify(await each.ls({ status: 'inbox' }))).not.toContain(token)
})
