import { ASSIGNED_PATTERNS } from './secrets/assigned.ts'
import { CLOUD_PATTERNS } from './secrets/clouds.ts'
import { KEY_PATTERNS } from './secrets/keys.ts'
import type { SecretPattern } from './secrets/pattern.ts'
import { SERVICE_PATTERNS } from './secrets/services.ts'

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

/**
 * Puts `[redacted: <kind>]` in the place of what looks like a secret. Takes time in proportion to the text, whatever
 * it holds. A secret without a known shape or a telling name before it stays; strip invisible characters first, as
 * they would break a shape.
 */
export function redactSecrets(text: string): Redacted {
  const counts = new Map<string, number>()
  let redacted = text
  for (const { kind, shape, accepts } of SECRET_PATTERNS) {
    redacted = redacted.replace(shape, (match: string, ...rest: readonly unknown[]) => {
      const before = (rest.at(-1) as { readonly before?: string } | undefined)?.before ?? ''
      if (accepts?.(match.slice(before.length)) === false) return match
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      return `${before}[redacted: ${kind}]`
    })
  }
  return { text: redacted, found: [...counts].map(([kind, count]) => ({ kind, count })) }
}
