import { count, shortened, shown } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'

/** `harmless`: a message of a surface may repeat what somebody else wrote. `harmlessLine`: the same on one line. */
export {
  count,
  fenced,
  shellWord,
  shortened,
  shown as harmless,
  shownLine as harmlessLine,
} from '../block/text.ts'

/** The longest sentence, recovery or fact of a refusal, in code points: it may repeat what somebody else wrote. */
const SAID_MAX = 2_000
/** The most members of a list in the facts of a refusal. */
const FACTS_MAX = 40

/** Returns the words and facts of a refusal, cut to their limits. A longer list is cut, and its length is told. */
export function bounded({ code, message, recovery, details }: ElfmemError) {
  const said = (text: string) => shortened(text, SAID_MAX)
  const fact = (_: string, value: unknown): unknown => {
    if (typeof value === 'string') return said(value)
    if (!Array.isArray(value) || value.length <= FACTS_MAX) return value
    return [...value.slice(0, FACTS_MAX), `and ${value.length - FACTS_MAX} more`]
  }
  const facts = JSON.parse(JSON.stringify(details, fact)) as ElfmemError['details']
  return { code, message: said(message), recovery: said(recovery), details: facts }
}

/** Returns the error with harmless words: a program may print it, and it may repeat what somebody else wrote. */
export function harmlessError(error: unknown): unknown {
  if (!ElfmemError.is(error)) return error
  const { code, details, ...said } = bounded(error)
  const [message, recovery] = [shown(said.message), shown(said.recovery)]
  const harmless = new ElfmemError(code, message, { recovery, details, cause: error.cause })
  // The trace begins with the message.
  const stack = error.stack?.replace(error.message, () => message)
  return Object.assign(harmless, stack === undefined ? {} : { stack: shown(stack) })
}

/** Begins a recovery that is an example of the operation, which each surface writes its own way. */
export const EXAMPLE = 'A call that works: '

/** The beginning of an id, as people read it; every operation takes it back. */
export function shortId(id: string): string {
  return id.slice(0, 8)
}

/** Matches every character that ends a line in some program. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/

/** Returns the whole of a text behind a head; further lines are indented, so that none passes for a line of the list. */
export function wholeText(head: string, text: string): string {
  return head + text.split(LINE_END).join(`\n${' '.repeat(Math.min(head.length, 5))}`)
}

/** Returns a heading and rows in columns as wide as their widest cell; nothing if there are no rows. */
export function section(heading: string, rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return ['', heading, ...lines.map((line) => `  ${line.trimEnd()}`)]
}

/** Sentences joined by spaces; what is undefined or false is left out. */
export function sentences(...parts: readonly (string | undefined | false)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(' ')
}

/** Tells an agent of a check that failed and passes after a change; whether it is worth a strategy is for the agent to say. */
export function strategyLine({ failed, changed }: { failed: string; changed: readonly string[] }): string {
  const files = changed.join(', ')
  return `A check that failed passes now: ${failed} (changed: ${files}). If that is worth keeping, remember it with category strategy: when …, do …`
}

/** Says what a change does not do, and the owner's command that does. */
export function wordsStay(command: string): string {
  return `The old wording is kept for undo; \`${command}\` removes it for ever.`
}

/** Returns the first three ids and how many more there are. */
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

/** Returns one sentence on what was left out of texts because a recall had shown it; empty if nothing was. */
export function leftOutSentence(
  leftOut: { readonly entries: number; readonly characters: number } | undefined,
): string {
  if (leftOut === undefined) return ''
  const parts = `${count(leftOut.entries, 'entry', 'entries')}, ${count(leftOut.characters, 'character')}`
  return `Left out what a recall had shown: ${parts}.`
}

/** The name of an operation in the log, which is that of its wire. */
export function loggedName(name: string): string {
  return name.trim().replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** `3 decisions wait for the owner`; nothing where none does. */
export function waitingWords(number: number, whom: 'the owner' | 'you' = 'the owner'): string {
  return number === 0 ? '' : `${count(number, 'decision')} ${number === 1 ? 'waits' : 'wait'} for ${whom}`
}

/** The candidate most like a mistyped word, or undefined when none is close (at most a third of the word to change). */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3))
  const ranked = candidates
    // Lengths that differ by more need no look at the letters, however long the word is.
    .filter((candidate) => word.length - candidate.length <= limit)
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= limit || candidate.startsWith(word))
    .sort((a, b) => a.distance - b.distance)
  return ranked[0]?.candidate
}

/** Returns the least number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[to.length] ?? 0
}

/** Signs that JSON leaves as they are, though a terminal would obey or hide them. */
const UNESCAPED = /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}\u{e0000}-\u{e007f}]/gu

/** Returns JSON with escapes for signs that a terminal would obey or hide. */
export function escapedJson(json: string): string {
  return json.replace(UNESCAPED, (sign) =>
    Array.from({ length: sign.length }, (_, at) => {
      return `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`
    }).join(''),
  )
}
