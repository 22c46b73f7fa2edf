import { isWhitespace, splitWhitespace, trimWhitespace } from '../block/text.ts'

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
    if (isWhitespace(text.charCodeAt(at)) && '.!?'.includes(text.charAt(at - 1))) {
      sentences.push(text.slice(start, at))
      start = at
    }
  }
  sentences.push(text.slice(start))
  return sentences.map(trimWhitespace).filter((sentence) => sentence !== '')
}
