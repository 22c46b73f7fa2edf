/** A stretch of a text, by its places in UTF-16 units; `to` is the place behind it. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** A text of at most this many words is one passage. */
const WHOLE = 120
/** Words of a passage at most; a line without the end of a sentence may have twice as many. */
const MOST = 50
/** A last passage of fewer words is joined to the one before it. */
const SHORTEST = 8
/** A shorter text is not counted: it cannot have more than `WHOLE` words. */
const SHORT = 2 * WHOLE

/** The end of a piece: a line break, or the end of a sentence. */
const PIECE_END = /\n+|(?<=[.!?…])["'”’»)\]*]*\s+(?=[\p{Lu}\p{N}"'“‘«(*`#-])|(?<=[。！？])/gu
/** Two signs of a script without spaces count as a word. */
const WORD =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]{1,2}|[^\s\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+/gu

/**
 * Splits a text into the passages by which it is ranked: whole lines and sentences, packed to 50 words. A text of at most 120
 * words is one passage. Cost: one pass.
 */
export function passagesOf(text: string): readonly Stretch[] {
  if (text.length <= SHORT || countWords(text) <= WHOLE) return [{ from: 0, to: text.length }]
  const passages: Piece[] = []
  for (const piece of piecesOf(text)) {
    const last = passages.at(-1)
    if (last && last.words + piece.words <= MOST)
      passages[passages.length - 1] = { ...last, to: piece.to, words: last.words + piece.words }
    else passages.push(piece)
  }
  const last = passages.at(-1)
  const before = passages.at(-2)
  if (last && before && last.words < SHORTEST) passages.splice(-2, 2, { ...before, to: last.to })
  return passages.map(({ from, to }) => ({ from, to }))
}

/** A line or sentence, or a part of a long one. */
interface Piece extends Stretch {
  readonly words: number
}

/** Returns the lines and sentences of a text in order; one of more than 100 words in parts. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let start = 0
  for (const { index, 0: mark } of [...text.matchAll(PIECE_END), { index: text.length, 0: '' }]) {
    const words = [...text.slice(start, index).matchAll(WORD)]
    for (let at = 0; at < words.length; at += 2 * MOST) {
      const some = words.slice(at, at + 2 * MOST)
      const [first, last] = [some[0] as RegExpExecArray, some.at(-1) as RegExpExecArray]
      pieces.push({
        from: start + first.index,
        to: start + last.index + last[0].length,
        words: some.length,
      })
    }
    start = index + mark.length
  }
  return pieces
}

function countWords(text: string): number {
  return text.match(WORD)?.length ?? 0
}
