/** Wall time from outside, so that tests decide what time it is. */
export interface Clock {
  /** Milliseconds since 1970, UTC. May jump in either direction; the rules in `domain/score/formulas.ts` cope. */
  now(): number
}

/** Lets time pass outside, so that tests decide when it has. */
export interface Timer {
  /**
   * Calls `work` once after so many milliseconds, 0 meaning as soon as everybody else had a turn; never keeps the process
   * alive. Returns what calls it off.
   */
  after(milliseconds: number, work: () => void): () => void
}
