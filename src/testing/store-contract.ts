import type { StoreContract, Suite } from './harness.ts'
import { checkBlocks } from './store/blocks.ts'
import { checkChanges } from './store/changes.ts'
import { checkConnections } from './store/connections.ts'
import { checkGraph } from './store/graph.ts'
import { checkJudging } from './store/judging.ts'
import { checkLog } from './store/log.ts'
import { checkPages } from './store/pages.ts'
import { checkScopedLog } from './store/scoped-log.ts'
import { checkScopes } from './store/scopes.ts'
import { checkStaging } from './store/staging.ts'
import { checkTransactions } from './store/transactions.ts'
import { checkUndo } from './store/undo.ts'
import { checkUndoUse } from './store/undo-use.ts'
import { checkVectors } from './store/vectors.ts'

export type { Expect, OpenedStore, StoreContract, Test } from './harness.ts'

/**
 * Registers one test for each promise of the `Store` port. Give it the `test` and `expect` of your framework and a way
 * to open an empty store.
 */
export function storeContract(contract: StoreContract): void {
  const suite: Suite = {
    ...contract,
    check: (title, run) =>
      contract.test(`${contract.name} ${title}`, async () => {
        const { store, reopen } = await contract.open()
        try {
          await run(store, reopen)
        } finally {
          await store.close()
        }
      }),
  }
  for (const part of [
    checkTransactions,
    checkBlocks,
    checkPages,
    checkChanges,
    checkGraph,
    checkConnections,
    checkStaging,
    checkJudging,
    checkLog,
    checkVectors,
    checkScopes,
    checkScopedLog,
    checkUndo,
    checkUndoUse,
  ]) {
    part(suite)
  }
}
