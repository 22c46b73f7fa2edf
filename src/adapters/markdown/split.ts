import {
  codePointLength,
  estimateTokens,
  isWhitespace,
  splitWhitespace,
  takeCodePoints,
  trimWhitespace,
} from '../../block/text.ts'
import { itemsOf } from './blocks.ts'

/** Characters of a token, as `estimateTokens` counts them. */
export const CHARACTERS_PER_TOKEN = 4

/** Something that is kept whole when it fits: a paragraph, a list, a table, a code block. */
export interface Piece {
  readonly kind: 'prose' | 'list' | 'table' | 'code'
  readonly text: string
}

/** Texts of at most `maxTokens` estimated tokens that hold the pieces in order; pieces are split only when they must be. */
export function packPieces(pieces: readonly Piece[], maxTokens: number): string[] {
  const parts = withCode(pieces, maxTokens).flatMap((piece) =>
    fits(piece.text, maxTokens) ? [piece.text] : split(piece, maxTokens),
  )
  return pack(parts, '\n\n', maxTokens)
}

/** Joins code to the paragraph or list above it, if both fit into one text. */
function withCode(pieces: readonly Piece[], maxTokens: number): Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const above = joined.at(-1)
    const text = `${above?.text}\n\n${piece.text}`
    if (piece.kind === 'code' && above !== undefined && fits(text, maxTokens))
      joined[joined.length - 1] = { kind: above.kind, text }
    else joined.push(piece)
  }
  return joined
}

function split({ kind, text }: Piece, maxTokens: number): string[] {
  if (kind === 'code') {
    const lines = text.split('\n')
    return framed(lines, maxTokens, { head: 1, foot: FENCE.test(lines.at(-1) ?? '') ? 1 : 0 })
  }
  if (kind === 'table') return framed(text.split('\n'), maxTokens, { head: 2, foot: 0 })
  if (kind === 'list')
    return pack(
      itemsOf(text).flatMap((item) => fitted(item, maxTokens)),
      '\n',
      maxTokens,
    )
  return fitted(text, maxTokens)
}

/** A code block at the end of a document may never be closed; then its last line is a line of the code. */
const FENCE = /^ {0,3}(?:`{3,}|~{3,})\s*$/

/** Lines packed between the first and last ones, which are repeated: a code fence, a table's header. */
function framed(
  lines: readonly string[],
  maxTokens: number,
  { head, foot }: { readonly head: number; readonly foot: number },
): string[] {
  const top = lines.slice(0, head).join('\n')
  const bottom = foot > 0 ? lines.slice(-foot).join('\n') : ''
  const room = maxTokens - estimateTokens(top) - estimateTokens(bottom) - 2
  const inner = lines.slice(head, foot > 0 ? -foot : undefined)
  if (room < maxTokens / 2) return fitted(lines.join('\n'), maxTokens)
  const bodies = pack(
    inner.flatMap((line) => (line === '' ? [''] : fitted(line, room))),
    '\n',
    room,
  )
  return bodies.map((body) => [top, body, ...(foot > 0 ? [bottom] : [])].join('\n'))
}

/** The text, or its sentences, or words, or pieces of a word: as little broken as the room allows. */
function fitted(text: string, maxTokens: number): string[] {
  if (fits(text, maxTokens)) return [text]
  const sentences = packSentences(text, 1).flatMap((sentence) =>
    fits(sentence, maxTokens) ? [sentence] : pack(words(sentence, maxTokens), ' ', maxTokens),
  )
  return pack(sentences, ' ', maxTokens)
}

function words(sentence: string, maxTokens: number): string[] {
  return splitWhitespace(sentence).flatMap((word) =>
    fits(word, maxTokens) ? [word] : slices(word, maxTokens),
  )
}

function slices(word: string, maxTokens: number): string[] {
  const parts: string[] = []
  for (let rest = word; rest !== ''; ) {
    const part = takeCodePoints(rest, maxTokens * CHARACTERS_PER_TOKEN)
    parts.push(part)
    rest = rest.slice(part.length)
  }
  return parts
}

function pack(parts: readonly string[], glue: string, maxTokens: number): string[] {
  const limit = maxTokens * CHARACTERS_PER_TOKEN
  const packed: string[] = []
  let current: string[] = []
  let length = 0
  for (const part of parts) {
    const size = codePointLength(part) + (current.length > 0 ? glue.length : 0)
    if (current.length > 0 && length + size > limit) {
      packed.push(current.join(glue))
      current = []
      length = 0
    }
    length += current.length > 0 ? size : codePointLength(part)
    current.push(part)
  }
  return [...packed, ...(current.length > 0 ? [current.join(glue)] : [])]
}

function fits(text: string, maxTokens: number): boolean {
  return codePointLength(text) <= maxTokens * CHARACTERS_PER_TOKEN
}

/**
 * A document cut into chunks of whole sentences, packed greedily up to `chunkSize` words each (Python elfmem).
 * A sentence ends after `.`, `!` or `?` before white space; one longer than a chunk is never split. No text, no chunks.
 */
export function packSentences(text: string, chunkSize: number): string[] {
  const chunks: string[] = []
  let current: string[] = []
  let words = 0
  for (const sentence of sentencesOf(text)) {
    const length = splitWhitespace(sentence).length
    if (current.length > 0 && words + length > chunkSize) {
      chunks.push(current.join(' '))
      current = []
      words = 0
    }
    current.push(sentence)
    words += length
  }
  return current.length > 0 ? [...chunks, current.join(' ')] : chunks
}

function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  let start = 0
  for (let at = 1; at < text.length; at++) {
    if (isWhitespace(text.charAt(at)) && '.!?'.includes(text.charAt(at - 1))) {
      sentences.push(text.slice(start, at))
      start = at
    }
  }
  sentences.push(text.slice(start))
  return sentences.map(trimWhitespace).filter((sentence) => sentence !== '')
}
