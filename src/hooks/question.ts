import { withoutFences } from '../domain/safety/memory-fence.ts'

/** Words below which a prompt asks nothing: "yes", "go on". */
const WORDS_MIN = 3
/** Signs of scripts without blanks between words, each a word here; else a run of letters and digits. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]|[\p{L}\p{N}]+/gu
/** Characters of a prompt that are asked: its beginning, and its end, where the question stands behind what was pasted. */
const BEGINNING = 1_500
const END = 500

/**
 * Returns the question of a prompt, without memory that stands in it; empty if it asks nothing. A long one is cut to its beginning
 * and its end.
 */
export function questionOf(prompt: string): string {
  const text = withoutFences(prompt).text.trim()
  const asked =
    text.length > BEGINNING + END ? `${text.slice(0, BEGINNING)} … ${text.slice(-END)}`.toWellFormed() : text
  return (asked.match(WORD)?.length ?? 0) < WORDS_MIN ? '' : asked
}
