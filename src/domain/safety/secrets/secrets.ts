import { type FoundSecret, findSecrets, MARK } from './find-secrets.ts'

/** A text without its secrets, and which kinds it had. */
export interface Redacted {
  readonly text: string
  /** By kind, in the order of the first of each; empty when nothing was found. */
  readonly found: readonly { readonly kind: string; readonly count: number }[]
  /** The one that stands first; absent when nothing was found. */
  readonly first?: FoundSecret
}

/** A mark may end one secret and show another beside it, which is then found; no text needs more turns. */
const MOST_TURNS = 8

/**
 * Puts `[redacted: <kind>]` in the place of what looks like a secret; all else stays as it is, and so does the very text
 * when there is none. Takes time in proportion to the text (some 10 ms a megabyte), whatever it holds. A secret without a
 * known shape or a telling name beside it stays. Doing it twice changes nothing more.
 */
export function redactSecrets(text: string): Redacted {
  const steps = redactInSteps(text)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** The same in steps, for a text so long that others must have their turn meanwhile; each is the signs looked at since. */
export function* redactInSteps(text: string): Generator<number, Redacted> {
  const counts = new Map<string, number>()
  let first: FoundSecret | undefined
  let redacted = text
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const found = yield* findSecrets(redacted)
    if (found.length === 0) break
    for (const { kind } of found) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    if (first === undefined || (found[0] as FoundSecret).start < first.start) first = found[0]
    redacted = marked(redacted, found)
  }
  return {
    text: redacted,
    found: [...counts].map(([kind, count]) => ({ kind, count })),
    ...(first === undefined ? {} : { first }),
  }
}

function marked(text: string, found: readonly FoundSecret[]): string {
  const parts: string[] = []
  let from = 0
  for (const { kind, start, end } of found) {
    parts.push(text.slice(from, start), `${MARK}${kind}]`)
    from = end
  }
  return [...parts, text.slice(from)].join('')
}
