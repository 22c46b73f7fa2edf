import type { BusyRetry } from '../connection/busy-retry.ts'
import type { Connection } from '../connection/driver.ts'
import type { TransactionLife } from './transaction-life.ts'

/** Access of the maintenance of a memory to the open store. */
export interface FileAccess {
  readonly location: string
  readonly busyRetry: BusyRetry
  /** Throws `STORE_MOVED` if the path does not lead to the open file any more. */
  readonly mustBeThere: () => void
  /** Runs when no write of this store is open. */
  readonly alone: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>
  /** Another connection that writes, as durably; whoever asks for it closes it. */
  readonly connect: () => Connection
  /** Runs in one durable transaction, on a connection of `connect` when one is given. */
  readonly write: <T>(work: (life: TransactionLife) => Promise<T>, connection?: Connection) => Promise<T>
}
