import { shown } from '../domain/safety/visible.ts'
import { count } from '../domain/text/text.ts'
import { ElfmemError } from '../errors.ts'

/** `harmless`: a message of a surface may repeat what somebody else wrote. `harmlessLine`: the same on one line. */
export { escapedJson, shown as harmless, shownLine as harmlessLine } from '../domain/safety/visible.ts'
export { nearest } from '../domain/text/nearest.ts'
export { shellWord } from '../domain/text/text.ts'

/** Returns the error with harmless words: a program may print it, and it may repeat what somebody else wrote. */
export function harmlessError(error: unknown): unknown {
  if (!ElfmemError.is(error)) return error
  const { code, message, recovery, details, cause, stack } = error
  const words = { message: shown(message), recovery: shown(recovery) }
  if (words.message === message && words.recovery === recovery) return error
  const harmless = new ElfmemError(code, words.message, { recovery: words.recovery, details, cause })
  return Object.assign(harmless, stack === undefined ? {} : { stack: shown(stack) })
}

/** The beginning of an id, as people read it; every operation takes it back. */
export function shortId(id: string): string {
  return id.slice(0, 8)
}

/** Sentences joined by spaces; what is undefined or false is left out. */
export function sentences(...parts: readonly (string | undefined | false)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(' ')
}

/** What a change does not do, and the owner's command that does. */
export function wordsStay(command: string): string {
  return `The words of before stay in the memory's files; \`${command}\` removes them for ever.`
}

/** At most the first three ids and how many more there are. */
export function someIds(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).map(shortId).join(', ')
  return ids.length > 3 ? `${shown} and ${ids.length - 3} more` : shown
}

/** Returns that a dream is due, when it is and nothing else dreams, else an empty text. */
export function dreamHint({
  shouldDream,
  pending,
}: {
  readonly shouldDream: boolean
  readonly pending: number
}): string {
  return shouldDream ? `${count(pending, 'block')} waiting: a dream is due.` : ''
}
