import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { expectDerived } from '../derived/expected.ts'
import { refusal } from '../helpers/memory.ts'
import { closedMemory, contentsIn, open, sql } from './files.ts'

/** Makes a memory whose tables have version 4, which had no predictions. */
async function formerMemory(...statements: readonly string[]): Promise<string> {
  const path = await closedMemory()
  sql(path, 'DROP TABLE predictions', 'PRAGMA user_version = 4', ...statements)
  return path
}

test('a memory of the former version opens, keeps its rows and takes predictions', async () => {
  const path = await formerMemory()
  const before = contentsIn(path)
  const memory = await open(path)
  const expects = { by: '2026-12-01', probability: 0.7 }
  const { blockId } = await memory.remember({ content: 'The pier opens in winter', expect: expects })
  expect(await memory.show({ blockId })).toMatchObject({ prediction: expects })
  expect((await memory.doctor()).checks.find(({ name }) => name === 'file')).toMatchObject({ outcome: 'ok' })
  await memory.close()
  expectDerived(path)
  expect(contentsIn(path)).toEqual([...before, 'The pier opens in winter'])
})

test('a backup of the former version is restored and stays as it is', async () => {
  const [backup, own] = [await formerMemory(), await closedMemory('other')]
  const before = readFileSync(backup)
  const memory = await open(own)
  onTestFinished(() => memory.close())
  await memory.restoreBackup({ path: backup })
  expect(contentsIn(own)).toEqual(contentsIn(backup))
  expectDerived(own)
  expect(readFileSync(backup)).toEqual(before)
})

test.each([
  ['a trigger', 'CREATE TRIGGER evil AFTER INSERT ON blocks BEGIN DELETE FROM meta; END'],
  ['a table', 'CREATE TABLE predictions (x)'],
  ['a changed table', 'ALTER TABLE meta ADD COLUMN evil TEXT'],
])(
  'a memory of the former version with %s of somebody else is refused and stays as it is',
  async (_, statement) => {
    const path = await formerMemory(statement)
    const before = readFileSync(path)
    expect((await refusal(open(path))).code).toBe('STORE_FOREIGN')
    expect(readFileSync(path)).toEqual(before)
  },
)

test('a memory of the former version that another process has open is not brought forward', async () => {
  const path = await formerMemory()
  const other = new DatabaseSync(path)
  other.prepare('SELECT count(*) FROM meta').get()
  expect((await refusal(openSqliteStore(path, { busyTimeoutMs: 0 }))).code).toBe('STORE_BUSY')
  other.close()
  await (await openSqliteStore(path)).close()
  expectDerived(path)
})
