/**
 * The rules of a language for retrieval: words to leave out, word forms, and words for time and questions.
 * Everything language-bound lives in one such pack; the neutral one knows nothing and still works.
 */
export interface LanguagePack {
  /** Changes whenever stored terms would come out differently; the store remembers which made them. */
  readonly id: string
  /** The comparable words of a text: folded, stop words removed, stemmed, irregular forms mapped to their base. */
  terms(text: string): string[]
  /** One comparable word, or undefined for a stop word. */
  term(word: string): string | undefined
  /** A date as people write it in this language, as terms; `iso` is ISO-8601. */
  dateTerms(iso: string): string[]
  /** True if the text ends by asking something. */
  asks(text: string): boolean
  /** True if the text speaks of a time: a date, a weekday, "last week", "two days ago". */
  speaksOfTime(text: string): boolean
  /** True if the question wants a time as its answer. */
  asksWhen(question: string): boolean
  /** True if the question wants several things as its answer; absent where the language's forms are unknown. */
  asksForList?(question: string): boolean
  /** True if both of two sources are meant, as in "Anna and Ben" or "both". */
  namesBoth(question: string, one: string, other: string): boolean
  /**
   * Returns the period that a question names by its distance from now ("yesterday", "last week"), if any.
   * The method is absent where the language's words for it are unknown. `now`: milliseconds since 1970.
   */
  spanOf?(question: string, now: number): TimeSpan | undefined
  /** True if the question is about whoever asks, as in "my" and "I". */
  isAboutAsker?(question: string): boolean
}

/** A period from one time to just before another, in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}
