import type { Connection } from '../connection/driver.ts'
import { ScopedConnection } from '../connection/scoped-connection.ts'
import { TransactionLife } from './transaction-life.ts'

/** Does work in the transaction that was begun, and ends it: by a commit, or by going back to how it was before. */
export async function transact<T>(
  connection: Connection,
  scope: string | undefined,
  work: (life: TransactionLife) => Promise<T>,
  beforeCommit: () => void = () => undefined,
): Promise<T> {
  const life = new TransactionLife(new ScopedConnection(connection, scope))
  try {
    const result = await work(life)
    life.end()
    if (life.failure !== undefined) throw life.failure
    beforeCommit()
    connection.control('COMMIT')
    return result
  } catch (error) {
    life.end()
    connection.rollback()
    throw error
  }
}
