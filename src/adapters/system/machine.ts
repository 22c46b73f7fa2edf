import { hash, randomBytes } from 'node:crypto'
import type { Clock, Ids, Timer } from '../../engine/ports.ts'

/** The clock of this machine. */
export const systemClock: Clock = { now: () => Date.now() }

/** The timers of this process; none keeps it alive. */
export const systemTimer: Timer = {
  after(milliseconds, work) {
    const timeout = setTimeout(work, milliseconds).unref()
    return () => clearTimeout(timeout)
  },
}

/** Ids from the machine's cryptographic randomness; a chance of collision below 1e-9 at 190,000 ids. */
export const systemIds: Ids = {
  random: () => randomBytes(8).toString('hex'),
  sha256: (text) => hash('sha256', text),
}
