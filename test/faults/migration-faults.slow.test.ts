import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ElfmemError } from '../../src/errors.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { dumpOf } from './dump.ts'
import { installFaults, statementLine } from './failing-statements.ts'
import { FAULT_CODES } from './fault.ts'
import { makeOldFile } from './old-file.ts'
import { quickFolder } from './prepared.ts'
import { problemsIn } from './whole.ts'

const BLOCKS = 20

test('an old memory whose migration fails at any statement keeps what it has, and the next opening goes on', async () => {
  installFaults()
  const folder = quickFolder()
  const old = join(folder, 'old.db')
  makeOldFile(old, BLOCKS)
  const migrated = join(folder, 'migrated.db')
  copyFileSync(old, migrated)
  await (await openSqliteStore(migrated)).close()
  const goal = dumpOf(migrated)
  let failed = 0
  for (let at = 1, met = true; met; at++) {
    const path = join(folder, `${at}.db`)
    copyFileSync(old, path)
    statementLine.arm({ at, code: FAULT_CODES[at % 4] ?? 'STORE_FULL', when: 'before' })
    const outcome: unknown = await openSqliteStore(path, { busyTimeoutMs: 0 }).then(
      (store) => store.close(),
      (error: unknown) => error,
    )
    met = statementLine.disarm().met
    if (outcome !== undefined) {
      expect([at, ElfmemError.is(outcome) && outcome.recovery.length > 10]).toEqual([at, true])
      failed += 1
    }
    await (await openSqliteStore(path)).close()
    expect([at, dumpOf(path)]).toEqual([at, goal])
    expect([at, ...problemsIn(path)]).toEqual([at])
  }
  expect(failed).toBeGreaterThan(20)
})
