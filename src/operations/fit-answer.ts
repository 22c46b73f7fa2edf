import { estimateTokens } from '../block/text.ts'

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

/** The answer of an operation. */
export type Answer = Record<string, unknown>

/** A way to ask an operation again for less, until its answer fits the limit. */
export interface Asking {
  readonly operation: { readonly page?: string; readonly render: (output: Answer) => string }
  readonly ask: (input: unknown) => Promise<Answer>
  /** The fields of an answer as they go over the wire, beside its text. */
  readonly fieldsOf: (output: Answer) => unknown
  /** Estimated tokens of the whole answer. */
  readonly limit: number
}

/** Tokens kept free for saying what was left out. */
const FOR_THE_NOTE = 200

/**
 * Returns an answer of at most `limit` tokens. If a list has a cursor, fewer items are asked for, so that the
 * cursor leads on from the last one shown. Anything else loses its end, and the answer says so.
 */
export async function answerWithinLimit(
  { operation, ask, fieldsOf, limit }: Asking,
  input: unknown,
): Promise<Fitted> {
  const room = limit - FOR_THE_NOTE
  const tokensOf = (output: Answer) =>
    estimateTokens(operation.render(output)) + estimateTokens(JSON.stringify(fieldsOf(output)))
  let fitted = fitAnswer(await ask(input), tokensOf, room)
  const { page } = operation
  for (let asked = Number.POSITIVE_INFINITY; page !== undefined && fitted.leftOut.length > 0; ) {
    const { output, leftOut } = fitted
    // The answer can go on behind a cut list.
    const { shown = 0, of = 0 } = leftOut.find(({ field }) => Array.isArray(output[field])) ?? {}
    if (shown < 1 || shown >= of || shown >= asked) return fitted
    asked = shown
    fitted = fitAnswer(await ask({ ...Object(input), [page]: shown }), tokensOf, room)
  }
  return fitted
}

/** Returns the sentence that tells a reader what is missing; empty when nothing is. */
export function leftOutSentence(leftOut: readonly LeftOut[], limit: number): string {
  if (leftOut.length === 0) return ''
  const said = leftOut.map(({ field, shown, of, unit }) => `${field} (${shown} of ${of} ${unit})`)
  return `Cut to ${limit} tokens (limits.answer_tokens): ${said.join(', ')}. For the rest ask for less at once or more narrowly.`
}
