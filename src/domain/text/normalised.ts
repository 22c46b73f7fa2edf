/** Marks in a row that are put in order together, as in Unicode's Stream-Safe Text Format (UAX 15). */
const MARKS_MOST = 30
/** Marks that are written on a letter, and the two that become such marks in compatibility forms. */
const MARK = '[\\p{M}\\uff9e\\uff9f]'
const END_OF_PART = new RegExp(`${MARK}{${MARKS_MOST}}(?=${MARK})`, 'gu')

/**
 * A text in a form of Unicode, in linear time. To put marks in order takes the square of their number in a row, so more
 * than thirty are normalised in parts: what comes is always equivalent to the text, and beyond thirty may not be the form
 * itself. No writing has so many.
 */
export function normalised(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  const ends = [...text.matchAll(END_OF_PART)].map(({ index, 0: part }) => index + part.length)
  if (ends.length === 0) return text.normalize(form)
  return [...ends, text.length].map((end, i) => text.slice(ends[i - 1] ?? 0, end).normalize(form)).join('')
}
