import { expect } from 'vitest'
import { table } from '../../src/operations/table.ts'
import type { Case } from './cases.ts'
import { prepare, quickFolder } from './prepared.ts'
import { type Level, walk } from './walk.ts'

/** What was recalled may be lost with the power; curate drops old entries of the log last; the others write other files. */
const UNSYNCED = new Set(['recall', 'curate', 'backup', 'export'])

/** Lets each step of each case fail, one at a time. */
export async function walkAll(
  level: Level,
  cases: readonly (readonly [name: string, Case])[],
): Promise<void> {
  const prepared = await prepare(quickFolder())
  const told: string[] = []
  const problems: string[] = []
  for (const [name, each] of cases) {
    const walked = await walk(prepared, each, level)
    problems.push(...walked.problems.map((problem) => `${name}: ${problem}`))
    told.push(`${name} ${walked.faults}`)
    const effect = name in table ? table[name as keyof typeof table].effect : 'write'
    if (level === 'statement' && effect !== 'read' && !UNSYNCED.has(name))
      expect([name, walked.lastWriteIsDurable]).toEqual([name, true])
  }
  process.stdout.write(`faults at each ${level}: ${told.join(', ')}\n`)
  expect(problems).toEqual([])
}
