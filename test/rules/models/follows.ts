import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Ends, orderedPair } from '../../../src/domain/graph/edge.ts'
import type { StoreReader, StoreWriter } from '../../../src/ports/store/transaction.ts'
import { openSqliteStore } from '../../../src/sqlite/store.ts'
import { insertAll } from '../../../src/testing/harness.ts'

/** The blocks that there are; `NOBODY` names none. */
export const IDS = ['a', 'b', 'c', 'd'] as const
const NOBODY = 'nobody'

/** One call of a rule: of the store, and of a model of that rule alone. Both must answer alike. */
interface Call<Model> {
  readonly store: (tx: StoreWriter) => Promise<unknown>
  readonly model: (model: Model) => unknown
}

/** A call with what it is given. */
type Calling<Model> = <Given>(
  given: fc.Arbitrary<Given>,
  store: (tx: StoreWriter, given: Given) => Promise<unknown>,
  model: (model: Model, given: Given) => unknown,
) => fc.Arbitrary<Call<Model>>

/** What a model begins with, what may be called, and what is then to be seen in the store and in the model. */
interface Rule<Model> {
  readonly begin: () => Model
  readonly calls: (calling: Calling<Model>) => readonly fc.Arbitrary<Call<Model>>[]
  readonly look: (tx: StoreReader) => Promise<unknown>
  readonly seen: (model: Model) => unknown
}

/** Tests that the store follows a rule, whatever is called. */
export function follows<Model>(title: string, { begin, calls, look, seen }: Rule<Model>): void {
  test(title, async () => {
    const all = fc.array(fc.oneof(...calls(calling)), { minLength: 20, maxLength: 40, size: 'max' })
    await fc.assert(
      fc.asyncProperty(all, async (made) => {
        const [store, model] = [await openSqliteStore(':memory:'), begin()]
        await insertAll(store, IDS)
        for (const call of made) {
          expect(await store.write(call.store)).toEqual(call.model(model))
          expect(await store.read(look)).toEqual(seen(model))
        }
        await store.close()
      }),
      { numRuns: 60 },
    )
  })
}

function calling<Model, Given>(
  given: fc.Arbitrary<Given>,
  store: (tx: StoreWriter, given: Given) => Promise<unknown>,
  model: (model: Model, given: Given) => unknown,
): fc.Arbitrary<Call<Model>> {
  return given.map((value) => ({ store: (tx) => store(tx, value), model: (state) => model(state, value) }))
}

export const id = fc.constantFrom<string>(...IDS, NOBODY)
export const ids = fc.array(id, { maxLength: 4 })
export const ends = fc.tuple(id, id)
export const hours = fc.integer({ min: 0, max: 5 })
export const few = fc.integer({ min: 0, max: 3 })

/** Some of these. */
export function batch<T>(each: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(each, { maxLength: 4 })
}

/** True of two different blocks that there are. */
export function isJoinable(pair: Ends): boolean {
  return pair[0] !== pair[1] && !pair.includes(NOBODY)
}

/** The name of two blocks, whatever their order. */
export function keyOf([one, other]: Ends): string {
  return orderedPair(one, other).join(' ')
}

/** The two blocks of a name. */
export function endsOf(key: string): [string, string] {
  return key.split(' ') as [string, string]
}
