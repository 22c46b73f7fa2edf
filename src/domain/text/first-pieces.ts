/** Letters and digits of a word that a tokenizer takes together, roughly. */
const LETTERS_PER_PIECE = 4

const SPACE = /\s/u
/** Of scripts with spaces; signs of the others are pieces of their own. */
const WORD_PART = /[\p{L}\p{M}\p{N}]/u
const ALONE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/**
 * The beginning of a text that has at most so many word pieces, as tokenizers count them roughly: a word has one for each
 * four letters begun, every other sign is one. The whole text if it has no more. Reads no further than it has to.
 */
export function firstPieces(text: string, most: number): string {
  let [pieces, letters, at] = [0, 0, 0]
  for (const sign of text) {
    const isInWord = WORD_PART.test(sign) && !ALONE.test(sign)
    letters = isInWord ? letters + 1 : 0
    if (isInWord ? letters % LETTERS_PER_PIECE === 1 : !SPACE.test(sign)) pieces += 1
    if (pieces > most) return text.slice(0, at)
    at += sign.length
  }
  return text
}
