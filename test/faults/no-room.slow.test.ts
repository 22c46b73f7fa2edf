import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ElfmemError } from '../../src/errors.ts'
import { CASES, type Case } from './cases.ts'
import { essenceOf, problemsBeside } from './dump.ts'
import { copyOf, openSame, prepare, quickFolder } from './prepared.ts'
import { UNNAMED } from './whole.ts'

const PAGE = 4096
/** These keep what found room in their earlier transactions. */
const MANY = new Set(['rememberMany', 'dream'])

test('a write without room is refused with STORE_FULL, leaves the file whole, and works once there is room', async () => {
  const prepared = await prepare(quickFolder())
  const met: string[] = []
  const cases: readonly (readonly [string, Case])[] = Object.entries(CASES)
  for (const [name, each] of cases) {
    const path = copyOf(prepared)
    const before = essenceOf(path)
    const cramped = await openSame(path, { hours: 1, sqlite: { maxPages: statSync(path).size / PAGE } })
    const error: unknown = await each.run(cramped.memory, prepared.known).then(
      () => undefined,
      (cause: unknown) => cause,
    )
    if (error !== undefined) {
      met.push(name)
      expect([name, ElfmemError.is(error) && error.code]).toEqual([name, 'STORE_FULL'])
      if (!MANY.has(name)) expect([name, essenceOf(path)]).toEqual([name, before])
    }
    expect([name, ...problemsBeside(path)]).toEqual([name])
    await cramped.close()
    const roomy = await openSame(path, { hours: 1, name: 'roomy' })
    await each.run(roomy.memory, prepared.known).catch((refusal: unknown) => {
      expect([name, ElfmemError.is(refusal) && refusal.code]).toEqual([name, each.againRefused])
    })
    const left = problemsBeside(path).filter((problem) => !each.unlogged || !problem.startsWith(UNNAMED))
    expect([name, ...left]).toEqual([name])
    await roomy.close()
  }
  expect(met).toEqual(expect.arrayContaining(['rememberMany', 'import']))
})
