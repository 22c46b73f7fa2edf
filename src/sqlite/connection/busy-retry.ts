import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy } from './failure.ts'

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
