/** One line of a score's explanation. */
export interface ScoreTerm {
  readonly name: string
  /** The signal as it was measured. */
  readonly value: number
  /** What it added to the score; the amounts of all terms sum to the score. */
  readonly amount: number
}
