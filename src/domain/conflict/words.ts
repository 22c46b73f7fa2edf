/** The words by which the rules of one language find conflicts, lower case; each language has a file of its own. */
export interface ConflictWords {
  /** Carry no meaning for a comparison. */
  readonly fillers: ReadonlySet<string>
  /** Forms that mean the same word, where a stem does not say so. */
  readonly sameWord: ReadonlyMap<string, string>
  /** Contractions whose parts are irregular, with straight apostrophes. */
  readonly contractions: ReadonlyMap<string, readonly string[]>
  /** Turn a statement round when nothing else differs. */
  readonly negations: ReadonlySet<string>
  /** Permission and duty: "may" against "must not" is a negation. */
  readonly modals: ReadonlySet<string>
  /** A statement with one of them says what could be. */
  readonly hypothetical: ReadonlySet<string>
  /** A statement that starts with one of them asks for something. */
  readonly requests: ReadonlySet<string>
  /** Speak of a part or of some times only, so that the opposite holds as well. */
  readonly partial: ReadonlySet<string>
  /** At the start: one of many, so that another may be otherwise. */
  readonly indefinite: ReadonlySet<string>
  /** Speak of the moment of saying it: another day it may be otherwise. */
  readonly momentary: ReadonlySet<string>
  /** Before the name of a stretch of time: the same. */
  readonly pointing: ReadonlySet<string>
  readonly stretches: ReadonlySet<string>
  /** Before an amount: it was so when somebody looked. */
  readonly measured: ReadonlySet<string>
  /** Before an amount: it is no exact one. */
  readonly loose: ReadonlySet<string>
  /** Before a number: it says which one is meant, not how much. */
  readonly numbered: ReadonlySet<string>
  readonly numerals: ReadonlyMap<string, number>
  readonly months: ReadonlySet<string>
  readonly weekdays: ReadonlySet<string>
  /** Before four digits: these are a year. */
  readonly yearly: ReadonlySet<string>
  readonly seasons: ReadonlySet<string>
  /** Past verbs that regular endings do not tell; what was done once may have been done again. */
  readonly pastVerbs: ReadonlySet<string>
  readonly isPast: (word: string) => boolean
  /** Said of what has one date only. */
  readonly once: ReadonlySet<string>
  /** Each word with those that cannot hold where it holds. */
  readonly antonyms: ReadonlyMap<string, ReadonlySet<string>>
  /** Those of them that say what something is. */
  readonly states: ReadonlySet<string>
  /** Before a word: it becomes its opposite. */
  readonly oppositePrefix: string
  /** Before a state or a participle. */
  readonly being: ReadonlySet<string>
  /** Between a thing and what it is. */
  readonly copulas: ReadonlySet<string>
  /** Those of them that speak of one thing, as it is by now. */
  readonly singular: ReadonlySet<string>
  readonly possessives: ReadonlySet<string>
  /** Before a place. */
  readonly places: ReadonlySet<string>
  /** May stand between a thing and its place. */
  readonly located: ReadonlySet<string>
  /** What a thing has one of: the default, the owner. */
  readonly single: ReadonlySet<string>
  /** Frames and little verbs: shared ones do not make two statements be about the same. */
  readonly light: ReadonlySet<string>
  /** Phrases after which stands what no longer holds. */
  readonly oldValue: readonly (readonly string[])[]
  /** Before what no longer holds, where a word of `towards` follows in the same clause. */
  readonly origin: ReadonlySet<string>
  /** Without one of them before it, "from" tells of no change. */
  readonly moving: ReadonlySet<string>
  /** Start another clause without a mark. */
  readonly turns: ReadonlySet<string>
  /** Phrases that say that something changed, without its old state. */
  readonly change: readonly (readonly string[])[]
  /** Phrases by which the statement itself has ended. */
  readonly ended: readonly (readonly string[])[]
  /** Between the old value and the new one. */
  readonly towards: ReadonlySet<string>
  /** Something is added and nothing replaced. */
  readonly additive: ReadonlySet<string>
}
