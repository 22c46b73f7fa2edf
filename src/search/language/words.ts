const ASCII_WORD = /[a-z0-9]+/g
const ANY_WORD = /[\p{L}\p{N}]+/gu
const NON_ASCII = /[\u{80}-\u{10ffff}]/u
const MARKS = /\p{M}+/gu
/** Scripts written without spaces: found by pairs of neighbouring characters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const UNSPACED_RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu

/** Words in lower case with accents folded, in order; runs of an unspaced script become overlapping pairs. */
export function wordsOf(text: string): string[] {
  const lower = text.toLowerCase()
  if (!NON_ASCII.test(lower)) return lower.match(ASCII_WORD) ?? []
  const folded = lower.normalize('NFKD').replace(MARKS, '').normalize('NFC')
  const words = folded.match(ANY_WORD) ?? []
  return UNSPACED.test(folded) ? words.flatMap(splitUnspaced) : words
}

function splitUnspaced(word: string): string[] {
  if (!UNSPACED.test(word)) return [word]
  return (word.match(UNSPACED_RUN) ?? []).flatMap((run) => (UNSPACED.test(run) ? pairs([...run]) : [run]))
}

function pairs(characters: readonly string[]): string[] {
  if (characters.length === 1) return [characters[0] as string]
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`)
}
