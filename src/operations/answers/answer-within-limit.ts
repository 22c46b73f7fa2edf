import { estimateTokens } from '../../block/text.ts'
import { type Fitted, fitAnswer, type LeftOut } from './fit-answer.ts'

export type { LeftOut }

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
