import { expect, test } from 'vitest'
import { CASES } from './cases.ts'
import { prepare, quickFolder } from './prepared.ts'
import { walk } from './walk.ts'

test.each(Object.entries(CASES))(
  '%s with a failing statement leaves the file before or after a transaction, and works when called again',
  async (name, each) => {
    const { faults, problems, lastWriteIsDurable } = await walk(await prepare(quickFolder()), each)
    process.stdout.write(`${name}: ${faults} faults\n`)
    expect(problems).toEqual([])
    expect(lastWriteIsDurable).toBe(true)
  },
)
