import { stripInvisible } from '../visible.ts'
import { ASSIGNED_PATTERNS } from './assigned.ts'
import { CLOUD_PATTERNS } from './clouds.ts'
import { KEY_PATTERNS } from './keys.ts'
import type { SecretPattern } from './pattern.ts'
import { SERVICE_PATTERNS } from './services.ts'

/** A text without its secrets, and which kinds it had. */
export interface Redacted {
  readonly text: string
  /** In the order of `SECRET_PATTERNS`; empty when nothing was found. */
  readonly found: readonly { readonly kind: string; readonly count: number }[]
}

/** Every kind looked for, the surest first: what a sure shape took, a guess by its place cannot take again. */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  ...KEY_PATTERNS,
  ...CLOUD_PATTERNS,
  ...SERVICE_PATTERNS,
  ...ASSIGNED_PATTERNS,
]

/** A secret and where it begins, in UTF-16 units. */
export interface FoundSecret {
  readonly kind: string
  readonly at: number
}

/**
 * Puts `[redacted: <kind>]` in the place of what looks like a secret. Takes time in proportion to the text (some 65 ms
 * a megabyte), whatever it holds. A secret without a known shape or a telling name before it stays. Where invisible
 * characters break one, the text comes back without them.
 */
export function redactSecrets(text: string): Redacted {
  const steps = redactInSteps(text)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** The same, with a step after each kind, for a text so long that others must have their turn meanwhile. */
export function* redactInSteps(text: string): Generator<undefined, Redacted> {
  const asWritten = yield* redactShapes(text)
  const visible = stripInvisible(text).text
  if (visible === text) return asWritten
  const asSeen = yield* redactShapes(visible)
  const seesMore = asSeen.text !== stripInvisible(asWritten.text).text
  return seesMore && totalOf(asSeen) >= totalOf(asWritten) ? asSeen : asWritten
}

function totalOf({ found }: Redacted): number {
  return found.reduce((total, { count }) => total + count, 0)
}

function* redactShapes(text: string): Generator<undefined, Redacted> {
  const counts = new Map<string, number>()
  let redacted = text
  for (const { kind, shape, holds, accepts } of SECRET_PATTERNS) {
    if (holds !== undefined && !redacted.includes(holds)) continue
    redacted = redacted.replace(shape, (match: string, ...rest: readonly unknown[]) => {
      const before = (rest.at(-1) as { readonly before?: string } | undefined)?.before ?? ''
      if (accepts?.(match.slice(before.length)) === false) return match
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      return `${before}${markOf(kind)}`
    })
    yield
  }
  return { text: redacted, found: [...counts].map(([kind, count]) => ({ kind, count })) }
}

/** The first secret of a text that `redactSecrets` changed: the two part where it began. */
export function firstSecret(text: string, { text: redacted, found }: Redacted): FoundSecret | undefined {
  let parted = 0
  while (parted < text.length && text[parted] === redacted[parted]) parted += 1
  // The secret itself may begin as the mark does.
  for (let at = parted; at >= 0; at -= 1) {
    const here = found.find(({ kind }) => redacted.startsWith(markOf(kind), at))
    if (here !== undefined) return { kind: here.kind, at }
  }
  return undefined
}

function markOf(kind: string): string {
  return `[redacted: ${kind}]`
}
