/** The words by which the rules of one language find conflicts, lower case; each language has a file of its own. */
export interface ConflictWords {
  /** Words without meaning for a comparison. */
  readonly fillers: ReadonlySet<string>
  /** Forms that mean the same word, where a stem does not say so. */
  readonly sameWord: ReadonlyMap<string, string>
  /** Contractions whose parts are irregular, with straight apostrophes. */
  readonly contractions: ReadonlyMap<string, readonly string[]>
  /** Words that turn a statement round when nothing else differs. */
  readonly negations: ReadonlySet<string>
  /** Words of permission and duty: "may" against "must not" is a negation. */
  readonly modals: ReadonlySet<string>
  /** Words that make a statement say what could be. */
  readonly hypothetical: ReadonlySet<string>
  /** Words that begin a request. */
  readonly requests: ReadonlySet<string>
  /** Words for a part or for some times only, so that the opposite may hold as well. */
  readonly partial: ReadonlySet<string>
  /** First words that speak of one among many, so that another may be otherwise. */
  readonly indefinite: ReadonlySet<string>
  /** Words for the time of speaking: another day it may be otherwise. */
  readonly momentary: ReadonlySet<string>
  /** Words that, before the name of a period, also mean the time of speaking. */
  readonly pointing: ReadonlySet<string>
  readonly stretches: ReadonlySet<string>
  /** Words before a measured amount: it held when somebody looked. */
  readonly measured: ReadonlySet<string>
  /** Words before an amount that is not exact. */
  readonly loose: ReadonlySet<string>
  /** Words before a number that says which one is meant, not how much. */
  readonly numbered: ReadonlySet<string>
  readonly numerals: ReadonlyMap<string, number>
  readonly months: ReadonlySet<string>
  readonly weekdays: ReadonlySet<string>
  /** Words before four digits that are a year. */
  readonly yearly: ReadonlySet<string>
  readonly seasons: ReadonlySet<string>
  /** Past verbs that regular endings do not tell; what was done once may have been done again. */
  readonly pastVerbs: ReadonlySet<string>
  readonly isPast: (word: string) => boolean
  /** Words said of what has only one date. */
  readonly once: ReadonlySet<string>
  /** Each word with the words that exclude it. */
  readonly antonyms: ReadonlyMap<string, ReadonlySet<string>>
  /** The antonyms that say what something is. */
  readonly states: ReadonlySet<string>
  /** The prefix that turns a word into its opposite. */
  readonly oppositePrefix: string
  /** Words before a state or a participle. */
  readonly being: ReadonlySet<string>
  /** Words between a thing and what it is. */
  readonly copulas: ReadonlySet<string>
  /** The copulas that speak of one thing, as it is by now. */
  readonly singular: ReadonlySet<string>
  readonly possessives: ReadonlySet<string>
  /** Words before a place. */
  readonly places: ReadonlySet<string>
  /** Words that may stand between a thing and its place. */
  readonly located: ReadonlySet<string>
  /** Words for what a thing has only one of: the default, the owner. */
  readonly single: ReadonlySet<string>
  /** Frames and little verbs: shared ones do not make two statements be about the same. */
  readonly light: ReadonlySet<string>
  /** Phrases before what no longer holds. */
  readonly oldValue: readonly (readonly string[])[]
  /** Words before what no longer holds, if a word of `towards` follows in the same clause. */
  readonly origin: ReadonlySet<string>
  /** Words of change: without one of them before it, "from" tells of no change. */
  readonly moving: ReadonlySet<string>
  /** Words that start another clause without a mark. */
  readonly turns: ReadonlySet<string>
  /** Phrases that say that something changed, without its old state. */
  readonly change: readonly (readonly string[])[]
  /** Phrases by which the statement itself has ended. */
  readonly ended: readonly (readonly string[])[]
  /** Words between the old value and the new one. */
  readonly towards: ReadonlySet<string>
  /** Words that say that something is added and nothing replaced. */
  readonly additive: ReadonlySet<string>
}
