import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import { Connection } from '../../src/sqlite/connection/driver.ts'
import { lookBeforeOpening } from '../../src/sqlite/file/look-before-opening.ts'
import { makeTables, SCHEMA_VERSION } from '../../src/sqlite/migrations/schema.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { HASHING, NODE_OPTIONS } from '../surfaces/helpers/cli.ts'
import { endlessFreeList, endlessRow, HALF_A_GIGABYTE, SOME_MEGABYTES, sharePages } from './crafted-pages.ts'
import { wholeMemories } from './whole-memories.ts'

const BIN = join(import.meta.dirname, '..', '..', 'src', 'bin.ts')
const CONFIG = { as: 'owner', config: { embeddings: { provider: 'hashing' } } } as const
/** Two seconds on a machine that does nothing else; these tests share theirs. */
const ANSWER_MS = 6_000

const memoryFile = wholeMemories()

/** Files whose schema is ours and whose pages lead SQLite astray. */
const ASTRAY: readonly (readonly [name: string, make: (path: string) => void])[] = [
  ['shared pages in an index', (path) => sharePages(path, 'blocks_active')],
  ['shared pages in a small index', (path) => sharePages(path, 'pairs_open')],
  ['shared pages in a table', (path) => sharePages(path, 'sessions')],
  ['shared pages below one of many leaves', (path) => sharePages(path, 'blocks_active', true)],
  ['a row that goes on in a circle', (path) => endlessRow(path, 'sessions', HALF_A_GIGABYTE)],
  ['a row of meta that goes on in a circle', (path) => endlessRow(path, 'meta', SOME_MEGABYTES)],
  ['a free list in a circle', (path) => endlessFreeList(path)],
  ['a free list that holds a table', (path) => endlessFreeList(path, 'sessions')],
]

function namesAndBytes(path: string): Record<string, string> {
  const folder = dirname(path)
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
  )
}

test.each(ASTRAY)('%s is refused at once, and nothing is changed', async (_, make) => {
  const path = memoryFile()
  make(path)
  const before = namesAndBytes(path)
  const begun = performance.now()
  const refused = await refusal(openMemory(path, CONFIG))
  expect(performance.now() - begun).toBeLessThan(ANSWER_MS)
  expect(refused).toMatchObject({ code: 'STORE_CORRUPT', recovery: expect.stringContaining('elfmem rescue') })
  expect(namesAndBytes(path)).toEqual(before)
})

test.each(ASTRAY)('a backup with %s is not restored', async (_, make) => {
  const path = memoryFile()
  make(path)
  const own = memoryFile()
  const memory = await openMemory(own, CONFIG)
  const begun = performance.now()
  expect((await refusal(memory.restoreBackup({ path }))).code).toBe('STORE_CORRUPT')
  expect(performance.now() - begun).toBeLessThan(ANSWER_MS)
  expect((await memory.status()).activeCount).toBe(12)
  await memory.close()
  expect(readdirSync(dirname(own)).filter((name) => name.includes('.part-'))).toEqual([])
})

test.each(['status', 'curate', 'doctor'])('shared pages do not keep %s from ending', (command) => {
  const path = memoryFile()
  sharePages(path, 'blocks_active')
  const home = temporaryFolder()
  const child = spawnSync(process.execPath, [BIN, command, '--db', path, '--json'], {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...HASHING, ...NODE_OPTIONS },
    cwd: home,
    encoding: 'utf8',
    timeout: 5 * ANSWER_MS,
  })
  expect(child.signal).toBeNull()
  expect(JSON.parse(child.stdout)).toMatchObject({ code: 'STORE_CORRUPT' })
})

test('shared pages in a file of an older version are refused before it is copied', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const old = new Connection(path)
  makeTables(old, 2)
  old.script('PRAGMA user_version = 2; PRAGMA application_id = 0x656c666d')
  old.close()
  sharePages(path, 'blocks')
  const begun = performance.now()
  expect((await refusal(openMemory(path, CONFIG))).code).toBe('STORE_CORRUPT')
  expect(performance.now() - begun).toBeLessThan(ANSWER_MS)
  expect(readdirSync(dirname(path))).toEqual(['memory.db'])
})

async function writtenTo(path: string): Promise<void> {
  const memory = await openMemory(path, CONFIG)
  await memory.remember({ content: 'The tide turns at noon' })
  await memory.close()
}

test('a file that was found sound and written to is known again, and its copy is not', async () => {
  const path = memoryFile()
  expect(lookBeforeOpening(path, SCHEMA_VERSION).isKnown).toBe(false)
  // Who only looks leaves the file as it is.
  const memory = await openMemory(path, CONFIG)
  await memory.status()
  await memory.close()
  expect(lookBeforeOpening(path, SCHEMA_VERSION).isKnown).toBe(false)
  await writtenTo(path)
  expect(lookBeforeOpening(path, SCHEMA_VERSION).isKnown).toBe(true)
  copyFileSync(path, `${path}.copy`)
  expect(lookBeforeOpening(`${path}.copy`, SCHEMA_VERSION).isKnown).toBe(false)
})

test('a file that is known is refused, too, if shared pages are put into it', async () => {
  const path = memoryFile()
  await writtenTo(path)
  expect(lookBeforeOpening(path, SCHEMA_VERSION).isKnown).toBe(true)
  sharePages(path, 'blocks_active')
  expect((await refusal(openMemory(path, CONFIG))).code).toBe('STORE_CORRUPT')
})

// Node 22 before 22.16 cannot restore a backup.
test.skipIf(!Connection.canCopy)('a restored memory is known, and opens', async () => {
  const path = memoryFile()
  const memory = await openMemory(path, CONFIG)
  await memory.restoreBackup({ path: memoryFile() })
  await memory.close()
  expect(lookBeforeOpening(path, SCHEMA_VERSION).isKnown).toBe(true)
})

test('a memory that others write to and checkpoint all the while is never refused', async () => {
  const path = memoryFile()
  const writer = fork(join(import.meta.dirname, 'children', 'writing.ts'), [path], { stdio: 'inherit' })
  onTestFinished(() => void writer.kill('SIGKILL'))
  await once(writer, 'message')
  for (let i = 0; i < 200; i += 1) {
    const store = await openSqliteStore(path)
    expect(await store.read((tx) => tx.waiting())).toBeDefined()
    await store.close()
  }
  expect(writer.exitCode).toBeNull()
})
