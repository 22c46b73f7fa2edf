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

/** The end of a line, or of a sentence before a number, a quotation, a bracket or a mark. */
const LINE_END = /\n+|(?<=[.!?…])["'”’»)\]*]*\s+(?=[\p{N}"'“‘«(*`#-])|(?<=[。！？])/gu
/** The end of a sentence, by which a longer line is split. */
const SENTENCE_END = /(?<=[.!?…])["'”’»)\]*]*\s+/gu
/** Two signs of a script without spaces count as a word, and of a longer run without spaces every 24. */
const WORD =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]{1,2}|[^\s\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]{1,24}/gu
/** The beginning of a section in Markdown. */
const HEADING = /^#{1,6}\s/

/**
 * Splits a text into the passages by which it is ranked: whole lines and sentences, packed to 50 words; a heading begins one. A
 * text of at most 120 words is one passage. Cost: one pass.
 */
export function passagesOf(text: string): readonly Stretch[] {
  if (text.length <= SHORT || countWords(text) <= WHOLE) return [{ from: 0, to: text.length }]
  const passages: Piece[] = []
  for (const piece of piecesOf(text)) {
    const last = passages.at(-1)
    if (last && !piece.isHeading && last.words + piece.words <= MOST)
      passages[passages.length - 1] = { ...last, to: piece.to, words: last.words + piece.words }
    else passages.push(piece)
  }
  const last = passages.at(-1)
  const before = passages.at(-2)
  if (last && before && !last.isHeading && last.words < SHORTEST)
    passages.splice(-2, 2, { ...before, to: last.to })
  return passages.map(({ from, to }) => ({ from, to }))
}

/** A line or sentence, or a part of a long one. */
interface Piece extends Stretch {
  readonly words: number
  readonly isHeading: boolean
}

/** Returns the lines of a text in order; one of more than 100 words by its sentences, and such a sentence in parts. */
function piecesOf(text: string): Piece[] {
  return stretchesOf(text, { from: 0, to: text.length }, LINE_END).flatMap((line) => {
    const whole = pieceOf(text, line)
    if (whole.length <= 1) return whole
    return stretchesOf(text, line, SENTENCE_END).flatMap((sentence) => pieceOf(text, sentence))
  })
}

/** Splits a stretch of a text at the ends that an expression finds. */
function stretchesOf(text: string, { from, to }: Stretch, ends: RegExp): Stretch[] {
  const stretches: Stretch[] = []
  let start = from
  for (const { index, 0: mark } of text.slice(from, to).matchAll(ends)) {
    stretches.push({ from: start, to: from + index })
    start = from + index + mark.length
  }
  return [...stretches, { from: start, to }]
}

/** A stretch without the white space around it, in parts of 100 words; none where it has no word. */
function pieceOf(text: string, { from, to }: Stretch): Piece[] {
  const words = [...text.slice(from, to).matchAll(WORD)]
  const pieces: Piece[] = []
  for (let at = 0; at < words.length; at += 2 * MOST) {
    const some = words.slice(at, at + 2 * MOST)
    const [first, last] = [some[0] as RegExpExecArray, some.at(-1) as RegExpExecArray]
    pieces.push({
      from: from + first.index,
      to: from + last.index + last[0].length,
      words: some.length,
      isHeading: at === 0 && HEADING.test(text.slice(from + first.index, to)),
    })
  }
  return pieces
}

function countWords(text: string): number {
  return text.match(WORD)?.length ?? 0
}
