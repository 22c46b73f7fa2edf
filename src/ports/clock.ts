/** Wall time from outside, so that tests decide what time it is. */
export interface Clock {
  /** Milliseconds since 1970, UTC. May jump in either direction; the rules in `domain/belief/clock.ts` cope. */
  now(): number
}
