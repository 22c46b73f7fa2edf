import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { openSqliteDatabase } from '../../src/sqlite/store.ts'
import { TABLES } from '../../src/store/tables.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { type StoreHarness, storeSuite } from './suite.ts'

const folder = await mkdtemp(join(tmpdir(), 'elfmem-store-'))
const { prepare } = DatabaseSync.prototype
const statements = new Set<string>()

DatabaseSync.prototype.prepare = function (this: DatabaseSync, text: string) {
  statements.add(text)
  return prepare.call(this, text)
}
afterAll(() => {
  DatabaseSync.prototype.prepare = prepare
})

/** Statements that report about everything, look at all edges, or read whole tables. */
const WALKS = new RegExp(
  [
    'WHERE true\\nORDER BY',
    '(sqrt|max\\(0\\.0|SELECT strength|last_reinforced_at)[^]* AS place FROM blocks',
    '^SELECT count\\(\\*\\)( AS (total|waiting))? FROM',
    '^SELECT\\n  \\(SELECT count',
    '^WITH of_any_status',
    'FROM operation_changes WHERE operation_id',
    'GROUP BY scope',
    '^SELECT substr\\(',
    "status = '(active|inbox)'$",
    'ORDER BY strength DESC',
    'FROM edges\\s[^]*ORDER BY weight DESC',
    'sum\\((octet_)?length\\(',
    'other\\.arrival IS NULL',
    '^DELETE FROM \\w+ WHERE NOT EXISTS',
    'FROM (blocks|edges|operations) ORDER BY',
  ].join('|'),
)

/** Tables that have no limit. */
const STORED = TABLES.map(({ name }) => name).filter(
  (name) => !['meta', 'co_retrieval_staging'].includes(name),
)
const GROWING = new RegExp(`^SCAN (${STORED.join('|')}|block_|scope_|operation_)`)

const harness: StoreHarness = {
  open: (memory) => openSqliteDatabase(join(folder, `${memory}.db`)),
  cleanup: () => rm(folder, { recursive: true, force: true }),
}

storeSuite('a SQLite file', harness)

test('no statement but those about everything scans a table that grows', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  await (await openSqliteDatabase(path)).close()
  const file = new DatabaseSync(path)
  const asked = [...statements].filter((text) => /^(SELECT|INSERT|UPDATE|DELETE|WITH)/.test(text))
  expect(asked.length).toBeGreaterThan(100)
  const found = asked.flatMap((text) => {
    const plan = file.prepare(`EXPLAIN QUERY PLAN ${text.replaceAll(/\?\d*/g, '1')}`).all()
    return plan.map(({ detail }) => ({ detail: String(detail), text }))
  })
  file.close()
  const scans = found.filter(({ detail, text }) => GROWING.test(detail) && !WALKS.test(text))
  expect(scans).toEqual([])
})
