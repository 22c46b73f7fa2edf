/** A statement of one fact is shorter; of a longer text only the beginning is read. In characters. */
const READ_MOST = 1_000

/** An identifier as a whole, which a language adds behind the words of a text. */
const WHOLE = /[^\p{L}\p{N}\p{M}]/u

/** Returns the part of a text that is read. */
export function beginningOf(content: string): string {
  return content.slice(0, READ_MOST)
}

/** The comparable words of a text in order; those of its beginning if it is long. */
export function comparableWords(
  content: string,
  language: { readonly terms: (text: string) => readonly string[] },
): string[] {
  return language.terms(beginningOf(content)).filter(isPart)
}

/** True of a word by itself, and not of several written as one. */
function isPart(word: string): boolean {
  return !WHOLE.test(word)
}
