/**
 * Tokens of the reference: lower case, split at white space. Quirk: punctuation stays glued to its word, so "rome?"
 * does not find "rome" (W42).
 */
export function whitespaceTokens(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean)
}

const K1 = 1.5
const B = 0.75
const EPSILON = 0.25

/**
 * Okapi BM25 as the reference computes it (Python elfmem), one score a document.
 *
 * Quirks: a negative idf becomes 0.25 · the mean idf, which is itself negative in tiny corpora; repeated question words
 * count again; the scores are relative to this corpus and mean nothing beside those of another.
 */
export function createBm25(documents: readonly (readonly string[])[]) {
  const frequencies = documents.map(countWords)
  const idf = inverseFrequencies(frequencies)
  const meanLength = documents.reduce((sum, words) => sum + words.length, 0) / documents.length
  return (question: readonly string[]): number[] =>
    documents.map((words, i) => {
      const length = K1 * (1 - B + (B * words.length) / meanLength)
      let score = 0
      for (const word of question) {
        const count = frequencies[i]?.get(word) ?? 0
        score += ((idf.get(word) ?? 0) * count * (K1 + 1)) / (count + length)
      }
      return score
    })
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function inverseFrequencies(documents: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const holding = new Map<string, number>()
  for (const words of documents)
    for (const word of words.keys()) holding.set(word, (holding.get(word) ?? 0) + 1)
  const raw = [...holding].map(
    ([word, n]) => [word, Math.log(documents.length - n + 0.5) - Math.log(n + 0.5)] as const,
  )
  const average = raw.reduce((sum, [, value]) => sum + value, 0) / raw.length
  return new Map(raw.map(([word, value]) => [word, value < 0 ? EPSILON * average : value]))
}
