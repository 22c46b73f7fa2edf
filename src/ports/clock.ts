/** Wall time from outside, so that tests decide what time it is. */
export interface Clock {
  /** Milliseconds since 1970, UTC. May jump in either direction; the rules in `domain/score/experience.ts` cope. */
  now(): number
  /**
   * Milliseconds since any moment; only differences count, and they are true whoever sets the wall clock. Without it the
   * differences of `now` are taken for true.
   */
  monotonic?(): number
}
