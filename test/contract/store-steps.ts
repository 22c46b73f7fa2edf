import fc from 'fast-check'
import type { Store } from '../../src/ports/store/store.ts'
import type { StoreWriter } from '../../src/ports/store/transaction.ts'
import { aBlock } from '../../src/testing/harness.ts'
import type { Names } from './store-values.ts'

/** What a write does. */
export type Step = (tx: StoreWriter) => Promise<unknown>

/** A step of many, and how often it is taken. */
export interface Weighted {
  readonly weight: number
  readonly arbitrary: fc.Arbitrary<Step>
}

/** A step with what it is given. */
export function step<T>(
  given: fc.Arbitrary<T>,
  call: (tx: StoreWriter, given: T) => Promise<unknown>,
  weight = 1,
): Weighted {
  const arbitrary = given.map(
    (value): Step =>
      (tx) =>
        call(tx, value),
  )
  return { weight, arbitrary }
}

/** Some of these. */
export const batch = <T>(each: fc.Arbitrary<T>) => fc.array(each, { maxLength: 5 })

/** Inserts blocks to begin with, so that calls meet some: three in each scope in turn, and the others in none. */
export async function begin(store: Store, { own, scopes }: Names): Promise<void> {
  const blocks = own.slice(0, -1).map((id, at) => {
    const scope = scopes[Math.floor(at / 3)]
    return aBlock(id, scope === undefined ? {} : { scope })
  })
  await store.write((tx) => tx.insertBlocks(blocks))
}
