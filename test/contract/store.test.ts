import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openSqliteDatabase } from '../../src/sqlite/store.ts'
import { databaseContract } from '../../src/testing/index.ts'
import { NaiveDatabase } from '../oracle/database.ts'

const folder = await mkdtemp(join(tmpdir(), 'elfmem-contract-'))
let files = 0

afterAll(() => rm(folder, { recursive: true, force: true }))

databaseContract({
  name: 'a SQLite file',
  test,
  expect,
  open: async () => {
    files += 1
    const path = join(folder, `${files}.db`)
    return { database: await openSqliteDatabase(path), reopen: () => openSqliteDatabase(path) }
  },
})

databaseContract({
  name: 'SQLite in memory',
  test,
  expect,
  takesTurns: true,
  open: async () => ({ database: await openSqliteDatabase(':memory:') }),
})

databaseContract({
  name: 'a naive database',
  test,
  expect,
  open: async () => ({ database: new NaiveDatabase() }),
})
