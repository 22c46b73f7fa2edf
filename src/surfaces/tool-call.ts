import { snakeCase } from '../adapters/project/spelling.ts'
import type { AnswerForm, CallContext } from '../flow/engine/engine.ts'
import { checkCounts } from '../flow/guard/check-limits.ts'
import type { CallableMemory } from '../opening/open-memory.ts'
import { type Answer, type LeftOut, leftOutSentence } from '../operations/answer-within-limit.ts'
import type { Operation } from '../operations/operation.ts'
import { aroundCommand, type Failure, failureOf } from './failure.ts'
import { cursorOf, type Language, outsideQuotes, spoken } from './spoken.ts'
import { wireOf } from './wire.ts'

/** A call of a tool, whoever hands it on. */
export interface ToolRequest {
  /** As the wire spells them. */
  readonly arguments: unknown
  readonly context: CallContext
}

/** The answer of a tool: the text that a model reads, and its fields for a program, in snake_case. */
export interface ToolAnswer {
  readonly text: string
  readonly structured: Readonly<Record<string, unknown>>
}

/**
 * Calls the operation behind a tool; rejects with its error.
 *
 * @param language of the caller, loaded if the answer needs it
 */
export async function answerOf(
  operation: Operation,
  memory: CallableMemory,
  { arguments: given, context }: ToolRequest,
  language: () => Promise<Language>,
): Promise<ToolAnswer> {
  const { toOutput } = wireOf(operation)
  const fieldsOf = (output: Answer) => toOutput(output, given)
  let left: LeftOut[] = []
  const form: AnswerForm = {
    fieldsOf,
    leftOut: (parts) => {
      left = parts.map((each) => ({ ...each, field: snakeCase(each.field) }))
    },
  }
  const input = inputFrom(operation, given, memory, context)
  const output = (await memory.call(operation, input, { ...context, answer: form })) as Answer
  const said = await spoken(operation, output, {
    whole: language,
    named: async () => (await language()).prose,
  })
  const note = leftOutSentence(left, memory.limits.answerTokens)
  const cursor = cursorOf(operation, output)
  const more = cursor === undefined ? '' : `For more pass cursor ${JSON.stringify(fieldsOf(output).cursor)}.`
  return {
    text: [said, more, note].filter(Boolean).join('\n\n'),
    structured: {
      ...fieldsOf(output),
      // What is all our own prose reads the same in both places.
      ...(operation.isOwnProse === true ? { text: said } : {}),
      ...(left.length > 0 ? { left_out: left } : {}),
    },
  }
}

/** The input of a call, if it is not so much that spelling it anew would keep others waiting; counted as a call else, too. */
function inputFrom(
  operation: Operation,
  given: unknown,
  { limits }: CallableMemory,
  { rate }: CallContext,
): unknown {
  try {
    checkCounts(given, limits)
    return wireOf(operation).toInput(given)
  } catch (error) {
    rate?.take(limits)
    throw error
  }
}

/** Returns a failure in the words of a caller of tools. */
export async function toolFailure(cause: unknown, language: Language): Promise<Failure> {
  const failure = await failureOf(cause, language)
  const tell = aroundCommand(failure.details, (text) => outsideQuotes(text, language.prose))
  return { ...failure, recovery: tell(failure.recovery) }
}

/** A failure as the text that a model reads. */
export function failureText({ code, error, recovery }: Failure): string {
  return `${code}: ${error} ${recovery}`
}
