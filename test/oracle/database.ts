import { ElfmemError } from '../../src/errors.ts'
import { createStore, type Database, type Rows, type State, type Store } from '../../src/testing/index.ts'
import { Access, type Tables } from './access.ts'
import { type Begin, NaiveRows } from './rows.ts'

/** The store over the naive database. */
export function createNaiveStore(): Store {
  return createStore(new NaiveDatabase())
}

/**
 * The naive twin of every database: lists of rows, obviously right, gone when the process ends. A write works on a copy that
 * takes the place of the old state when it succeeds.
 */
export class NaiveDatabase implements Database {
  readonly location = 'memory'
  /** One for each call on a transaction. */
  statements = 0
  #tables: Tables = new Map()
  #commits = 0
  #isClosed = false
  #lastWrite: Promise<unknown> = Promise.resolve()

  async scratch(): Promise<Database> {
    return new NaiveDatabase()
  }

  async read<T>(
    work: (rows: Rows) => Promise<T>,
    { scope }: Parameters<Database['read']>[1] = {},
  ): Promise<T> {
    this.#mustBeOpen()
    const tables = this.#tables
    return this.#transact(
      (own) => new Access(tables, own),
      (begin) => work(new NaiveRows(begin, scope)),
    )
  }

  async write<T>(
    work: (rows: Rows, state: State) => Promise<T>,
    { scope, changed }: Parameters<Database['write']>[1],
  ): Promise<T> {
    this.#mustBeOpen()
    const result = this.#lastWrite.then(async () => {
      const copy = new Map(this.#tables)
      const state = new Access(copy).state()
      const answer = await this.#transact(
        (own) => new Access(copy, own, changed),
        (begin) => work(new NaiveRows(begin, scope), state),
      )
      this.#tables = copy
      this.#commits += 1
      return answer
    })
    this.#lastWrite = Promise.allSettled([result])
    return result
  }

  async version(): Promise<number> {
    this.#mustBeOpen()
    return this.#commits
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#lastWrite
  }

  async #transact<T>(access: Begin, work: (begin: Begin) => Promise<T>): Promise<T> {
    let isOver = false
    const begin: Begin = (scope) => {
      if (isOver) throw closed('The transaction is over.')
      this.statements += 1
      return access(scope)
    }
    return work(begin).finally(() => {
      isOver = true
    })
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw closed('The database is closed.')
  }
}

function closed(message: string): ElfmemError {
  return new ElfmemError('CLOSED', message, { recovery: 'Await every call while it is open.' })
}
