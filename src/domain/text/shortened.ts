import { codePointLength, takeCodePoints } from './text.ts'

/** Signs of a name that somebody else chose, where a sentence repeats it. */
const NAME_MAX = 60

/** A text of at most `most` code points; `…` marks a cut. */
export function shortened(text: string, most: number): string {
  // As many units are no more code points, and twice as many no fewer.
  if (text.length <= most || (text.length <= 2 * most && codePointLength(text) <= most)) return text
  return `${takeCodePoints(text, most - 1)}…`
}

/** A name as a sentence repeats it. */
export function shortName(name: string): string {
  return shortened(name, NAME_MAX)
}
