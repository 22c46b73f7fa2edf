/** Characters that make sense as one block, and most of which an embedder reads. */
const WHOLE = 2_000
/** The length of each piece of a longer text. */
const PIECE = 1_000
/** A longer text is found by its beginning. Each piece is a block, and a dream takes some milliseconds for one. */
const PIECES = 64

/** The ends that a piece may have, the best first. */
const ENDS: readonly RegExp[] = [/\n\n/g, /[.!?][)"'”’]?\s/g, /\s/g]

/**
 * A text as blocks can hold it: in one piece, or cut at the end of a paragraph, a sentence or a word into at most 64 pieces of
 * 1,000 characters, and what is behind those is left out. Blank texts have no piece. NUL and halves of characters are replaced.
 */
export function piecesOf(text: string): string[] {
  const clean = text
    .slice(0, PIECES * PIECE)
    .toWellFormed()
    .replaceAll('\0', '\ufffd')
    .trim()
  if (clean === '') return []
  if (clean.length <= WHOLE) return [clean]
  const pieces: string[] = []
  for (let at = 0; at < clean.length && pieces.length < PIECES; ) {
    const end = clean.length - at <= PIECE ? clean.length : at + lengthOf(clean.slice(at, at + PIECE))
    const piece = clean.slice(at, end).trim()
    if (piece !== '') pieces.push(piece)
    at = end
  }
  return pieces
}

/** The length of the piece that a window begins with, more than half of it and never ending within a character. */
function lengthOf(window: string): number {
  for (const end of ENDS) {
    const last = [...window.matchAll(end)].findLast(({ index }) => index > PIECE / 2)
    if (last !== undefined) return last.index + last[0].length
  }
  const code = window.charCodeAt(window.length - 1)
  return code >= 0xd800 && code < 0xdc00 ? window.length - 1 : window.length
}
