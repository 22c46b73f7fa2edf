import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { snakeCase } from '../../adapters/project/spelling.ts'
import { ElfmemError } from '../../errors.ts'
import type { AnswerForm, CallContext } from '../../flow/engine/engine.ts'
import { checkCounts } from '../../flow/guard/check-limits.ts'
import { type CallableMemory, rendered } from '../../opening/open-memory.ts'
import { type Answer, type LeftOut, leftOutSentence } from '../../operations/answer-within-limit.ts'
import { loadOperation, operationNames } from '../../operations/load.ts'
import type { Operation } from '../../operations/operation.ts'
import { nearest } from '../../operations/wording.ts'
import { exampleToolCall } from '../example.ts'
import { aroundCommand, failureOf, type Spelling } from '../failure.ts'
import { wireOf } from '../wire.ts'
import { inSnakeCase, toolName } from './tool-names.ts'

/** How tools and their arguments are spelled. */
const SPELLING: Spelling = { name: snakeCase, example: exampleToolCall }

const operationsByTool = new Map(operationNames.map((name) => [toolName(name), name]))

export interface ToolCall {
  readonly name: string
  /** As the wire spells them. */
  readonly arguments: unknown
  readonly context: CallContext
}

/** Calls the operation behind a tool; a refusal is an answer, too. */
export async function callTool(memory: Promise<CallableMemory>, call: ToolCall): Promise<CallToolResult> {
  try {
    const opened = await memory
    const operation = await loadOperation(operationsByTool.get(call.name) ?? '')
    if (operation !== undefined) return await answer(operation, opened, call)
    call.context.rate?.take(opened.limits)
    throw noTool(call.name, [...operationsByTool.keys()])
  } catch (cause) {
    return await failed(cause)
  }
}

/** Calls of the library, `undo({ … })`, as calls of tools: `elfmem_undo({ … })`. */
function asToolCalls(prose: string): string {
  return prose.replace(/(?<![\w.])([a-z][A-Za-z]*)(?=\(\{)/g, (word, name: string) => {
    const tool = toolName(name)
    return operationsByTool.has(tool) ? tool : word
  })
}

async function answer(operation: Operation, memory: CallableMemory, call: ToolCall): Promise<CallToolResult> {
  const { toInput, toOutput } = wireOf(operation)
  const fieldsOf = (output: Answer) => toOutput(output, call.arguments)
  let left: LeftOut[] = []
  const form: AnswerForm = {
    fieldsOf,
    leftOut: (parts) => {
      left = parts.map((each) => ({ ...each, field: snakeCase(each.field) }))
    },
  }
  const context = { ...call.context, answer: form }
  const output = (await memory.call(operation, inputFrom(call, memory, toInput), context)) as Answer
  const text = rendered(operation, output)
  const note = leftOutSentence(left, memory.limits.answerTokens)
  return {
    content: [{ type: 'text', text: [text, note].filter(Boolean).join('\n\n') }],
    structuredContent: { ...fieldsOf(output), ...(left.length > 0 ? { left_out: left } : {}) },
  }
}

/** The input of a call, if it is not so much that spelling it anew would keep others waiting; counted as a call else, too. */
function inputFrom(
  { arguments: given, context }: ToolCall,
  { limits }: CallableMemory,
  toInput: (given: unknown) => unknown,
): unknown {
  try {
    checkCounts(given, limits)
    return toInput(given)
  } catch (error) {
    context.rate?.take(limits)
    throw error
  }
}

async function failed(cause: unknown): Promise<CallToolResult> {
  const refusal = await failureOf(cause, SPELLING)
  const asTools = aroundCommand(refusal.details, (prose) => inSnakeCase(asToolCalls(prose)))
  const failure = { ...refusal, recovery: asTools(refusal.recovery) }
  return {
    isError: true,
    content: [{ type: 'text', text: `${failure.code}: ${failure.error} ${failure.recovery}` }],
    structuredContent: { ...failure },
  }
}

function noTool(name: string, known: readonly string[]): ElfmemError {
  const own = (tool: string) => tool.replace(/^elfmem_/, '')
  const similar = known[known.map(own).indexOf(nearest(own(name), known.map(own)) ?? '')]
  return new ElfmemError('NOT_FOUND', `There is no tool "${name}".`, {
    recovery: similar === undefined ? 'elfmem_guide lists the tools.' : `Call ${similar}.`,
  })
}

/** A refusal of what is no tool call, as an error of the protocol that says what to do. */
export async function refused(cause: unknown): Promise<ProtocolError> {
  const failure = await failureOf(cause, SPELLING)
  const said = `${failure.code}: ${failure.error} ${failure.recovery}`
  return new ProtocolError(ProtocolErrorCode.InvalidParams, said, { ...failure })
}
