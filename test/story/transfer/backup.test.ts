import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/engine/memory.ts'
import { openSqliteStore } from '../../../src/sqlite/store.ts'
import { openTestMemory, refusal, temporaryFolder } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

test('backup writes one whole file beside the memory, mode 0600', async () => {
  const { memory, path, learn } = await openTestMemory()
  await learn(...statements(5))
  const made = await memory.backup()
  expect(made).toMatchObject({ blocks: 5, bytes: statSync(made.path).size, removed: [] })
  expect(made.path).toBe(join(`${path}.backups`, made.name))
  expect(made.name).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-001\.db$/)
  expect([modeOf(made.path), modeOf(`${path}.backups`)]).toEqual([0o600, 0o700])
  expect(readdirSync(`${path}.backups`)).toEqual([made.name])
  const copy = await openTestMemory({ path: made.path })
  expect((await copy.memory.ls({ status: 'active' })).blocks).toHaveLength(5)
})

test('backup keeps the newest keepBackups files and removes nothing else', async () => {
  const { memory, path, clock } = await openTestMemory({ settings: { store: { keepBackups: 2 } } })
  mkdirSync(`${path}.backups`)
  writeFileSync(join(`${path}.backups`, 'mine.db'), 'kept')
  const names: string[] = []
  for (let turn = 0; turn < 3; turn++) {
    names.push((await memory.backup()).name)
    clock.advance({ hours: 1 })
  }
  const last = await memory.backup()
  expect(last.removed).toEqual([names[1]])
  expect(readdirSync(`${path}.backups`).sort()).toEqual([names[2], last.name, 'mine.db'].sort())
})

test('backup to a path writes over nothing and is not counted', async () => {
  const { memory, path } = await openTestMemory({ settings: { store: { keepBackups: 1 } } })
  const elsewhere = join(temporaryFolder(), 'deep', 'copy.db')
  await memory.backup({ path: elsewhere })
  await memory.backup()
  expect(existsSync(elsewhere)).toBe(true)
  const before = readFileSync(elsewhere)
  expect((await refusal(memory.backup({ path: elsewhere }))).code).toBe('INVALID_INPUT')
  expect((await refusal(memory.backup({ path }))).code).toBe('INVALID_INPUT')
  expect(readFileSync(elsewhere).equals(before)).toBe(true)
})

test('restoreBackup brings back the state of a backup and backs up what was there', async () => {
  const { memory, learn } = await openTestMemory()
  const [kettle] = await learn('The red kettle boils.')
  const { name } = await memory.backup()
  const [teapot] = await learn('The blue teapot steams.')
  await memory.edit({ blockId: kettle!, content: 'The red kettle is broken.' })
  const { safety, blocks } = await memory.restoreBackup({ name })
  expect(blocks).toBe(1)
  expect((await memory.recall({ query: 'blue teapot' })).blockIds).not.toContain(teapot)
  expect((await memory.recall({ query: 'red kettle' })).blockIds).toEqual([kettle])
  expect((await memory.show({ blockId: kettle! })).block.content).toBe('The red kettle boils.')
  expect((await memory.history({ operation: 'restoreBackup' })).operations).toHaveLength(1)
  await memory.restoreBackup({ name: safety })
  expect((await memory.recall({ query: 'blue teapot' })).blockIds).toContain(teapot)
})

test('restoreBackup is seen by another process that has the memory open', async () => {
  const { memory, path, learn } = await openTestMemory()
  await learn('The red kettle boils.')
  const { name } = await memory.backup()
  await learn(...statements(20), 'The blue teapot steams.')
  const other = await openTestMemory({ path })
  expect((await other.memory.recall({ query: 'blue teapot' })).blockIds).not.toEqual([])
  await memory.restoreBackup({ name })
  expect((await other.memory.recall({ query: 'blue teapot steams', topK: 1 })).text).not.toContain('teapot')
  // As many changes as before: the number of changes alone would tell nothing.
  const [grey] = await learn('The grey pan sizzles.')
  expect((await other.memory.recall({ query: 'grey pan sizzles', topK: 1 })).blockIds).toEqual([grey])
  const { blockId } = await other.memory.remember({ content: 'The green cup is full.' })
  await other.memory.dream()
  expect((await memory.recall({ query: 'green cup', topK: 1 })).blockIds).toEqual([blockId])
})

