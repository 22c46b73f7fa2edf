import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { storeContract } from '../../src/testing/store-contract.ts'
import { createMemoryStore } from '../oracle/store.ts'

const folder = await mkdtemp(join(tmpdir(), 'elfmem-contract-'))
let files = 0

afterAll(() => rm(folder, { recursive: true, force: true }))

storeContract({
  name: 'a SQLite file',
  test,
  expect,
  open: async () => {
    files += 1
    const path = join(folder, `${files}.db`)
    return { store: await openSqliteStore(path), reopen: () => openSqliteStore(path) }
  },
})

storeContract({
  name: 'SQLite in memory',
  test,
  expect,
  takesTurns: true,
  open: async () => ({ store: await openSqliteStore(':memory:') }),
})

storeContract({
  name: 'the twin in memory',
  test,
  expect,
  open: async () => ({ store: createMemoryStore() }),
})
