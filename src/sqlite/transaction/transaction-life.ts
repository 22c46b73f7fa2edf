import { ElfmemError } from '../../errors.ts'
import type { Connection } from '../connection/driver.ts'

/**
 * The life of one transaction: its handle works until the transaction is over, and after a failed statement no other
 * runs, because SQLite may have rolled back already and would commit the next one on its own.
 */
export class TransactionLife {
  #over = false
  #failure: unknown
  readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  /** The first failure of a statement, if any: the transaction must not be committed. */
  get failure(): unknown {
    return this.#failure
  }

  /** Runs one call of a transaction's handle; failures reject. */
  async run<T>(work: () => T): Promise<T> {
    if (this.#over) {
      throw new ElfmemError('CLOSED', 'The transaction is over.', {
        recovery: 'Await every call inside the function given to read or write.',
      })
    }
    if (this.#failure !== undefined) throw this.#failure
    try {
      return work()
    } catch (error) {
      if (!(ElfmemError.is(error) && error.code === 'INVALID_INPUT')) this.#failure = error
      throw error
    }
  }

  end(): void {
    this.#over = true
  }
}

/** Does work in the transaction that was begun, and ends it: by a commit, or by going back to how it was before. */
export async function transact<T>(
  connection: Connection,
  work: (life: TransactionLife) => Promise<T>,
): Promise<T> {
  const life = new TransactionLife(connection)
  try {
    const result = await work(life)
    life.end()
    if (life.failure !== undefined) throw life.failure
    connection.control('COMMIT')
    return result
  } catch (error) {
    life.end()
    connection.rollback()
    throw error
  }
}
