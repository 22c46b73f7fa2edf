import { INSIDE_WORD, SENTENCE_END, type Tokens, WORD_END } from './wordpiece.ts'

/** Cuts the tokens of a text into windows of at most `limit`; an empty text is one empty window. */
export function cutWindows({ ids, boundaries }: Tokens, limit: number): (readonly number[])[] {
  const windows: (readonly number[])[] = []
  let start = 0
  while (ids.length - start > limit) {
    const end = cutBefore(boundaries, start, start + limit)
    windows.push(ids.slice(start, end))
    start = end
  }
  windows.push(ids.slice(start))
  return windows
}

/** After the last sentence of the window's second half, else after its last word, else at the limit. */
function cutBefore(boundaries: Tokens['boundaries'], start: number, limit: number): number {
  const half = start + Math.ceil((limit - start) / 2)
  let wordEnd: number | undefined
  for (let end = limit; end > start; end--) {
    const boundary = boundaries[end - 1] ?? INSIDE_WORD
    if (boundary === SENTENCE_END && end >= half) return end
    if (boundary === WORD_END || boundary === SENTENCE_END) wordEnd ??= end
    if (end <= half && wordEnd !== undefined) return wordEnd
  }
  return wordEnd ?? limit
}
