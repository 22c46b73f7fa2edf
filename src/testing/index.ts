import { createStore } from '../store/store.ts'
import { checkChanges } from './changes.ts'
import type { DatabaseContract, Suite } from './harness.ts'
import { checkLog } from './log.ts'
import { checkPages } from './pages.ts'
import { checkQueries } from './queries.ts'
import { checkRows } from './rows.ts'
import { checkScopes } from './scopes.ts'
import { checkTransactions } from './transactions.ts'

export type {
  Column,
  Columns,
  RowOf,
  Table,
  TableTraits,
  UndoRule,
  View,
} from '../ports/store/description.ts'
export { columnName, columnsWhere } from '../ports/store/description.ts'
export type {
  Cell,
  Cells,
  Database,
  Key,
  Queries,
  Range,
  RowChanged,
  Rows,
  State,
  Trimming,
  Where,
} from '../ports/store/rows.ts'
export type { Store } from '../ports/store/store.ts'
export type { IndexedBlock, StoreReader, StoreWriter } from '../ports/store/transaction.ts'
export { codecOf } from '../store/codec.ts'
export * from '../store/evidence-tables.ts'
export * from '../store/item-tables.ts'
export * from '../store/log-tables.ts'
export { createStore } from '../store/store.ts'
export * from '../store/tables.ts'
export { BLOCK, PAIR } from '../store/views.ts'
export type { DatabaseContract, Expect, OpenedDatabase, Test } from './harness.ts'

/**
 * Registers one test for each promise of the `Database` port. Give it the `test` and `expect` of your framework and a way
 * to open an empty database.
 */
export function databaseContract(contract: DatabaseContract): void {
  const opened: Suite['checkDatabase'] = (title, run) =>
    contract.test(`${contract.name} ${title}`, async () => {
      const { database, reopen } = await contract.open()
      try {
        await run(database, reopen)
      } finally {
        await database.close()
      }
    })
  const suite: Suite = {
    ...contract,
    checkDatabase: opened,
    check: (title, run) =>
      opened(title, (database, reopen) =>
        run(createStore(database), reopen && (async () => createStore(await reopen()))),
      ),
  }
  for (const part of [
    checkTransactions,
    checkRows,
    checkQueries,
    checkLog,
    checkPages,
    checkChanges,
    checkScopes,
  ])
    part(suite)
}
