import { chmod, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/engine/memory.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { elfmem } from '../surfaces/helpers/cli.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

/** The user that owns nothing, to whom permissions mean something. */
const NOBODY = 65_534
const PAGE = 4_096
/** Questions after which a file without room is full for sure. */
const ASKED_MOST = 300
const KETTLE = 'The kettle hangs above the stove.'

const open = (path: string) => openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })

async function filled(): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = temporaryFolder()
  const path = join(folder, 'memory.db')
  const memory = await open(path)
  await memory.remember({ content: KETTLE })
  await memory.dream()
  await memory.close()
  return { folder, path }
}

/** Works as a user who owns nothing, where we are root. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work()
  process.seteuid?.(NOBODY)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}

test.skipIf(process.platform === 'win32').each([
  { what: 'file', file: 0o444, around: 0o777 },
  { what: 'folder', file: 0o666, around: 0o555 },
])('recall answers from a read-only $what without a trace, and says so', async ({ file, around }) => {
  const { folder, path } = await filled()
  await chmod(path, file)
  await chmod(folder, around)
  const before = await readFile(path)
  await asNobody(async () => {
    const memory = await open(path)
    const answer = await memory.recall({ query: 'where is the kettle' })
    expect(answer).toMatchObject({
      untraced: 'read_only',
      blocks: [{ content: KETTLE }],
    })
    expect(answer.recallId).toBeUndefined()
    expect(answer.note).toContain('this recall left no trace')
    const client = await connectClient(memory)
    const { content } = await client.callTool({ name: 'elfmem_recall', arguments: { query: 'kettle' } })
    expect(JSON.stringify(content)).toContain('this recall left no trace')
    const { out } = await elfmem(['recall', 'kettle', '--db', path], { home: folder })
    expect(out).toContain('this recall left no trace')
    expect((await memory.ls({})).blocks).toHaveLength(1)
    expect((await refusal(memory.remember({ content: 'Tea is at four' }))).code).toBe('STORE_READ_ONLY')
    await memory.close()
  })
  await chmod(folder, 0o700)
  expect((await readFile(path)).equals(before)).toBe(true)
  expect(await readdir(folder)).toEqual(['memory.db'])
  expect((await stat(path)).size).toBe(before.length)
})

test('recall answers on a full disk without a trace, says so, and has one again when there is room', async () => {
  const { path } = await filled()
  const store = await openSqliteStore(path, { maxPages: (await stat(path)).size / PAGE })
  const memory = await openMemory(path, { as: 'owner', embedder: createHashingEmbedder(), store })
  let answer = await memory.recall({ query: 'kettle' })
  for (let asked = 0; answer.untraced === undefined && asked < ASKED_MOST; asked++)
    answer = await memory.recall({ query: `kettle above the stove ${'x'.repeat(900)} ${asked}` })
  expect(answer).toMatchObject({ untraced: 'full', blocks: [{ content: KETTLE }] })
  expect([answer.recallId, answer.note]).toEqual([undefined, expect.stringContaining('The disk is full')])
  await memory.close()
  await store.close()
  const roomy = await open(path)
  expect(await roomy.recall({ query: 'kettle' })).toMatchObject({ recallId: expect.any(String) })
  await roomy.close()
})
