/**
 * What retrieval knows about a language: words to leave out, word forms, and how time and questions are spoken of.
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
  /** The text ends by asking something. */
  asks(text: string): boolean
  /** The text speaks of a time: a date, a weekday, "last week", "two days ago". */
  speaksOfTime(text: string): boolean
  /** The question wants a time as its answer. */
  asksWhen(question: string): boolean
  /** Both of two sources are meant, as in "Anna and Ben" or "both". */
  namesBoth(question: string, one: string, other: string): boolean
  /**
   * The stretch of time that a question names by its distance from now ("yesterday", "last week"), if any; absent where
   * the language's words for it are not known. `now` is in milliseconds since 1970.
   */
  spanOf?(question: string, now: number): TimeSpan | undefined
  /** The question is about whoever asks, as in "my" and "I". */
  isAboutAsker?(question: string): boolean
}

/** From one moment to just before another, in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}
