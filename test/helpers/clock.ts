import type { Clock } from '../../src/engine/ports.ts'

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  /** Moves on, or back when negative. */
  advance(by: { readonly hours?: number; readonly minutes?: number }): void
}

/** A clock that shows `start` (ISO-8601). */
export function createTestClock(start = '2026-03-02T09:00:00Z'): TestClock {
  let ms = Date.parse(start)
  return {
    now: () => ms,
    advance: ({ hours = 0, minutes = 0 }) => {
      ms += (hours * 60 + minutes) * 60_000
    },
  }
}
