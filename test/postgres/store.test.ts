import { beforeAll, describe } from 'vitest'
import { hasPostgres } from '../helpers/postgres.ts'
import { storeSuite } from '../store/suite.ts'
import { type Served, START_MS, serve } from './served.ts'

describe.skipIf(!hasPostgres)('over a real server', () => {
  let served: Served
  beforeAll(async () => {
    served = await serve()
  }, START_MS)
  storeSuite('a PostgreSQL database', {
    open: (memory) => served.server.memory(memory),
    cleanup: () => served.end(),
  })
})
