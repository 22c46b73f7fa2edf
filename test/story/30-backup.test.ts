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
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/memory.ts'
import { FIRST } from '../../src/sqlite/migrations/001-first.ts'
import { SCHEMA_VERSION } from '../../src/sqlite/migrations/schema.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { AT } from '../store/harness.ts'
import { openTestMemory, refusal, temporaryFolder } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

test('a backup is one whole file beside the memory, named after its time, for its owner only', async () => {
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

test('of the backups beside the memory only the newest stay, and nothing else is removed', async () => {
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

test('a backup is kept though the clock went back since the others were made', async () => {
  const { memory, path, clock } = await openTestMemory({ settings: { store: { keepBackups: 2 } } })
  for (let turn = 0; turn < 4; turn++) await memory.backup()
  clock.advance({ hours: -5 })
  const { name, removed } = await memory.backup()
  expect(removed).toHaveLength(1)
  expect(readdirSync(`${path}.backups`)).toContain(name)
})

test('a backup at a path of its own is not counted among the others and writes over nothing', async () => {
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

test('a restored backup is what recall finds, and what was there before is a backup, too', async () => {
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

test('whoever has the memory open goes on with what was restored, also with less than it knew', async () => {
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

test('the packed index of a state that is gone is left alone', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'memory.db')
  const open = () => openMemory(path, { embedder: createHashingEmbedder(), as: 'owner' })
  const first = await open()
  await first.rememberMany({ blocks: statements(1_100).map((content) => ({ content })) })
  await first.dream({ maxSeconds: 60 })
  const { name } = await first.backup()
  await first.remember({ content: 'The blue teapot steams.' })
  await first.dream()
  await first.close()
  const second = await open()
  expect(readdirSync(folder)).toContain('memory.db-index')
  await second.restoreBackup({ name })
  await second.close()
  const third = await open()
  expect((await third.recall({ query: 'blue teapot steams', topK: 1 })).text).not.toContain('teapot')
  expect((await third.status()).activeCount).toBe(1_100)
  await third.close()
})

test('what is no backup is refused before anything happens', async () => {
  const { memory, path, learn } = await openTestMemory()
  await learn('The red kettle boils.')
  const folder = temporaryFolder()
  const file = (name: string) => join(folder, name)
  writeFileSync(file('text.db'), 'no database '.repeat(500))
  const theirs = new DatabaseSync(file('theirs.db'))
  theirs.exec('CREATE TABLE theirs (x)')
  theirs.close()
  await memory.backup({ path: file('newer.db') })
  const newer = new DatabaseSync(file('newer.db'))
  newer.exec('PRAGMA user_version = 9999')
  newer.close()
  await memory.backup({ path: file('damaged.db') })
  const bytes = readFileSync(file('damaged.db'))
  bytes.fill(0x5a, 8_192, bytes.length - 4_096)
  writeFileSync(file('damaged.db'), bytes)
  await memory.backup({ path: file('short.db') })
  truncateSync(file('short.db'), 4_096 * 5)
  writeFileSync(file('empty.db'), '')
  const codes: string[] = []
  for (const name of ['text.db', 'theirs.db', 'newer.db', 'damaged.db', 'short.db', 'empty.db', 'none.db'])
    codes.push((await refusal(memory.restoreBackup({ path: file(name) }))).code)
  expect(codes).toEqual([
    'STORE_CORRUPT',
    'STORE_FOREIGN',
    'STORE_TOO_NEW',
    'STORE_CORRUPT',
    'STORE_CORRUPT',
    'STORE_FAILED',
    'NOT_FOUND',
  ])
  expect(readdirSync(`${path}.backups`)).toEqual([])
  expect((await memory.recall({ query: 'red kettle' })).blockIds).toHaveLength(1)
})

test('a damaged memory is not written over; moved away, its newest backup makes a new one', async () => {
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

test('a memory that sees one scope, or lies in no file, cannot be backed up, and says why', async () => {
  const { path } = await openTestMemory()
  const scoped = await openMemory(path, { scope: 'one', embedder: createHashingEmbedder(), as: 'owner' })
  expect((await refusal(scoped.backup())).code).toBe('OUT_OF_SCOPE')
  expect((await refusal(scoped.restoreBackup({ name: 'x.db' }))).code).toBe('OUT_OF_SCOPE')
  expect((await refusal(scoped.export())).code).toBe('OUT_OF_SCOPE')
  expect((await refusal(scoped.import({ name: 'x' }))).code).toBe('OUT_OF_SCOPE')
  await scoped.close()
  const { memory } = await openTestMemory({ kind: 'memory' })
  expect(await refusal(memory.backup())).toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('no file'),
  })
})

test('over MCP no path can be given, and tools do not speak of any', async () => {
  const { memory, path } = await openTestMemory()
  const client = await connectClient(memory)
  const { tools } = await client.listTools()
  const keys = (name: string) =>
    Object.keys(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {})
  expect(['backup', 'export', 'import'].map((name) => keys(`elfmem_${name}`))).toEqual([
    [],
    ['name'],
    ['name'],
  ])
  expect(tools.map(({ name }) => name)).not.toContain('elfmem_restore_backup')
  const target = join(temporaryFolder(), 'stolen')
  const calls = [
    ['elfmem_backup', { path: target }, 'OWNER_ONLY'],
    ['elfmem_export', { path: target }, 'OWNER_ONLY'],
    ['elfmem_export', { name: '../stolen' }, 'INVALID_INPUT'],
    ['elfmem_restore_backup', { path }, 'OWNER_ONLY'],
    ['elfmem_import', { path }, 'OWNER_ONLY'],
    ['elfmem_import', { name: 'x', trusted: true }, 'OWNER_ONLY'],
  ] as const
  for (const [name, args, code] of calls) {
    const { isError, structuredContent } = await client.callTool({ name, arguments: args })
    expect([isError, (structuredContent as { code: string }).code], name).toEqual([true, code])
  }
  expect(existsSync(target)).toBe(false)
})

/** A memory as the first version made it. */
function ofFirstVersion(path: string): void {
  const raw = new DatabaseSync(path)
  raw.exec(FIRST)
  raw.exec('PRAGMA application_id = 0x656c666d; PRAGMA user_version = 1')
  raw.exec(`INSERT INTO blocks (id, sequence, content, category, tags, status, created_at, occurred_at, session, position,
    successes, failures, reinforcement_count, last_reinforced_at, last_useful_at, decay_lambda, token_count)
    VALUES ('a', 1, 'old', 'knowledge', '["t"]', 'active', '${AT}', '${AT}', 's', 0, 0, 0, 0, 0, 0, 0, 1)`)
  raw.close()
}

test('before the format of a memory changes it is backed up as it was', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'memory.db')
  ofFirstVersion(path)
  const store = await openSqliteStore(path)
  await store.close()
  const kept = readdirSync(folder).filter((name) => name.includes('.before-v'))
  expect(kept).toEqual([expect.stringMatching(/^memory\.db\.before-v\d+\.db$/)])
  const copy = join(folder, kept[0]!)
  expect(modeOf(copy)).toBe(0o600)
  const raw = new DatabaseSync(copy, { readOnly: true })
  expect(raw.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 })
  expect(raw.prepare('SELECT content FROM blocks').all()).toEqual([{ content: 'old' }])
  raw.close()
})

test('a memory that cannot be backed up keeps its format and is refused', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'memory.db')
  ofFirstVersion(path)
  mkdirSync(join(folder, `memory.db.before-v${SCHEMA_VERSION}.db`, 'in the way'), { recursive: true })
  expect(await refusal(openSqliteStore(path))).toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('backup before that failed'),
  })
  const raw = new DatabaseSync(path, { readOnly: true })
  expect(raw.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 })
  raw.close()
})
