import type { Clock } from '../../src/index.ts'

/** A clock that stands still: nothing ages while a bench runs, so quality does not depend on how long it takes. */
export const fixedClock: Clock = { now: () => Date.UTC(2026, 0, 1) }
