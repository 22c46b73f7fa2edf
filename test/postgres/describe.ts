import { afterAll, beforeAll, describe } from 'vitest'
import { hasPostgres } from '../helpers/postgres.ts'
import { type Served, START_MS, serve } from './served.ts'

/** Describes tests over a database, which is there while they run. Without PostgreSQL they are skipped. */
export function describeServed(name: string, tests: (served: () => Served) => void): void {
  describe.skipIf(!hasPostgres)(name, () => {
    let served: Served
    beforeAll(async () => {
      served = await serve()
    }, START_MS)
    afterAll(() => served.end())
    tests(() => served)
  })
}
