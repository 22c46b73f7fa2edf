import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy } from './failure.ts'

/** How long a lock that somebody else holds is waited for. */
export interface Patience {
  readonly milliseconds: number
  /** Milliseconds; only differences count. */
  readonly now: () => number
}

const LONGEST_PAUSE_MS = 20

/**
 * Attempts again while somebody else holds the lock, until the patience is over; then the last error is thrown. Pauses
 * leave the event loop free, because the holder may live in this very process, and vary so that waiters do not march
 * in step.
 */
export function whileBusy<T>(patience: Patience, attempt: () => T): Promise<T> {
  return retrying(patience, isBusy, attempt)
}

/** The same for attempts that take their time and say otherwise that they may be made again. */
export async function retrying<T>(
  patience: Patience,
  mayPass: (error: unknown) => boolean,
  attempt: () => T | Promise<T>,
): Promise<T> {
  const deadline = patience.now() + patience.milliseconds
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!mayPass(error) || patience.now() >= deadline) throw error
    }
    await sleep(1 + Math.random() * Math.min(tries, LONGEST_PAUSE_MS))
  }
}
