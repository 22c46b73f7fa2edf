import fc from 'fast-check'
import { expect } from 'vitest'
import { openMemory } from '../../src/engine/memory.ts'
import { openSqliteDatabase } from '../../src/sqlite/store.ts'
import type { AnyRow, Database } from '../../src/store/database.ts'
import { pagesOf } from '../../src/store/records.ts'
import { createStore } from '../../src/store/store.ts'
import { MEMORY_ID, TABLES } from '../../src/store/tables.ts'
import { createTestClock } from '../helpers/clock.ts'
import { countedIds } from '../helpers/counted-ids.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { act, acts, type Side } from '../undo/side.ts'
import type { Served } from './served.ts'

/** Returns a row with its kept changes in the order of their texts: those that a call makes together may be kept in any order. */
function inOrder(row: AnyRow): AnyRow {
  if (row.changes === undefined) return row
  const lists = Object.entries(row.changes as Record<string, readonly unknown[]>)
  const sorted = lists.map(([table, list]) => [table, list.map((each) => JSON.stringify(each)).sort()])
  return { ...row, changes: Object.fromEntries(sorted) }
}

/** Returns every row of every table, but the random name of the memory. */
export async function rowsOf(database: Database): Promise<Record<string, AnyRow[]>> {
  return database.read(async (rows) => {
    const all: Record<string, AnyRow[]> = {}
    for (const table of TABLES) {
      const found: AnyRow[] = []
      for await (const page of pagesOf(rows, table)) found.push(...page.map(inOrder))
      all[table.name] = found.filter(({ key }) => key !== MEMORY_ID)
    }
    return all
  })
}

/** Plays a history on one database; returns the answer to each call, and all rows after each act. */
async function play(database: Database, { settings, contents, acts: all }: History): Promise<unknown[]> {
  const store = createStore(database)
  const clock = createTestClock()
  const memory = await openMemory('', {
    as: 'owner',
    config: { ...settings, session: { gapCapMinutes: 10_000_000 } },
    store,
    clock,
    ids: countedIds(),
    embedder: createPlacedEmbedder(),
  })
  const seen: unknown[] = []
  // A method of the memory itself can be replaced by nobody.
  const listening = new Proxy({} as typeof memory, {
    get: (_, name) => {
      const method: unknown = Reflect.get(memory, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) => {
        const answer = method.apply(memory, args) as unknown
        if (answer instanceof Promise)
          answer.then(
            (said) => seen.push(said),
            (error: { code: string }) => seen.push(error.code),
          )
        return answer
      }
    },
  })
  const side: Side = { memory: listening, look: async () => undefined, store, ids: new Set(), clock }
  for (const one of [{ do: 'learn', contents } as const, ...all]) {
    await act(side, one)
  }
  for (const name of ['status', 'facets', 'ls', 'graph', 'history', 'curate', 'undo', 'undo'] as const)
    seen.push(await memory[name]({}).catch((error: { code: string }) => error.code))
  await memory.close()
  seen.push(await rowsOf(database))
  await store.close()
  return seen
}

type History = typeof acts extends fc.Arbitrary<infer T> ? T : never

/** Checks that random histories of at most so many acts have the same answers and the same rows in PostgreSQL as in SQLite. */
export async function checkTwins(served: Served, numRuns: number, most = 50): Promise<void> {
  let histories = 0
  const plain = (seen: unknown) =>
    JSON.parse(JSON.stringify(seen).replaceAll(/postgres:[^"]*|:memory:/g, 'here'))
  await fc.assert(
    fc.asyncProperty(acts, async ({ acts: all, ...begun }) => {
      histories += 1
      const history = { ...begun, acts: all.slice(0, most) }
      const one = await play(await openSqliteDatabase(':memory:'), history)
      const other = await play(await served.server.memory(`twin-${histories}`), history)
      expect(plain(other)).toEqual(plain(one))
    }),
    { numRuns },
  )
  expect(histories).toBeGreaterThanOrEqual(numRuns)
}
