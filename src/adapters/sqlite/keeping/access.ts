import type { Connection } from '../driver.ts'
import type { Patience } from '../patience.ts'
import type { TransactionLife } from '../transaction-life.ts'

/** What keeping a memory may use of the open store. */
export interface FileAccess {
  readonly location: string
  readonly patience: Patience
  /** Runs when no write of this store is open. */
  readonly alone: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>
  /** Runs in one durable transaction. */
  readonly write: <T>(work: (connection: Connection, life: TransactionLife) => Promise<T>) => Promise<T>
}
