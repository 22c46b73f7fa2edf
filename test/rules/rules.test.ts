import { expect, test } from 'vitest'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import type { Suite } from '../../src/testing/harness.ts'
import { createNaiveStore } from '../oracle/database.ts'
import { checkBlocks } from './blocks.ts'
import { checkConnections } from './connections.ts'
import { checkEvidence } from './evidence.ts'
import { checkGraph } from './graph.ts'
import { checkGrounds } from './grounds.ts'
import { checkItems } from './items.ts'
import { checkJudging } from './judging.ts'
import { checkLog } from './log.ts'
import { checkPast } from './past.ts'
import { checkScopedLog } from './scoped-log.ts'
import { checkScopeRules } from './scopes.ts'
import { checkStaging } from './staging.ts'
import { checkUndo } from './undo.ts'
import { checkUndoUse } from './undo-use.ts'
import { checkVectors } from './vectors.ts'

const PARTS = [
  ...[checkBlocks, checkGraph, checkConnections, checkStaging, checkJudging, checkEvidence],
  ...[checkLog, checkVectors, checkScopedLog, checkScopeRules, checkUndo, checkUndoUse],
  ...[checkPast, checkGrounds, checkItems],
]

for (const [name, open] of [
  ['the rules', () => openSqliteStore(':memory:')],
  ['the naive store', async () => createNaiveStore()],
] as const) {
  const check: Suite['check'] = (title, run) =>
    test(`${name} ${title}`, async () => {
      const store = await open()
      try {
        await run(store, undefined)
      } finally {
        await store.close()
      }
    })
  for (const part of PARTS) part({ check, checkDatabase: () => undefined, expect })
}
