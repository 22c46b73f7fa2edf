import { readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
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

const openOwner = () => openTestMemory({ as: 'owner' })

/** The blocks of a memory by what they say. */
async function blocksOf(memory: Memory) {
  const [active, inbox] = await Promise.all([
    memory.ls({ limit: 200 }),
    memory.ls({ limit: 200, status: 'inbox' }),
  ])
  const shown = await Promise.all(
    [...active.blocks, ...inbox.blocks].map(({ id }) => memory.show({ blockId: id })),
  )
  return new Map(shown.map(({ block }) => [block.content, block]))
}

/** What stands in an answer under the name of a loss. */
const lost = (left: readonly { what: string; count: number }[], what: string) =>
  left.filter((each) => each.what === what).reduce((sum, { count }) => sum + count, 0)

describe('the database that the Python elfmem 0.20 wrote', () => {
  const ferry = '2edf4561c0341216'
  const fog = '6b5a54894236b6f9'

  test('importFrom keeps ids, times, cues, evidence and edges', async () => {
    const { memory } = await openOwner()
    const answer = await memory.importFrom({ path: pythonDatabase() })
    expect(answer).toMatchObject({
      format: 'elfmem-python',
      created: 9,
      linksMade: 2,
    })
    const { block, edges } = await memory.show({ blockId: ferry })
    expect(block).toMatchObject({
      id: ferry,
      content: 'The ferry to Ystad leaves pier four at six.',
      cue: 'somebody asks for the ferry',
      source: 'import: elfmem-python user',
      sourceClass: 'import',
      tags: ['harbour/ferry', 'imported/elfmem-python'],
      occurredAt: '2026-11-26T07:04:08.797Z',
      status: 'inbox',
    })
    const said = { other: fog, relation: 'elaborates', origin: 'agent', note: 'when it leaves late' }
    expect(edges).toContainEqual(expect.objectContaining(said))
    await memory.dream()
    expect((await memory.show({ blockId: ferry })).edges).toContainEqual(expect.objectContaining(said))
  })

  test('importFrom leaves the database as it is, with nothing beside it', async () => {
    const path = pythonDatabase()
    const before = readFileSync(path)
    const { memory } = await openOwner()
    await memory.importFrom({ path })
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(statSync(`${path}-shm`, { throwIfNoEntry: false })).toBeUndefined()
  })
})

test('importFrom makes statements and links of a file of server-memory', async () => {
  const { memory } = await openOwner()
  const answer = await memory.importFrom({ path: SERVER_MEMORY })
  expect(answer).toMatchObject({ format: 'server-memory', created: 8, linksMade: 2 })
  expect(lost(answer.left, 'links')).toBe(1)
  const blocks = await blocksOf(memory)
  expect(blocks.get('Dyke warden: keeps the sluice keys in a blue tin')).toMatchObject({
    tags: ['entity/dyke-warden', 'imported/server-memory', 'kind/person'],
    sourceClass: 'import',
    source: 'import: server-memory Dyke warden',
  })
  expect(blocks.has('Dyke warden looks after North sluice.')).toBe(true)
})

test('importFrom makes turns of the shown branch of an export of ChatGPT', async () => {
  const { memory } = await openOwner()
  const answer = await memory.importFrom({ path: fileOf('conversations.json', JSON.stringify(CHATGPT)) })
  expect(answer.format).toBe('chatgpt')
  const blocks = await blocksOf(memory)
  expect([...blocks.keys()].sort()).toEqual([
    'Is this queen marked?',
    'Keeps eleven hives behind the mill.',
    'Once four of five cells are capped.',
    'When do I take the honey off?',
    'Yes, in blue.',
  ])
  expect(blocks.get('When do I take the honey off?')).toMatchObject({
    category: 'turn',
    session: 'chatgpt/c-1',
    occurredAt: '2025-06-15T15:06:40.000Z',
    tags: ['chat/bees-in-june', 'imported/chatgpt'],
  })
  expect(blocks.get('Keeps eleven hives behind the mill.')?.tags).toContain('chatgpt/memory')
  expect(Object.fromEntries(answer.left.map(({ what, count }) => [what, count]))).toEqual({
    'messages of other branches': 1,
    'pictures and sounds': 1,
    'calls of tools': 1,
    'archived conversations': 1,
  })
})

test('importFrom makes turns and documents of an export of Claude', async () => {
  const { memory } = await openOwner()
  const path = folderOf({
    'conversations.json': JSON.stringify(CLAUDE),
    'projects.json': JSON.stringify([
      {
        uuid: 'p',
        name: 'Dairy',
        docs: [{ filename: 'rennet.md', content: 'Rennet keeps for a month in the dark.' }],
      },
    ]),
    'memories.json': JSON.stringify([
      { conversations_memory: 'The dairy has forty goats.', project_memories: {} },
    ]),
    'users.json': '[]',
  })
  const answer = await memory.importFrom({ path })
  expect(answer).toMatchObject({ format: 'claude', created: 4 })
  expect(lost(answer.left, 'attached files')).toBe(1)
  const blocks = await blocksOf(memory)
  expect(blocks.get('How damp should the cellar be?')).toMatchObject({
    category: 'turn',
    session: 'claude/k-1',
  })
  expect(blocks.get('The dairy has forty goats.')?.tags).toContain('claude/memory')
})

test('importFrom makes a statement of each item and paragraph of rules', async () => {
  const { memory } = await openOwner()
  const answer = await memory.importFrom({ path: fileOf('CLAUDE.md', RULES) })
  expect(answer).toMatchObject({ format: 'rules', created: 3 })
  expect(lost(answer.left, 'imports of other files')).toBe(1)
  const blocks = await blocksOf(memory)
  expect(blocks.get('Name a test after what holds.\n  Never after a ticket.')).toMatchObject({ cue: 'Tests' })
  expect(blocks.get('Run them like this:\n```sh\n# all of them\nmake test\n```')).toMatchObject({
    cue: 'Tests',
  })
})

test('importFrom of notes keeps observations, tags, dates and links', async () => {
  const { memory } = await openOwner()
  const answer = await memory.importFrom({ path: folderOf(NOTES) })
  expect(answer).toMatchObject({ format: 'markdown', linksMade: 3 })
  expect(answer.left).toMatchObject([{ what: 'links', count: 1, examples: ['Nowhere'] }])
  const blocks = await blocksOf(memory)
  expect(blocks.get('Skiff: Larch planks on oak ribs (seen in the yard)')).toMatchObject({
    category: 'material',
    tags: ['boat', 'imported/markdown', 'larch', 'wood'],
    occurredAt: '2025-05-06T00:00:00.000Z',
    session: 'notes/boats/Skiff.md',
  })
  expect([...blocks.keys()].some((text) => text.includes('caulk the stern'))).toBe(true)
  expect([...blocks.keys()].some((text) => text.includes('thrown away'))).toBe(false)
})

test.each(['JSON', 'database'])('importFrom of mem0 takes its %s with user, run and time', async (kind) => {
  const { memory } = await openOwner()
  const entry = { user_id: 'Ana B', run_id: 'r1', created_at: '2026-01-02T03:04:05Z' }
  const path =
    kind === 'database'
      ? mem0Database([{ data: 'Bakes on Fridays', ...entry }, { hash: 'no words' }])
      : fileOf(
          'all.json',
          JSON.stringify({ results: [{ id: '1', memory: 'Bakes on Fridays', ...entry }, { id: '2' }] }),
        )
  const answer = await memory.importFrom({ path })
  expect(answer).toMatchObject({ format: 'mem0', created: 1 })
  expect(lost(answer.left, 'entries without words')).toBe(1)
  expect((await blocksOf(memory)).get('Bakes on Fridays')).toMatchObject({
    session: 'mem0/r1',
    tags: ['imported/mem0', 'user/ana-b'],
    occurredAt: '2026-01-02T03:04:05.000Z',
  })
})
