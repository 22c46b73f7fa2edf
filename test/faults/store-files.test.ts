import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { ElfmemError } from '../../src/errors.ts'
import { Connection } from '../../src/sqlite/connection/driver.ts'
import { FIRST } from '../../src/sqlite/migrations/001-first.ts'
import { GRAPH } from '../../src/sqlite/migrations/002-graph.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { AT, aBlock, codeOf, insertAll } from '../store/harness.ts'

const folder = await mkdtemp(join(tmpdir(), 'elfmem-files-'))
/** The user that owns nothing. */
const NOBODY = 65_534
let files = 0

afterAll(() => rm(folder, { recursive: true, force: true }))

function newPath(): string {
  files += 1
  return join(folder, `${files}.db`)
}

async function filled(count: number): Promise<string> {
  const path = newPath()
  const store = await openSqliteStore(path)
  await insertAll(
    store,
    Array.from({ length: count }, (_, index) => `block-${index}`),
  )
  await store.close()
  return path
}

async function failureOf(path: string): Promise<ElfmemError> {
  const failure = await openSqliteStore(path).catch((error: unknown) => error)
  if (!ElfmemError.is(failure)) throw new Error('it opened')
  return failure
}

/** Does it as somebody to whom permissions mean something, where we are root. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work()
  await chmod(folder, 0o755)
  process.seteuid?.(NOBODY)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
    await chmod(folder, 0o700)
  }
}

test('a new memory and its folders are for their owner only', async () => {
  const path = join(folder, 'deep', 'er', 'memory.db')
  const store = await openSqliteStore(path)
  await insertAll(store, ['a'])
  const modes = await Promise.all(
    [path, `${path}-wal`, join(folder, 'deep'), join(folder, 'deep', 'er')].map(
      async (each) => (await stat(each)).mode & 0o777,
    ),
  )
  expect(modes).toEqual([0o600, 0o600, 0o700, 0o700])
  await store.close()
})

test('a closed memory is one file, without a log or a backup beside it', async () => {
  const path = join(folder, 'alone', 'memory.db')
  const store = await openSqliteStore(path)
  await insertAll(store, ['a'])
  await store.close()
  expect(await readdir(join(folder, 'alone'))).toEqual(['memory.db'])
})

test.each([
  ['a line of text', 'hello\n'],
  ['a page of text', 'This is not a database. '.repeat(400)],
])('%s instead of a memory is refused and left alone', async (_, text) => {
  const path = newPath()
  await writeFile(path, text)
  const failure = await failureOf(path)
  expect(failure.code).toBe('STORE_CORRUPT')
  expect(failure.recovery).not.toBe('')
  expect(await readFile(path, 'utf8')).toBe(text)
})

test('a memory with damaged pages is refused when they are met', async () => {
  const path = await filled(500)
  const bytes = await readFile(path)
  bytes.fill(0x5a, 4096, bytes.length)
  await writeFile(path, bytes)
  const open = async (): Promise<void> => {
    const store = await openSqliteStore(path)
    try {
      await store.read((tx) => tx.changes(0))
    } finally {
      await store.close()
    }
  }
  expect(await codeOf(open())).toBe('STORE_CORRUPT')
})

test('a memory cut short is refused', async () => {
  const path = await filled(500)
  await truncate(path, 4096 * 3)
  expect((await failureOf(path)).code).toBe('STORE_CORRUPT')
})

test('a folder instead of a file is refused', async () => {
  const path = join(folder, 'folder.db')
  await mkdir(path)
  const failure = await failureOf(path)
  expect([failure.code, failure.recovery]).toEqual([
    'STORE_FOREIGN',
    'Name a file, for example memory.db in that folder.',
  ])
})

test('a path below a file is refused', async () => {
  const path = newPath()
  await writeFile(path, 'a file')
  expect((await failureOf(join(path, 'below', 'memory.db'))).code).toBe('STORE_FAILED')
})

test('a file that cannot be written is refused as read-only, and is as it was', async () => {
  const path = await filled(1)
  const before = await readFile(path)
  await chmod(path, 0o444)
  expect((await asNobody(() => failureOf(path))).code).toBe('STORE_READ_ONLY')
  expect((await readFile(path)).equals(before)).toBe(true)
})

test('a folder that cannot be written is refused as read-only', async () => {
  const closed = join(folder, 'closed')
  await mkdir(closed, { mode: 0o555 })
  expect((await asNobody(() => failureOf(join(closed, 'memory.db')))).code).toBe('STORE_READ_ONLY')
})

test('a statement that may not write says that the memory is read-only', async () => {
  const connection = new Connection(await filled(1), { readOnly: true })
  const write = async () => connection.run(`DELETE FROM blocks`)
  expect(await codeOf(write())).toBe('STORE_READ_ONLY')
  connection.close()
})

test('a memory of a newer elfmem is refused and left as it is', async () => {
  const path = await filled(3)
  const raw = new DatabaseSync(path)
  raw.exec('PRAGMA user_version = 9999')
  raw.close()
  const before = await readFile(path)
  const failure = await failureOf(path)
  expect(failure).toMatchObject({ code: 'STORE_TOO_NEW', details: { version: 9999 } })
  expect((await readFile(path)).equals(before)).toBe(true)
})

test('a memory from before scopes keeps all it has, and belongs to none', async () => {
  const path = newPath()
  const raw = new DatabaseSync(path)
  raw.exec(FIRST)
  raw.exec(GRAPH)
  raw.exec('PRAGMA application_id = 0x656c666d; PRAGMA user_version = 2')
  for (const id of ['a', 'b'])
    raw.exec(`INSERT INTO blocks (id, sequence, content, category, tags, status, created_at, occurred_at, session, position,
      successes, failures, reinforcement_count, last_reinforced_at, last_useful_at, decay_lambda, token_count)
      VALUES ('${id}', 1, 'old', 'knowledge', '["t"]', 'active', '${AT}', '${AT}', 's', 0, 0, 0, 0, 0, 0, 0, 1)`)
  raw.exec(`INSERT INTO edges (from_id, to_id, relation, origin, weight, reinforcement_count, created_at)
    VALUES ('a', 'b', 'supports', 'agent', 0.5, 0, '${AT}')`)
  raw.close()
  const store = await openSqliteStore(path)
  expect(await store.read((tx) => tx.counts())).toMatchObject({ active: 2, edges: 1, isolated: 0 })
  const page = await store.read((tx) => tx.page({ order: 'arrival', limit: 9, tag: 't', session: 's' }))
  expect(page.blocks.map(({ scope }) => scope)).toEqual([undefined, undefined])
  await store.write((tx) => tx.removeEdges([['a', 'b']]))
  expect(await store.read((tx) => tx.counts())).toMatchObject({ edges: 0, edgesByRelation: {}, isolated: 2 })
  expect((await store.within('one').read((tx) => tx.counts())).active).toBe(0)
  await store.close()
})

test('a database of another program is refused and left as it is', async () => {
  const path = newPath()
  const raw = new DatabaseSync(path)
  raw.exec('CREATE TABLE theirs (x)')
  raw.close()
  const before = await readFile(path)
  expect((await failureOf(path)).code).toBe('STORE_FOREIGN')
  expect((await readFile(path)).equals(before)).toBe(true)
})

test('a full disk is reported, loses nothing, and is over when there is room again', async () => {
  const path = await filled(3)
  const pages = Math.ceil((await stat(path)).size / 4096) + 20
  const cramped = await openSqliteStore(path, { maxPages: pages })
  const large = (name: string, index: number) => aBlock(`${name}-${index}`, { content: 'x'.repeat(20_000) })
  const acknowledged: string[] = []
  const fill = async (): Promise<void> => {
    for (let index = 0; index < 100; index += 1) {
      await cramped.write((tx) => tx.insertBlock(large('one', index)))
      acknowledged.push(`one-${index}`)
    }
  }
  expect(await codeOf(fill())).toBe('STORE_FULL')
  expect(acknowledged.length).toBeGreaterThan(0)
  const swallowed = cramped.write(async (tx) => {
    await codeOf(Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((index) => tx.insertBlock(large('two', index)))))
    await tx.saveMeta('after', 'the failure').catch(() => undefined)
  })
  expect(await codeOf(swallowed)).toBe('STORE_FULL')
  expect(await cramped.read((tx) => tx.blocks(acknowledged))).toHaveLength(acknowledged.length)
  await cramped.close()
  const store = await openSqliteStore(path)
  await store.write((tx) => tx.insertBlock(large('three', 0)))
  const found = await store.read((tx) =>
    tx.blocks(['block-0', 'block-2', ...acknowledged, 'three-0', 'two-0']),
  )
  expect(found.map((block) => block.id)).toEqual(['block-0', 'block-2', ...acknowledged, 'three-0'])
  expect(await store.read((tx) => tx.meta('after'))).toBe(undefined)
  await store.close()
})
