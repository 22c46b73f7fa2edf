import { expect, test } from 'vitest'
import { table } from '../../src/operations/table.ts'
import { CASES, type Case, FILE_CASES, LIFETIME } from './cases.ts'
import type { Level } from './walk.ts'
import { walkAll } from './walk-all.ts'

const LEVELS: readonly Level[] = ['call', 'statement']
/** `FAULT_CASES=dream,curate` walks these alone. */
const ONLY = process.env.FAULT_CASES?.split(',')
const isAsked = ([name]: readonly [string, Case]): boolean => ONLY?.includes(name) ?? true

test('every operation of the table has its place in the walk', () => {
  expect(Object.keys({ ...CASES, ...FILE_CASES }).sort()).toEqual(Object.keys(table).sort())
})

test.each(LEVELS)(
  'whichever %s of an operation fails, the file is as before or after one of its transactions, and the next call works',
  // A file is not read and written by calls of the port: those operations have a suite of their own.
  (level) => walkAll(level, Object.entries({ ...CASES, ...LIFETIME }).filter(isAsked)),
  900_000,
)
