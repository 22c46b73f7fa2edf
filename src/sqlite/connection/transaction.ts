import { setTimeout as sleep } from 'node:timers/promises'
import { ElfmemError } from '../../errors.ts'
import type { Connection } from './driver.ts'
import { isBusy } from './failure.ts'

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

/** How long a lock that somebody else holds is waited for. */
export interface BusyRetry {
  readonly milliseconds: number
  /** Milliseconds; only differences count. */
  readonly now: () => number
}

const LONGEST_PAUSE_MS = 20

/**
 * Attempts again while somebody else holds the lock, until the time is over; then the last error is thrown.
 * Pauses leave the event loop free, because the holder may live in this very process, and vary so that
 * waiters do not attempt in step.
 */
export function whileBusy<T>(busyRetry: BusyRetry, attempt: () => T): Promise<T> {
  return retrying(busyRetry, isBusy, attempt)
}

/** The same for attempts that take their time and say otherwise that they may be made again. */
export async function retrying<T>(
  busyRetry: BusyRetry,
  mayPass: (error: unknown) => boolean,
  attempt: () => T | Promise<T>,
): Promise<T> {
  const deadline = busyRetry.now() + busyRetry.milliseconds
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!mayPass(error) || busyRetry.now() >= deadline) throw error
    }
    await sleep(1 + Math.random() * Math.min(tries, LONGEST_PAUSE_MS))
  }
}

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
