import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteDatabase } from '../../src/sqlite/store.ts'
import { type StoreHarness, storeSuite } from './suite.ts'

const folder = await mkdtemp(join(tmpdir(), 'elfmem-store-'))

const harness: StoreHarness = {
  open: (memory) => openSqliteDatabase(join(folder, `${memory}.db`)),
  cleanup: () => rm(folder, { recursive: true, force: true }),
}

storeSuite('a SQLite file', harness)
