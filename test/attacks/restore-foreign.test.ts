import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/memory.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { remade } from './remade.ts'
import { wholeMemories } from './whole-memories.ts'

const memoryFile = wholeMemories()

async function openOwn() {
  const path = join(temporaryFolder(), 'memory.db')
  const memory = await openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })
  onTestFinished(() => memory.close())
  await memory.remember({ content: 'The owner is here' })
  return { path, memory, backups: () => backupsOf(path) }
}

function backupsOf(path: string): string[] {
  return existsSync(`${path}.backups`) ? readdirSync(`${path}.backups`) : []
}

test.each([512, 65_536])('a backup with pages of %i bytes is restored into a memory in use', async (size) => {
  const given = memoryFile()
  remade(given, `PRAGMA page_size = ${size}`)
  const { memory, path } = await openOwn()
  expect(await memory.restoreBackup({ path: given })).toMatchObject({ blocks: 12 })
  expect((await memory.recall({ query: 'crane 7' })).blocks[0]?.content).toContain('crane 7 lifts 21')
  await memory.remember({ content: 'The crane rests' })
  expect((await memory.doctor({ resolve: true })).checks.filter(({ outcome }) => outcome === 'fail')).toEqual(
    [],
  )
  const raw = new DatabaseSync(path, { readOnly: true })
  expect(raw.prepare('PRAGMA page_size').get()).toEqual({ page_size: 4_096 })
  raw.close()
})

test('a memory whose pages have another size takes its backups and those of others', async () => {
  const path = memoryFile()
  remade(path, 'PRAGMA page_size = 1024')
  const memory = await openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })
  onTestFinished(() => memory.close())
  expect(await memory.restoreBackup({ path: memoryFile() })).toMatchObject({ blocks: 12 })
  const { safety } = await memory.restoreBackup({ path: memoryFile() })
  expect(await memory.restoreBackup({ name: safety })).toMatchObject({ blocks: 12 })
})

test('a refused restore leaves no backup behind, however often it is tried', async () => {
  const { memory, backups } = await openOwn()
  const given = memoryFile()
  remade(given, `PRAGMA encoding = 'UTF-16le'`)
  for (let i = 0; i < 3; i += 1)
    expect((await refusal(memory.restoreBackup({ path: given }))).code).toBe('STORE_FOREIGN')
  expect(backups()).toEqual([])
  expect((await memory.inbox()).blocks).toHaveLength(1)
})

/** Makes a file that was left by a killed process: its last blocks lie in the log. */
async function killed(): Promise<string> {
  const from = memoryFile()
  const memory = await openMemory(from, { embedder: createHashingEmbedder() })
  for (let i = 1; i <= 5; i += 1) await memory.remember({ content: `The lamp ${i} burns ${i * 7} hours` })
  const path = join(temporaryFolder(), 'killed.db')
  for (const ending of ['', '-wal']) {
    copyFileSync(`${from}${ending}`, `${path}${ending}`)
    chmodSync(`${path}${ending}`, 0o600)
  }
  await memory.close()
  return path
}

test.each([
  ['a memory', async () => memoryFile(), 12],
  ['a memory of a killed process', killed, 17],
])('restoring %s leaves nothing beside it', async (_, make, blocks) => {
  const given = await make()
  const before = readdirSync(dirname(given))
  const { memory } = await openOwn()
  expect(await memory.restoreBackup({ path: given })).toMatchObject({ blocks })
  expect(readdirSync(dirname(given))).toEqual(before)
})

test('a memory that somebody has open is restored from, with what its log holds', async () => {
  const given = memoryFile()
  const other = await openMemory(given, { embedder: createHashingEmbedder() })
  onTestFinished(() => other.close())
  await other.remember({ content: 'The lamp burns' })
  const { memory } = await openOwn()
  expect(await memory.restoreBackup({ path: given })).toMatchObject({ blocks: 13 })
  await other.remember({ content: 'The lamp is out' })
  expect((await other.inbox()).blocks).toHaveLength(2)
})

test('the refusal of a foreign schema names the file that was given', async () => {
  const given = memoryFile()
  const raw = new DatabaseSync(given)
  raw.exec('CREATE VIEW evil AS SELECT 1')
  raw.close()
  const { memory } = await openOwn()
  expect((await refusal(memory.restoreBackup({ path: given }))).recovery).toContain(`rescue ${given}`)
})

test('a file that says to have 50 GB and has none of them is refused before anything is copied', async () => {
  const given = memoryFile()
  truncateSync(given, 50 * 2 ** 30)
  const { memory, backups } = await openOwn()
  expect(await refusal(memory.restoreBackup({ path: given }))).toMatchObject({
    code: 'STORE_CORRUPT',
    message: expect.stringContaining('53687091200 bytes'),
  })
  expect(backups()).toEqual([])
})

test('what a killed restore left is removed by the next backup, restore or doctor', async () => {
  const { memory, path } = await openOwn()
  const { pid } = spawnSync('true')
  const left = join(`${path}.backups`, `restoring.part-${pid}`)
  mkdirSync(dirname(left), { recursive: true })
  const calls = [
    () => memory.backup(),
    () => memory.restoreBackup({ path: memoryFile() }),
    () => memory.doctor({ fix: true }),
  ]
  for (const call of calls) {
    writeFileSync(left, 'half of it')
    await call()
    expect(existsSync(left)).toBe(false)
  }
})
