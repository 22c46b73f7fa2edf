import { normalised, splitWhitespace, trimWhitespace } from './text.ts'

/** A word, or words joined by a dot, a stroke or a slash: v1.2, EX-204. */
const WORD = /[\p{L}\p{N}_]+(?:[.\-/][\p{L}\p{N}_]+)*/gu
const HAS_DIGIT = /\p{N}/u
const CAPITAL = /^\p{Lu}/u

/**
 * The names, numbers and identifiers that a question gives, in small letters, each once: words with a digit, and words with a
 * capital that do not begin it. Two questions that differ in them ask for two things, however alike they read.
 */
export function namesIn(question: string): string[] {
  const words = [...question.matchAll(WORD)].map(([word]) => word)
  const names = words.filter((word, i) => HAS_DIGIT.test(word) || (i > 0 && CAPITAL.test(word)))
  return [...new Set(names.map((word) => word.toLowerCase()))]
}

/** The words of a question, whatever their case and signs: two questions of the same ones are one. A text of signs is itself. */
export function questionWords(question: string): string {
  const words = normalised(question, 'NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
  return words.length > 0 ? words.join(' ') : trimWhitespace(question)
}

/**
 * The key of a question: its words in their order with their signs, whatever their case and spaces and the sign at its
 * end. "C builds" and "C++ builds" are two questions, and so are "who owes Ann" and "who Ann owes".
 */
export function questionKey(question: string): string {
  return splitWhitespace(normalised(question, 'NFKC').toLowerCase())
    .join(' ')
    .replace(/[?!.]$/, '')
}
