import { snakeCase } from '../adapters/project/spelling.ts'
import type { AnswerForm, CallContext } from '../engine/engine.ts'
import type { CallableMemory } from '../engine/open-memory.ts'
import { checkSize } from '../intake/check-input.ts'
import { type Answer, type LeftOut, leftOutSentence } from '../operations/fit-answer.ts'
import type { Operation } from '../operations/operation.ts'
import type { Failure } from './failure.ts'
import { answerText, cursorOf, type Prose, saidFields } from './prose.ts'
import { wireOf } from './wire.ts'

/** The part of a memory that a call needs. */
type Callable = Pick<CallableMemory, 'call' | 'limits'>

/** A call of a tool. */
export interface ToolRequest {
  /** The arguments as the wire spells them. */
  readonly arguments: unknown
  readonly context: CallContext
}

/** The answer of a tool: the text that a model reads, and its fields for a program, in snake_case. */
export interface ToolAnswer {
  readonly text: string
  readonly structured: Readonly<Record<string, unknown>>
}

/**
 * Calls the operation behind a tool with arguments as the wire spells them; the answer is no longer than the surface takes. Rejects with the
 * error of the operation.
 *
 * @param prose loads the words of the caller if the answer needs them
 */
export async function answerOf(
  operation: Operation,
  memory: Callable,
  request: ToolRequest,
  prose: () => Promise<Prose>,
): Promise<ToolAnswer> {
  const input = inputFrom(operation, request.arguments, memory, request.context)
  const { toOutput: fieldsOf } = wireOf(operation)
  let left: LeftOut[] = []
  const form: AnswerForm = {
    fieldsOf,
    leftOut: (parts) => {
      left = parts.map((each) => ({ ...each, field: snakeCase(each.field) }))
    },
  }
  const output = (await memory.call(operation, input, { ...request.context, answer: form })) as Answer
  const fields = fieldsOf(output)
  const words = async (text: string) => (await prose())(text)
  const said = await answerText(operation, output, words)
  const note = leftOutSentence(left, memory.limits.answerTokens)
  const more =
    cursorOf(operation, output) === undefined ? '' : `For more pass cursor ${JSON.stringify(fields.cursor)}.`
  const text = [said, more, note].filter(Boolean).join('\n\n')
  return {
    text,
    structured: {
      ...(await saidFields(fields, words)),
      // The text of an answer in our own prose alone is the same in both places.
      ...(operation.isOwnProse === true ? { text } : {}),
      ...(left.length > 0 ? { left_out: left } : {}),
    },
  }
}

/** The input of a call, if it is not so much that spelling it anew would keep others waiting; counted as a call else, too. */
function inputFrom(
  operation: Operation,
  given: unknown,
  { limits }: Callable,
  { rate }: CallContext,
): unknown {
  try {
    checkSize(given)
    return wireOf(operation).toInput(given)
  } catch (error) {
    rate?.take(limits)
    throw error
  }
}

/** A failure as the text that a model reads. */
export function failureText({ code, error, recovery }: Failure): string {
  return `${code}: ${error} ${recovery}`
}
