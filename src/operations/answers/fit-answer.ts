import { estimateTokens } from '../../block/text.ts'

/** A part of an answer that was cut: how many of how many items of a list, or characters of a text. */
export interface LeftOut {
  /** As the wire spells it: `blocks`, `block.content`. */
  readonly field: string
  readonly shown: number
  readonly of: number
  readonly unit: 'items' | 'characters'
}

/** A part of an answer that can be cut. */
interface Part {
  readonly path: readonly string[]
  readonly weight: number
}

/** Texts shorter than this stay whole. */
const SHORT_TEXT = 400

/** An answer as long as it may be. */
export interface Fitted {
  readonly output: Record<string, unknown>
  readonly leftOut: readonly LeftOut[]
}

/**
 * Cuts the heaviest list or text of an answer, again and again, until it has at most `limit` tokens. Lists
 * lose their last items; every field stays and keeps its type.
 *
 * @param tokensOf counts the tokens of an answer, with all that is said of it
 */
export function fitAnswer(
  given: Record<string, unknown>,
  tokensOf: (output: Record<string, unknown>) => number,
  limit: number,
): Fitted {
  let output = given
  const sizes = new Map<string, LeftOut>()
  for (let tokens = tokensOf(output); tokens > limit; tokens = tokensOf(output)) {
    const part = heaviest(output, [])
    if (part === undefined) break
    // A little more than needed of the part, so that few rounds suffice.
    const excess = (tokens - limit) / Math.max(tokens, 1)
    const share = Math.max(0, Math.min(0.9, 1 - (excess * weightOf(output)) / part.weight - 0.02))
    output = cutAt(output, part.path, (value) =>
      cut(value, share, part.path.join('.'), sizes),
    ) as typeof output
  }
  return { output, leftOut: [...sizes.values()] }
}

function cut(value: unknown, share: number, field: string, sizes: Map<string, LeftOut>): unknown {
  const of = sizes.get(field)?.of
  if (typeof value === 'string') {
    const shown = Math.max(SHORT_TEXT / 2, Math.floor(value.length * share))
    sizes.set(field, { field, shown, of: of ?? value.length, unit: 'characters' })
    return `${value.slice(0, shown).toWellFormed()}…`
  }
  const list = value as readonly unknown[]
  const shown = Math.floor(list.length * share)
  sizes.set(field, { field, shown, of: of ?? list.length, unit: 'items' })
  return list.slice(0, shown)
}

/** Returns the list or long text with most in it; a list before its own parts. */
function heaviest(value: unknown, path: readonly string[]): Part | undefined {
  if (typeof value === 'string')
    return value.length > SHORT_TEXT ? { path, weight: weightOf(value) } : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) return value.length > 0 ? { path, weight: weightOf(value) } : undefined
  const parts = Object.entries(value).flatMap(([name, each]) => heaviest(each, [...path, name]) ?? [])
  return parts.reduce<Part | undefined>(
    (most, part) => (most && most.weight >= part.weight ? most : part),
    undefined,
  )
}

function cutAt(
  value: unknown,
  [name, ...rest]: readonly string[],
  change: (value: unknown) => unknown,
): unknown {
  if (name === undefined) return change(value)
  const record = value as Record<string, unknown>
  return { ...record, [name]: cutAt(record[name], rest, change) }
}

function weightOf(value: unknown): number {
  return estimateTokens(JSON.stringify(value) ?? '')
}
