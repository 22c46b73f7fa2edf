import { splitWhitespace } from '../text/whitespace.ts'
import { stripInvisible } from './visible.ts'

/** Begins every line of an entry but its first: nothing that elfmem writes itself begins so. */
export const CONTINUATION = '| '

/** Markup that fetches something as soon as a client draws it; an ordinary link waits for somebody to follow it. */
const FETCHING_TAGS =
  /<(?=(?:img|image|picture|source|video|audio|track|iframe|frame|embed|object|link|script|style|svg|input|base|meta|body)(?:[\s/>]|$))/gi

/**
 * Remembered text as a reader may see it: nothing invisible, no terminal commands, and nothing that a client would fetch by
 * showing it (`![x](…)` becomes `! [x](…)`). Doing it twice changes nothing more.
 */
export function shown(text: string): string {
  return stripInvisible(text).text.replaceAll('![', '! [').replace(FETCHING_TAGS, '‹')
}

/** The same as one entry of a page: no line of it but the first can pass for a line of the page itself. */
export function shownEntry(text: string): string {
  const [first = '', ...further] = shown(text).split('\n')
  return [first, ...further.map((line) => `${CONTINUATION}${line}`.trimEnd())].join('\n')
}

/** The same on one line. */
export function shownLine(text: string): string {
  const visible = shown(text)
  return visible.includes('\n') ? splitWhitespace(visible).join(' ') : visible.trim()
}
