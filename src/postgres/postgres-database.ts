import type { Pool, PoolClient } from 'pg'
import type { SqlConnection } from '../sql/connection.ts'
import { readState } from '../sql/queries.ts'
import { SqlRows } from '../sql/rows.ts'
import { ScopedConnection } from '../sql/statement.ts'
import { closedFailure, type Turn, Turns } from '../sql/turns.ts'
import type { Database, Rows, State } from '../store/database.ts'
import { TransactionLife } from '../store/transaction.ts'
import { PostgresConnection, rollBack } from './connection.ts'
import { commitFailure, postgresFailure } from './failure.ts'
import { SCHEMA } from './schema.ts'

/** The parts of an open memory of a server. */
export interface PostgresParts {
  readonly pool: Pool
  /** The number that the rows of the memory have. */
  readonly memory: number
  /** The name of the memory for people, without user and password. */
  readonly location: string
  readonly busyTimeoutMs: number
  readonly scratch: Database['scratch']
  /** Called once the memory is closed. */
  readonly closed: () => Promise<void>
}

type Reading = NonNullable<Parameters<Database['read']>[1]>
type Writing = Parameters<Database['write']>[1]
type Life = TransactionLife<SqlConnection>

/** Milliseconds after which the server ends a write that asks nothing, because its process hangs while others wait. */
const IDLE_WRITE_MS = 60_000

/** Connections that have run a transaction, and may have been cut since. */
const usedBefore = new WeakSet<PoolClient>()

/**
 * One memory in PostgreSQL. No statement names it: a policy of each table shows and takes the rows with the number that the first
 * statement of a transaction sets, and without that number every statement fails.
 */
export class PostgresDatabase implements Database {
  readonly location: string
  readonly isLasting = true
  readonly scratch: Database['scratch']
  statements = 0
  readonly #parts: PostgresParts
  /** Writes of a memory take turns here, so that those that wait hold no connection. */
  readonly #writes: Turns<Life>
  readonly #reads: Turns<Life>
  readonly #running = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined

  constructor(parts: PostgresParts) {
    this.#parts = parts
    this.location = parts.location
    this.scratch = parts.scratch
    this.#writes = new Turns(parts.location)
    this.#reads = new Turns(parts.location)
  }

  read<T>(work: (rows: Rows) => Promise<T>, { scope }: Reading = {}): Promise<T> {
    const around = this.#reads.own?.reading
    if (around !== undefined && this.#closing === undefined) return work(new SqlRows(around, scope))
    return this.#read((life) => work(new SqlRows(life, scope)))
  }

  #read<T>(work: (life: Life) => Promise<T>): Promise<T> {
    // The first query takes the snapshot, so that it dates from the beginning of the read.
    const begin = ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', `${this.#settings}; SELECT 1`] as const
    // Nobody waits for the end of a read, whose answer is known.
    const end = async (client: PoolClient, life: Life) => {
      void life.end()
      client.query('COMMIT').catch(() => undefined)
    }
    const during = (turn: Turn<Life>) => (life: Life) => {
      turn.reading = life
      return work(life)
    }
    return this.#track(() => this.#reads.beside((turn) => this.#transact(begin, during(turn), end)))
  }

  write<T>(work: (rows: Rows, state: State) => Promise<T>, options: Writing): Promise<T> {
    const { scope, changed, durable = true, waits = true } = options
    const { memory, busyTimeoutMs } = this.#parts
    // The update is the lock, for which writers of other processes wait, and the version in one.
    const lock = `${this.#settings}; SET LOCAL synchronous_commit = ${durable ? 'on' : 'off'}
; SET LOCAL lock_timeout = ${waits ? busyTimeoutMs : 1}; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_WRITE_MS}
; UPDATE memories SET version = version + 1 WHERE memory = ${memory}`
    const writing = async (life: Life, begun: Promise<unknown>) => {
      const [{ state }] = await Promise.all([readState(new ScopedConnection(life.connection)), begun])
      return work(new SqlRows(life, scope, changed), state)
    }
    // The end is sent right behind the calls that are still open.
    const end = async (client: PoolClient, life: Life) => {
      const committed = Promise.allSettled([commit(client, this.location)])
      await life.end()
      const [result] = await committed
      if (life.failure !== undefined) throw life.failure
      if (result.status === 'rejected') throw result.reason
    }
    return this.#track(() => this.#writes.run(() => this.#transact(['BEGIN', lock], writing, end)))
  }

  readonly #failed = (error: unknown): never => {
    throw postgresFailure(error, this.location)
  }

  get #settings(): string {
    return `SET LOCAL search_path = ${SCHEMA}; SET LOCAL jit = off; SET LOCAL plan_cache_mode = force_generic_plan
; SET LOCAL elfmem.memory = ${this.#parts.memory}`
  }

  /**
   * Runs one transaction on a connection of the pool, whose first statements are sent together with those of the work. A connection
   * that was cut while nobody used it cannot begin one, and the next is tried: nothing was done yet.
   */
  async #transact<T>(
    begin: readonly [begin: string, settings: string],
    work: (life: Life, begun: Promise<unknown>) => Promise<T>,
    end: (client: PoolClient, life: Life) => Promise<void>,
  ): Promise<T> {
    const client = await this.#parts.pool.connect().catch(this.#failed)
    const isFresh = !usedBefore.has(client)
    const life: Life = new TransactionLife(new PostgresConnection(client, this.location, this))
    const opened = Promise.allSettled([client.query(begin[0])])
    const begun = client.query(begin[1]).catch(this.#failed)
    try {
      // A failed beginning is told in place of the failures that follow from it.
      const result = await firstFailure(begun, work(life, begun))
      usedBefore.add(client)
      if (life.failure !== undefined) throw life.failure
      await end(client, life)
      client.release()
      return result
    } catch (error) {
      await life.end()
      const [{ status }] = await opened
      await rollBack(client)
      if (status === 'fulfilled' || isFresh) throw error
      return this.#transact(begin, work, end)
    }
  }

  async version(): Promise<number> {
    const select = `SELECT version FROM memories WHERE memory = ${this.#parts.memory}`
    const ask = async ({ connection }: Life) => Number((await connection.values(select, []))[0]?.[0])
    // Another connection might not come free before the read around this is over.
    const around = this.#reads.own?.reading
    return around === undefined ? this.#read(ask) : ask(around)
  }

  async analyze(): Promise<void> {
    await this.#track(() => this.#parts.pool.query(`SELECT ${SCHEMA}.count_rows()`).catch(this.#failed))
  }

  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#running).then(() => this.#parts.closed())
    return this.#closing
  }

  /** Runs a call for which `close` waits. */
  async #track<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw closedFailure(this.location)
    const running = call()
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }
}

/** Resolves with the result once both are done; rejects with the failure of the beginning if it failed. */
async function firstFailure<T>(begun: Promise<unknown>, result: Promise<T>): Promise<T> {
  const [beginning, outcome] = await Promise.allSettled([begun, result])
  if (beginning.status === 'rejected') throw beginning.reason
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

async function commit(client: PoolClient, location: string): Promise<void> {
  const { command } = await client.query('COMMIT').catch((error) => {
    throw commitFailure(error, location)
  })
  // The server answers so if it had given the transaction up.
  if (command !== 'COMMIT')
    throw postgresFailure(new Error(`The server answered ${command} to COMMIT`), location)
}
