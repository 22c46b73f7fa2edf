import { snakeCase } from '../adapters/project/spelling.ts'
import type { AnswerForm, CallContext } from '../engine/engine.ts'
import type { CallableMemory } from '../engine/open-memory.ts'
import { checkSize } from '../intake/check-input.ts'
import { type Answer, type LeftOut, leftOutSentence } from '../operations/fit-answer.ts'
import type { Operation } from '../operations/operation.ts'
import type { Failure } from './failure.ts'
import { answerText, cursorOf, type Prose } from './prose.ts'
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

/** An answer in the words of a caller of tools. */
interface Told {
  readonly text: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly left: readonly LeftOut[]
}

/** A question to an operation, in whichever form it came. */
interface Question {
  readonly input: unknown
  readonly context: CallContext
}

/**
 * Asks an operation and returns its answer, no longer than the surface takes; rejects with its error.
 *
 * @param prose loads the words of the caller if the answer needs them
 */
export async function ask(
  operation: Operation,
  memory: Callable,
  { input, context }: Question,
  prose: () => Promise<Prose>,
): Promise<Told> {
  const { toOutput: fieldsOf } = wireOf(operation)
  let left: LeftOut[] = []
  const form: AnswerForm = {
    fieldsOf,
    leftOut: (parts) => {
      left = parts.map((each) => ({ ...each, field: snakeCase(each.field) }))
    },
  }
  const output = (await memory.call(operation, input, { ...context, answer: form })) as Answer
  const said = await answerText(operation, output, async (text) => (await prose())(text))
  const note = leftOutSentence(left, memory.limits.answerTokens)
  const cursor = cursorOf(operation, output)
  const more = cursor === undefined ? '' : `For more pass cursor ${JSON.stringify(fieldsOf(output).cursor)}.`
  return { text: [said, more, note].filter(Boolean).join('\n\n'), fields: fieldsOf(output), left }
}

/** Calls the operation behind a tool with arguments as the wire spells them; rejects with its error. */
export async function answerOf(
  operation: Operation,
  memory: Callable,
  request: ToolRequest,
  prose: () => Promise<Prose>,
): Promise<ToolAnswer> {
  const input = inputFrom(operation, request.arguments, memory, request.context)
  const { text, fields, left } = await ask(operation, memory, { ...request, input }, prose)
  return {
    text,
    structured: {
      ...fields,
      // What is all our own prose reads the same in both places.
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
