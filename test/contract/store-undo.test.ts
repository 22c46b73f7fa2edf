import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Database } from '../../src/ports/store/rows.ts'
import { openSqliteDatabase } from '../../src/sqlite/store.ts'
import { createStore } from '../../src/store/store.ts'
import { anOperation } from '../../src/testing/harness.ts'
import { rowsOf } from '../helpers/rows-of.ts'
import { NaiveDatabase } from '../oracle/database.ts'
import { actOver } from './store-calls.ts'
import { begin } from './store-steps.ts'
import { NAMES } from './store-values.ts'

/** Never set back: the log, sessions, settings, and what numbers changes for readers. */
const STAYS = new Set(['operations', 'operation_changes', 'sessions', 'meta', 'days'])

async function undoableRows(database: Database): Promise<unknown> {
  const all = [...(await rowsOf(database))].filter(([name]) => !STAYS.has(name))
  return all.map(([name, rows]) => [
    name,
    rows.map((row) => {
      const { sequence: _sequence, ...rest } = row as { readonly sequence?: number }
      return rest
    }),
  ])
}

/** Writes of one view or of the whole that nothing but an undo takes back. */
const acts = fc.array(
  fc.tuple(
    actOver({ ...NAMES, spares: false, undoes: false, trimsLog: false }),
    fc.constantFrom(undefined, undefined, ...NAMES.scopes),
  ),
  { minLength: 4, maxLength: 12, size: 'max' },
)

test.each([
  ['SQLite', () => openSqliteDatabase(':memory:')],
  ['the naive database', async () => new NaiveDatabase()],
] as const)(
  'undoing random writes in %s, the last one first, brings back exactly the rows before each, and undoing that the rows after',
  async (_name, open) => {
    let undone = 0
    await fc.assert(
      fc.asyncProperty(acts, async (all) => {
        const database = await open()
        const whole = createStore(database)
        const undoably = async (at: string | undefined, work: Parameters<typeof whole.write>[0]) => {
          const store = at === undefined ? whole : whole.within(at)
          await store.write(async (tx) => [await work(tx), await tx.log(anOperation())], { undoable: true })
          const [newest] = await whole.read((tx) => tx.operations({ limit: 1 }))
          return newest?.kept
        }
        await begin(whole, NAMES)
        const done: { kept: number; scope: string | undefined; before: unknown; after: unknown }[] = []
        for (const [{ steps }, scope] of all) {
          const before = await undoableRows(database)
          const kept = await undoably(scope, async (tx) => {
            for (const each of steps) await each(tx)
          }).catch(refused)
          const after = await undoableRows(database)
          if (kept === undefined) expect(after).toEqual(before)
          else done.push({ kept, scope, before, after })
        }
        const undos: typeof done = []
        for (const { kept, scope, before, after } of done.reverse()) {
          const undo = await undoably(scope, (tx) => tx.revert(kept))
          expect(await undoableRows(database)).toEqual(before)
          undos.push({ kept: undo as number, scope, before: after, after: before })
        }
        for (const { kept, scope, before } of undos.reverse()) {
          await undoably(scope, (tx) => tx.revert(kept))
          expect(await undoableRows(database)).toEqual(before)
        }
        undone += undos.length
        await database.close()
      }),
      { numRuns: 60 },
    )
    expect(undone).toBeGreaterThan(100)
  },
)

/** An id of another scope was given to an insert. */
function refused(error: Error): undefined {
  if (!('code' in error) || error.code !== 'INVALID_INPUT') throw error
}
