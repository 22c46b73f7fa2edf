/** Which words tell that an answer used a block. */
export interface AttributionOptions {
  /** Shorter words tell nothing. */
  readonly minLength: number
  /** Lower-case words that tell nothing. */
  readonly stopWords: ReadonlySet<string>
}

/** The share of a block's telling words that its answer uses, 0..1; 0 when it has none (Python elfmem). Absence proves nothing. */
export function attributionScore(block: string, answer: string, options: AttributionOptions): number {
  const terms = tellingTerms(block, options)
  if (terms.size === 0) return 0
  const used = tellingTerms(answer, options)
  return [...terms].filter((term) => used.has(term)).length / terms.size
}

function tellingTerms(text: string, { minLength, stopWords }: AttributionOptions): Set<string> {
  const words = text.toLowerCase().match(/[a-z0-9_]+/g) ?? []
  return new Set(words.filter((word) => word.length >= minLength && !stopWords.has(word)))
}
