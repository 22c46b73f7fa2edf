/** The role of a word in a statement, as far as closed lists of its language say. */
export type Role =
  /** A copula or an auxiliary: the subject stands before it. */
  | 'verb'
  | 'article'
  /** Words by which what is said has ended: "no longer". */
  | 'ended'
  /** Words by which the thing itself is over: "abolished". */
  | 'over'
  /** Words by which the place is another. */
  | 'moved'
  /** Words by which a marriage, or a job, has ended, and words that speak of one. */
  | 'unwed'
  | 'wed'
  | 'resigned'
  | 'employed'
  /** Weekdays and months. */
  | 'day'
  /** Other words of change. */
  | 'change'
  /** Words between somebody or something and its place: "lives". */
  | 'lives'
  /** Words before a place. */
  | 'place'
  /** Words before those whom it holds for: "for". */
  | 'whom'
  /** Words of what has many values at once: "likes". */
  | 'many'
  /** Words that start another clause without a mark. */
  | 'turn'
  /** Words that begin no subject: "after the move". */
  | 'opening'

/** One word of a statement, in its place. */
export interface SaidWord {
  /** In lower case. */
  readonly word: string
  /** As it is compared; absent of a word that says nothing by itself. */
  readonly term?: string
  /** Written with a capital, or with a digit or a sign in it. */
  readonly isName: boolean
  readonly role?: Role
  /** A sentence or a part of one ends behind it. */
  readonly endsClause: boolean
  /** True if it owns the following word: "Lena's". */
  readonly owns: boolean
}

/** A statement as the rules read it that tell what it speaks of; one reading serves all its comparisons. */
export interface Said {
  readonly words: readonly SaidWord[]
  /** It adds to what was known and replaces nothing. */
  readonly adds: boolean
  /** It says how it was, not that it changed: "was Ann Roe in 2024". */
  readonly tellsPast?: boolean
  /** It says that something is not so. */
  readonly negates?: boolean
  /** It says what may be or will be, or holds in some case only: a guess, a plan, a condition. */
  readonly isOpen?: boolean
  /** It names days or seasons: "on Sundays", "in winter". */
  readonly hasTimes?: boolean
  /** It speaks of whoever says it: "my", "we". */
  readonly speaksOfSelf?: boolean
  /** It names what it speaks of before a particle, in a script without spaces; empty where it does not. */
  readonly topic?: string
}
