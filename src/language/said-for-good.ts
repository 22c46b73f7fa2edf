/** A sentence by which a user says what is to hold from now on. */
export interface SaidForGood {
  readonly category: 'instruction' | 'preference'
  /** The words as they stand in the text. */
  readonly text: string
}

/** Returns the standing instructions and stated preferences in a user's own words, in order. */
export function saidForGood(_text: string): readonly SaidForGood[] {
  return []
}
