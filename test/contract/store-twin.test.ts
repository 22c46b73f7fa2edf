import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../src/adapters/memory/store.ts'
import { openSqliteStore } from '../../src/adapters/sqlite/store.ts'
import type { Store } from '../../src/ports/store.ts'
import { type Act, act } from './store-calls.ts'

async function play(store: Store, acts: readonly Act[]): Promise<unknown[]> {
  const seen: unknown[] = []
  for (const { steps, fails, looks } of acts) {
    const failed = await store
      .write(async (tx) => {
        for (const each of steps) seen.push(await each(tx))
        if (fails) throw new Error('on purpose')
        return false
      })
      .catch((error: Error) => error.message)
    seen.push(failed)
    seen.push(await store.read(async (tx) => Promise.all([tx.changes(0), ...looks.map((each) => each(tx))])))
  }
  return seen
}

test('SQLite answers every sequence of calls like the twin', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 12 }), async (acts) => {
      const sqlite = await openSqliteStore(':memory:')
      const twin = createMemoryStore()
      try {
        expect(await play(sqlite, acts)).toEqual(await play(twin, acts))
      } finally {
        await sqlite.close()
        await twin.close()
      }
    }),
    { numRuns: 300 },
  )
})
