/** How one kind of secret looks; every repeat in `shape` is bounded, so that hostile text costs time in proportion. */
export interface SecretPattern {
  /** What the mark in its place says. */
  readonly kind: string
  /** Global. What its group `before` matches stays; the rest of the match goes. */
  readonly shape: RegExp
  /** Decides about what would go, where the shape alone says too little. */
  readonly accepts?: (value: string) => boolean
}

/** One row of a table of secrets that betray themselves by their shape alone. */
export function shaped(kind: string, shape: RegExp): SecretPattern {
  return { kind, shape }
}
