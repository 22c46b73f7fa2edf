import { expect, test } from 'vitest'
import { table } from '../../src/operations/table.ts'
import { CASES, type Case, FILE_CASES, LIFETIME } from './cases.ts'
import { prepare, quickFolder } from './prepared.ts'
import { type Level, walk } from './walk.ts'

const LEVELS: readonly Level[] = ['call', 'statement']
/** What was recalled may be lost with the power; curate drops old entries of the log last; the others write other files. */
const UNSYNCED = new Set(['recall', 'curate', 'backup', 'export'])
/** `FAULT_CASES=dream,curate` walks these alone. */
const ONLY = process.env.FAULT_CASES?.split(',')
const isAsked = ([name]: readonly [string, Case]): boolean => ONLY?.includes(name) ?? true

test('every operation of the table has its place in the walk', () => {
  expect(Object.keys({ ...CASES, ...FILE_CASES }).sort()).toEqual(Object.keys(table).sort())
})

test.each(LEVELS)(
  'whichever %s of an operation fails, the file is as before or after one of its transactions, and the next call works',
  async (level) => {
    const prepared = await prepare(quickFolder())
    const told: string[] = []
    const problems: string[] = []
    // A file is not read and written by calls of the port.
    const all = { ...CASES, ...LIFETIME, ...(level === 'statement' ? FILE_CASES : {}) }
    for (const [name, each] of Object.entries(all).filter(isAsked)) {
      const walked = await walk(prepared, each, level)
      problems.push(...walked.problems.map((problem) => `${name}: ${problem}`))
      told.push(`${name} ${walked.faults}`)
      const effect = name in table ? table[name as keyof typeof table].effect : 'write'
      if (level === 'statement' && effect !== 'read' && !UNSYNCED.has(name))
        expect([name, walked.lastWriteIsDurable]).toEqual([name, true])
    }
    process.stdout.write(`faults at each ${level}: ${told.join(', ')}\n`)
    expect(problems).toEqual([])
  },
  900_000,
)
