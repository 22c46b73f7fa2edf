import { withoutFences } from '../block/visible.ts'
import { isSmallTalk } from './small-talk.ts'

/** Characters of a message that are asked: its beginning, and its end, where the question stands behind what was pasted. */
const BEGINNING = 1_500
const END = 500

/**
 * Returns the question of a message, without recalled text that stands in it; empty if it asks nothing. A long one is cut to its
 * beginning and its end.
 */
export function questionOf(message: string): string {
  const own = withoutFences(message).text.trim()
  if (isSmallTalk(own)) return ''
  return own.length > BEGINNING + END ? `${own.slice(0, BEGINNING)} … ${own.slice(-END)}`.toWellFormed() : own
}