test('restoreBackup refuses what is no sound backup and changes nothing', async () => {
  const { memory, path, learn } = await openTestMemory()
  await learn('The red kettle boils.')
  const folder = temporaryFolder()
  const file = (name: string) => join(folder, name)
  writeFileSync(file('text.db'), 'no database '.repeat(500))
  const theirs = new DatabaseSync(file('theirs.db'))
  theirs.exec('CREATE TABLE theirs (x)')
  theirs.close()
  await memory.backup({ path: file('other.db') })
  const other = new DatabaseSync(file('other.db'))
  other.exec('PRAGMA user_version = 9999')
  other.close()
  await memory.backup({ path: file('damaged.db') })
  const bytes = readFileSync(file('damaged.db'))
  bytes.fill(0x5a, 8_192, bytes.length - 4_096)
  writeFileSync(file('damaged.db'), bytes)
  await memory.backup({ path: file('short.db') })
  truncateSync(file('short.db'), 4_096 * 5)
  writeFileSync(file('empty.db'), '')
  const codes: string[] = []
  for (const name of ['text.db', 'theirs.db', 'other.db', 'damaged.db', 'short.db', 'empty.db', 'none.db'])
    codes.push((await refusal(memory.restoreBackup({ path: file(name) }))).code)
  expect(codes).toEqual([
    'STORE_CORRUPT',
    'STORE_FOREIGN',
    'STORE_FOREIGN',
    'STORE_CORRUPT',
    'STORE_CORRUPT',
    'STORE_FAILED',
    'NOT_FOUND',
  ])
  expect(readdirSync(`${path}.backups`)).toEqual([])
  expect((await memory.recall({ query: 'red kettle' })).blockIds).toHaveLength(1)
})

test('restoreBackup makes a new memory where a damaged one was moved away', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const open = () => openMemory(path, { embedder: createHashingEmbedder(), as: 'owner' })
  const first = await open()
  await first.rememberMany({ blocks: statements(100).map((content) => ({ content })) })
  await first.dream()
  const { name } = await first.backup()
  await first.close()
  const raw = new DatabaseSync(path)
  const page = raw
    .prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'operation_blocks'`)
    .get()?.rootpage
  raw.close()
  const bytes = readFileSync(path)
  bytes.fill(0x5a, (Number(page) - 1) * 4_096, Number(page) * 4_096)
  writeFileSync(path, bytes)
  const damaged = await open()
  const { checks } = await damaged.doctor({ fix: true })
  expect(checks.find((check) => check.name === 'file')).toMatchObject({ outcome: 'fail' })
  expect(checks.find((check) => check.name === 'fix')).toMatchObject({ outcome: 'skipped' })
  expect((await refusal(damaged.restoreBackup({ name }))).recovery).toContain('move its file away')
  await damaged.close()
  renameSync(path, `${path}.damaged`)
  expect((await refusal(open())).code).toBe('STORE_MISSING')
  const fresh = await openMemory(path, { embedder: createHashingEmbedder(), anew: true, as: 'owner' })
  await fresh.restoreBackup({ name })
  expect((await fresh.status()).activeCount).toBe(100)
  expect((await fresh.doctor()).checks.find((check) => check.name === 'file')).toMatchObject({
    outcome: 'ok',
  })
  await fresh.close()
})

test('backup, restore, export and import need a memory in a file', async () => {
  const { memory } = await openTestMemory({ kind: 'memory' })
  expect(await refusal(memory.backup())).toMatchObject({ code: 'INVALID_INPUT' })
  const recovery = expect.stringContaining('pg_dump')
  const store = { ...(await openSqliteStore(':memory:', { name: 'postgres://host/db' })), isLasting: true }
  const brought = await openMemory(undefined, { store, embedder: createHashingEmbedder(), as: 'owner' })
  for (const call of [brought.backup(), brought.export(), brought.restoreBackup({ name: 'x.db' })])
    expect(await refusal(call)).toMatchObject({ code: 'INVALID_INPUT', recovery })
  const target = join(temporaryFolder(), 'out.jsonl')
  expect(await brought.export({ path: target })).toMatchObject({ path: target })
  expect((await brought.settings()).database.path).toBe('postgres://host/db')
  await brought.close()
  await store.close()
})
