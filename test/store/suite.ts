import { afterAll, describe, test } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { createStore } from '../../src/store/store.ts'
import type { Store } from '../../src/store/transaction.ts'
import { checkBlocks } from './blocks.ts'
import { checkChanges } from './changes.ts'
import { checkEvidence } from './evidence.ts'
import { checkGraph } from './graph.ts'
import { checkLog } from './log.ts'
import { checkPages } from './pages.ts'
import { checkRequests } from './requests.ts'
import { checkScopes } from './scopes.ts'
import { checkTransactions } from './transactions.ts'
import { checkUndo } from './undo.ts'
import { checkVectors } from './vectors.ts'

/** A harness opens and removes databases of one kind for the suite. */
export interface StoreHarness {
  /** Opens the memory of a name, empty at first; the same name opens the same memory, also while it is open. */
  readonly open: (memory: string) => Promise<Database>
  /** Removes all memories after the last test. */
  readonly cleanup: () => Promise<void>
}

/** Tools of every part of the suite. */
export interface Suite {
  /** Registers a test over the store of an empty memory; `again` opens that memory once more. */
  readonly check: (title: string, run: (store: Store, again: () => Promise<Store>) => Promise<void>) => void
}

const PARTS = [
  ...[checkTransactions, checkBlocks, checkChanges, checkPages, checkVectors],
  ...[checkGraph, checkEvidence, checkLog, checkScopes, checkUndo, checkRequests],
]

/** Registers the tests of the store that must pass over every database. */
export function storeSuite(name: string, harness: StoreHarness): void {
  let memories = 0
  const check: Suite['check'] = (title, run) =>
    test(title, async () => {
      memories += 1
      const memory = `memory-${memories}`
      const opened: Store[] = []
      const again = async () => {
        const store = createStore(await harness.open(memory))
        opened.push(store)
        return store
      }
      try {
        await run(await again(), again)
      } finally {
        for (const store of opened) await store.close()
      }
    })
  describe(name, () => {
    afterAll(harness.cleanup)
    for (const part of PARTS) part({ check })
  })
}
