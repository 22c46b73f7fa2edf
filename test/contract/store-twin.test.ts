import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Store } from '../../src/ports/store/store.ts'
import { openSqliteDatabase, openSqliteStore } from '../../src/sqlite/store.ts'
import { createStore } from '../../src/store/store.ts'
import { anOperation } from '../../src/testing/harness.ts'
import { rowsOf } from '../helpers/rows-of.ts'
import { createNaiveStore, NaiveDatabase } from '../oracle/database.ts'
import { type Act, actOver } from './store-calls.ts'
import { changesLook, lookAtAll } from './store-looks.ts'
import { begin } from './store-steps.ts'
import { NAMES, type Names } from './store-values.ts'

/** What an act did, and what there is to see afterwards. */
async function play(store: Store, { steps, undoable, fails, looks }: Act): Promise<unknown[]> {
  const seen: unknown[] = []
  const failed = await store
    .write(
      async (tx) => {
        for (const each of steps) seen.push(await each(tx))
        if (undoable) await tx.log(anOperation())
        if (fails) throw new Error('on purpose')
        return false
      },
      { undoable },
    )
    .catch((error: Error) => error.message)
  return [...seen, failed, await store.read((tx) => Promise.all(looks.map((each) => each(tx))))]
}

const everything = lookAtAll(NAMES)

const actAnywhere = fc
  .tuple(actOver(NAMES), changesLook, fc.constantFrom(undefined, undefined, ...NAMES.scopes))
  .map(([act, changes, scope]) => ({ act: { ...act, looks: [...act.looks, changes, everything] }, scope }))

test('SQLite answers every sequence of calls like the twin and holds the same rows, through views of scopes, too', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(actAnywhere, { minLength: 3, maxLength: 12, size: 'max' }), async (acts) => {
      const seen: unknown[][] = []
      for (const database of [await openSqliteDatabase(':memory:'), new NaiveDatabase()]) {
        const store = createStore(database)
        const answers: unknown[] = []
        await begin(store, NAMES)
        for (const { act, scope } of acts) {
          answers.push(await play(scope === undefined ? store : store.within(scope), act))
          answers.push(await rowsOf(database))
          for (const each of NAMES.scopes) answers.push(await store.within(each).read(everything))
        }
        await store.close()
        seen.push(answers)
      }
      expect(seen[0]).toEqual(seen[1])
    }),
    { numRuns: 100 },
  )
})

const MINE: Names = {
  own: ['a', 'ab', 'b'],
  others: ['ax', 'x', 'nobody'],
  sessions: ['one'],
  scopes: ['X'],
  spares: false,
  undoes: true,
  trimsLog: true,
}
const THEIRS: Names = {
  own: ['ax', 'x'],
  others: ['a', 'b'],
  sessions: ['two'],
  scopes: ['Y'],
  spares: false,
  undoes: true,
  trimsLog: true,
}

const actOfEither = fc.oneof(
  actOver(MINE).map((act) => ({ act, mine: true })),
  actOver(THEIRS).map((act) => ({ act, mine: false })),
)

/** Without the numbers of log entries, the clock, the sequence and the generation, which the whole store counts. */
function comparable(seen: unknown): unknown {
  if (seen instanceof Map) return [...seen].map(comparable)
  if (ArrayBuffer.isView(seen) || typeof seen !== 'object' || seen === null) return seen
  if (Array.isArray(seen)) return seen.map(comparable)
  const dropped = 'operation' in seen ? ['id', 'hours', 'kept'] : ['clock', 'sequence', 'generation']
  return Object.fromEntries(
    Object.entries(seen)
      .filter(([key]) => !dropped.includes(key))
      .map(([key, value]) => [key, comparable(value)]),
  )
}

const all = lookAtAll(MINE)

test.each([
  ['SQLite', () => openSqliteStore(':memory:')],
  ['the twin', async () => createNaiveStore()],
] as const)(
  'a view in %s answers like a store of its own, whatever happens in another scope of the store',
  async (_name, open) => {
    await fc.assert(
      fc.asyncProperty(fc.array(actOfEither, { minLength: 3, maxLength: 14, size: 'max' }), async (acts) => {
        const [shared, alone] = [await open(), await open()]
        const [mine, own, theirs] = [shared.within('X'), alone.within('X'), shared.within('Y')]
        for (const view of [mine, own]) await begin(view, MINE)
        await begin(theirs, THEIRS)
        for (const { act, mine: isMine } of acts) {
          const whole = { ...act, looks: [...act.looks, all] }
          if (isMine) expect(comparable(await play(mine, whole))).toEqual(comparable(await play(own, whole)))
          else await play(theirs, whole)
        }
        const look = (store: Store) => store.read(async (tx) => [await all(tx), await tx.counts()])
        expect(comparable(await look(mine))).toEqual(comparable(await look(own)))
        await Promise.all([shared.close(), alone.close()])
      }),
      { numRuns: 50 },
    )
  },
)
