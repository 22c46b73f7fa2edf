import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { expectDerived } from '../derived/expected.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { closedMemory, contentsIn, open, sql } from './files.ts'

/** The bytes of a memory whose tables have version 3, in which triggers kept what follows from rows. */
const FORMER = gunzipSync(readFileSync(new URL('../fixtures/memory-3.db.gz', import.meta.url)))

function formerMemory(): string {
  const path = join(temporaryFolder(), 'former.db')
  writeFileSync(path, FORMER, { mode: 0o600 })
  return path
}

function triggersIn(path: string): unknown[] {
  const raw = new DatabaseSync(path, { readOnly: true })
  const triggers = raw.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all()
  raw.close()
  return triggers
}

test('a memory of version 3 opens, keeps its rows, and has no trigger any more', async () => {
  const path = formerMemory()
  const before = contentsIn(path)
  expect(triggersIn(path).length).toBeGreaterThan(0)
  const memory = await open(path)
  expect(triggersIn(path)).toEqual([])
  const rows = expectDerived(path)
  expect(Object.values(rows).every((total) => total > 0)).toBe(true)
  const { blockId } = await memory.remember({ content: 'The pier was painted green', tags: ['pier'] })
  await memory.dream()
  const [ferry] = (await memory.ls({ tag: 'ferry/time' })).blocks
  await memory.connect({ source: String(blockId), target: String(ferry?.id) })
  expect((await memory.doctor()).checks.find(({ name }) => name === 'file')).toMatchObject({ outcome: 'ok' })
  await memory.close()
  expectDerived(path)
  expect(contentsIn(path)).toEqual([...before, 'The pier was painted green'])
  await (await open(path)).close()
})

test('a memory of version 4, which has no predictions, opens and takes some', async () => {
  const path = await closedMemory()
  sql(path, 'DROP TABLE predictions', 'PRAGMA user_version = 4')
  const before = contentsIn(path)
  const memory = await open(path)
  const expects = { by: '2026-12-01', probability: 0.7 }
  const { blockId } = await memory.remember({ content: 'The pier opens in winter', expect: expects })
  expect(await memory.show({ blockId })).toMatchObject({ prediction: expects })
  await memory.close()
  expectDerived(path)
  expect(contentsIn(path)).toEqual([...before, 'The pier opens in winter'])
})

test('a memory of version 4 with a trigger is refused and left as it was', async () => {
  const path = await closedMemory()
  sql(
    path,
    ...['DROP TABLE predictions', 'PRAGMA user_version = 4'],
    'CREATE TRIGGER blocks_evil AFTER INSERT ON blocks BEGIN DELETE FROM meta; END',
  )
  const before = readFileSync(path)
  expect((await refusal(open(path))).code).toBe('STORE_FOREIGN')
  expect(readFileSync(path)).toEqual(before)
})

test('a backup of the former version is restored', async () => {
  const [backup, own] = [formerMemory(), await closedMemory()]
  const memory = await open(own)
  onTestFinished(() => memory.close())
  await memory.restoreBackup({ path: backup })
  expect(contentsIn(own)).toEqual(contentsIn(backup))
  expectDerived(own)
  expect(readFileSync(backup)).toEqual(FORMER)
})

test.each([
  ['a trigger of somebody else', 'CREATE TRIGGER evil AFTER INSERT ON blocks BEGIN DELETE FROM meta; END'],
  ['a table of somebody else', 'CREATE TABLE block_tag (x)'],
  ['a changed table', 'ALTER TABLE meta ADD COLUMN evil TEXT'],
])('a memory of the former version with %s is refused and left as it was', async (_, statement) => {
  const path = formerMemory()
  sql(path, statement)
  const before = readFileSync(path)
  expect((await refusal(open(path))).code).toBe('STORE_FOREIGN')
  expect(readFileSync(path)).toEqual(before)
})

test('a memory of the former version that another process has open is not brought forward', async () => {
  const path = formerMemory()
  const other = new DatabaseSync(path)
  other.prepare('SELECT count(*) FROM meta').get()
  expect((await refusal(openSqliteStore(path, { busyTimeoutMs: 0 }))).code).toBe('STORE_BUSY')
  expect(triggersIn(path).length).toBeGreaterThan(0)
  other.close()
  await (await openSqliteStore(path)).close()
  expectDerived(path)
})
