import fc from 'fast-check'
import type { StoreWriter } from '../../src/ports/store/transaction.ts'

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
