import { afterAll, beforeAll, describe, test } from 'vitest'
import { hasPostgres } from '../helpers/postgres.ts'
import { type Served, START_MS, serve } from './served.ts'
import { checkTwins } from './twin.ts'

describe.skipIf(!hasPostgres)('PostgreSQL', () => {
  let served: Served
  beforeAll(async () => {
    served = await serve()
  }, START_MS)
  afterAll(() => served.end())

  test('60 random histories have the answers and the rows of SQLite', () => checkTwins(served, 60))
})
