import { readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
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

  test('keeps its ids, times, cues, evidence, reports and edges with origin and note', async () => {
    const { memory } = await openOwner()
    const answer = await memory.importFrom({ path: pythonDatabase() })
    expect(answer).toMatchObject({
      format: 'elfmem-python',
      texts: 9,
      created: 9,
      withEvidence: 2,
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
      status: 'active',
    })
    expect(edges).toContainEqual(
      expect.objectContaining({
        other: fog,
        relation: 'elaborates',
        origin: 'agent',
        note: 'when it leaves late',
      }),
    )
  })

  test('keeps a mind with its prediction as blocks, and a peer as data', async () => {
    const { memory } = await openOwner()
    await memory.importFrom({ path: pythonDatabase() })
    const blocks = await blocksOf(memory)
    expect([...blocks.values()].filter(({ category }) => category === 'mind')).toHaveLength(1)
    const peers = await memory.items('import').list({ namespace: ['elfmem-python', 'peers'] })
    expect(peers.items).toMatchObject([{ key: 'elf:lighthouse', value: { name: 'Lighthouse', trust: 0 } }])
  })

  test('counts its evidence once, however often it is taken in', async () => {
    const { memory, store } = await openOwner()
    const path = pythonDatabase()
    await memory.importFrom({ path })
    const before = await store.read((tx) => tx.blocks([ferry]))
    expect(before).toMatchObject([{ successes: 2, failures: 0 }])
    const again = await memory.importFrom({ path, trusted: true })
    expect(again).toMatchObject({ created: 0, known: 9, linksMade: 0, linksKnown: 2, itemsKept: 0 })
    expect(await store.read((tx) => tx.blocks([ferry]))).toEqual(before)
    expect(await store.read((tx) => tx.outcomes(ferry, 10))).toHaveLength(1)
  })

  test('has its archived blocks left out unless they are asked for', async () => {
    const { memory } = await openOwner()
    const path = pythonDatabase()
    const without = await memory.importFrom({ path })
    expect(lost(without.left, 'archived blocks')).toBe(1)
    expect(await memory.importFrom({ path, archived: true })).toMatchObject({
      created: 1,
      known: 9,
      left: [],
    })
  })

  test('is left as it is, byte for byte, and nothing appears beside it', async () => {
    const path = pythonDatabase()
    const before = readFileSync(path)
    const { memory } = await openOwner()
    await memory.importFrom({ path })
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(statSync(`${path}-shm`, { throwIfNoEntry: false })).toBeUndefined()
  })

  test('is named with the command that takes it in, wherever it stands in place of a memory', async () => {
    const path = pythonDatabase()
    await expect(openSqliteStore(path)).rejects.toMatchObject({
      code: 'STORE_FOREIGN',
      message: expect.stringContaining('the database of the Python elfmem'),
      recovery: expect.stringContaining(
        `elfmem import-from ${path} --db ${path.replace('.db', '-imported.db')}`,
      ),
    })
  })
})

test('the file that server-memory wrote becomes a statement for each observation and relation, and links', async () => {
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

test('an export of ChatGPT becomes the turns of the branch that was shown, and what it remembered', async () => {
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

test('an unpacked export of Claude becomes turns, documents of projects and what it remembers', async () => {
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

test('rules become a statement for each item and paragraph, found under their headings, without our own part', async () => {
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

test('a project has its rules read from every place that agents know, and nothing else', async () => {
  const { memory } = await openOwner()
  const path = folderOf({
    'README.md': 'A readme is no rule.',
    'AGENTS.md': 'Ask before you add a dependency.',
    '.cursor/rules/go.mdc': '---\ndescription: Go code\nglobs: *.go\n---\nWrap errors with their cause.',
    '.github/copilot-instructions.md': 'Prefer small functions.',
  })
  const answer = await memory.importFrom({ path })
  expect(answer).toMatchObject({ format: 'rules', created: 3 })
  expect((await blocksOf(memory)).get('Wrap errors with their cause.')).toMatchObject({ cue: 'Go code' })
})

test('notes keep their observations, tags, dates and links, and nothing hidden is read', async () => {
  const { memory } = await openOwner()
  const answer = await memory.importFrom({ path: folderOf(NOTES) })
  expect(answer).toMatchObject({ format: 'markdown', links: 3, linksMade: 3 })
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

test.each(['JSON', 'database'])('memories of mem0 come from its %s with user, run and time', async (kind) => {
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

test('a folder that holds an export is told from one that holds notes by what is in it', async () => {
  const { memory } = await openOwner()
  const path = folderOf({ 'conversations.json': JSON.stringify(CLAUDE), 'Notes.md': 'The press is new.' })
  expect((await memory.importFrom({ path, dryRun: true })).format).toBe('claude')
  expect((await memory.importFrom({ path, format: 'markdown', dryRun: true })).samples).toMatchObject([
    { content: 'The press is new.' },
  ])
})
