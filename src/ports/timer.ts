/** Lets time pass outside, so that tests decide when it has. */
export interface Timer {
  /**
   * Calls `work` once after so many milliseconds, 0 meaning as soon as everybody else had a turn; never keeps the process
   * alive. Returns what calls it off.
   */
  after(milliseconds: number, work: () => void): () => void
}
