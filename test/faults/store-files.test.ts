import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ElfmemError } from '../../src/errors.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { aBlock, codeOf, insertAll } from '../store/harness.ts'

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
