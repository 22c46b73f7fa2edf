import { ElfmemError } from '../errors.ts'

/**
 * The life of one transaction on a connection: its handle works until the transaction is over, and after a failed statement no
 * other runs, because the database may have gone back already and would commit the next one on its own.
 */
export class TransactionLife<Connection> {
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
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#over) {
      throw new ElfmemError('CLOSED', 'The transaction is over.', {
        recovery: 'Await every call inside the function given to read or write.',
      })
    }
    if (this.#failure !== undefined) throw this.#failure
    try {
      const result = work()
      return result instanceof Promise ? await result : result
    } catch (error) {
      if (!(ElfmemError.is(error) && error.code === 'INVALID_INPUT')) this.#failure = error
      throw error
    }
  }

  /** Makes every later call of the handle reject with `CLOSED`. */
  end(): void {
    this.#over = true
  }
}
