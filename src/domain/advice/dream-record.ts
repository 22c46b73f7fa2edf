/** The result of a dream in numbers, as the log keeps it with the dream's own entry. */
export interface DreamRecord {
  /** From its beginning until it was logged; a curation that it began comes after. */
  readonly seconds: number
  /** Blocks that became active. */
  readonly promoted: number
  /** Blocks that said what was known and were joined with it. */
  readonly joined: number
  /** Edges made. */
  readonly linked: number
  /** Pairs to decide about: near duplicates and what may be outdated or contradict. */
  readonly flagged: number
  /** Blocks judged by a model or the host. */
  readonly judged: number
  /** Pairs that a model or the host called unrelated. */
  readonly refused: number
  /** Blocks that a model was to judge and did not. */
  readonly pending: number
}
