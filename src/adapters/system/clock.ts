import type { Clock } from '../../ports/clock.ts'

/** The clocks of this machine. */
export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }
