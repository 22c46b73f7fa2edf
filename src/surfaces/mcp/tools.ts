import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { snakeCase } from '../../adapters/project/spelling.ts'
import { ElfmemError } from '../../errors.ts'
import type { AnswerForm, CallContext } from '../../flow/engine/engine.ts'
import { checkCounts } from '../../flow/guard/check-limits.ts'
import type { CallableMemory } from '../../opening/open-memory.ts'
import { type Answer, type LeftOut, leftOutSentence } from '../../operations/answer-within-limit.ts'
import { loadOperation, operationNames } from '../../operations/load.ts'
import type { Operation } from '../../operations/operation.ts'
import { isListed, notListed, type Offer } from '../../operations/tool-sets.ts'
import { nearest } from '../../operations/wording.ts'
import { exampleToolCall } from '../example.ts'
import { aroundCommand, type Failure, failureOf } from '../failure.ts'
import { cursorOf, type Language, outsideQuotes, spoken } from '../spoken.ts'
import { wireOf } from '../wire.ts'
import { listTools } from './tool-list.ts'
import { asTools, offerOf, type Served, toolName } from './tool-names.ts'

const operationsByTool = new Map(operationNames.map((name) => [toolName(name), name]))

/** The names of tools and their arguments, and our prose for a caller of tools. */
const languageFor = (offer: Offer): Language => ({
  name: snakeCase,
  example: exampleToolCall,
  operation: toolName,
  prose: (text) => asTools(text, offer),
})

/** The same for whom a server serves; no prose names a tool that it does not list. */
async function languageOf(served: Served): Promise<Language> {
  const tools = await listTools(served)
  return languageFor(offerOf(tools.flatMap(({ name }) => operationsByTool.get(name) ?? [])))
}

/** One call of a tool, as a client sends it. */
export interface ToolCall {
  readonly name: string
  /** As the wire spells them. */
  readonly arguments: unknown
  readonly context: CallContext
}

/** Calls the operation behind a tool, if the set of the server lists it; a refusal is an answer, too. */
export async function callTool(
  memory: Promise<CallableMemory>,
  served: Served,
  call: ToolCall,
): Promise<CallToolResult> {
  try {
    const opened = await memory
    const operation = await loadOperation(operationsByTool.get(call.name) ?? '')
    if (operation !== undefined && isListed(operation, served.tools))
      return await answer(operation, { memory: opened, served }, call)
    call.context.rate?.take(opened.limits)
    if (operation !== undefined) throw notListed(call.name, served.tools, operation)
    throw noTool(call.name, await listTools(served))
  } catch (cause) {
    return await failed(cause, served)
  }
}

async function answer(
  operation: Operation,
  { memory, served }: { readonly memory: CallableMemory; readonly served: Served },
  call: ToolCall,
): Promise<CallToolResult> {
  const { toInput, toOutput } = wireOf(operation)
  const fieldsOf = (output: Answer) => toOutput(output, call.arguments)
  let left: LeftOut[] = []
  const form: AnswerForm = {
    fieldsOf,
    leftOut: (parts) => {
      left = parts.map((each) => ({ ...each, field: snakeCase(each.field) }))
    },
  }
  const context = { ...call.context, answer: form, tools: served.tools }
  const output = (await memory.call(operation, inputFrom(call, memory, toInput), context)) as Answer
  const text = await spoken(operation, output, {
    whole: () => languageOf(served),
    named: async () => (await languageOf(served)).prose,
  })
  const note = leftOutSentence(left, memory.limits.answerTokens)
  const cursor = cursorOf(operation, output)
  const more = cursor === undefined ? '' : `For more pass cursor ${JSON.stringify(fieldsOf(output).cursor)}.`
  return {
    content: [{ type: 'text', text: [text, more, note].filter(Boolean).join('\n\n') }],
    structuredContent: {
      ...fieldsOf(output),
      // What is all our own prose reads the same in both places.
      ...(operation.isOwnProse === true ? { text } : {}),
      ...(left.length > 0 ? { left_out: left } : {}),
    },
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

/** Returns a failure in the words of a caller of tools. */
async function asToolFailure(cause: unknown, served: Served): Promise<Failure> {
  const language = await languageOf(served)
  const failure = await failureOf(cause, language)
  const tell = aroundCommand(failure.details, (text) => outsideQuotes(text, language.prose))
  return { ...failure, recovery: tell(failure.recovery) }
}

async function failed(cause: unknown, served: Served): Promise<CallToolResult> {
  const failure = await asToolFailure(cause, served)
  return {
    isError: true,
    content: [{ type: 'text', text: `${failure.code}: ${failure.error} ${failure.recovery}` }],
    structuredContent: { ...failure },
  }
}

function noTool(name: string, listed: readonly { readonly name: string }[]): ElfmemError {
  const own = (tool: string) => tool.replace(/^elfmem_/, '')
  const names = listed.map((each) => own(each.name))
  const similar = listed[names.indexOf(nearest(own(name), names) ?? '')]
  return new ElfmemError('NOT_FOUND', `There is no tool "${name}".`, {
    recovery: similar === undefined ? 'tools/list names the tools.' : `Call ${similar.name}.`,
  })
}

/** A refusal of what is no tool call, as an error of the protocol that says what to do. */
export async function refused(
  cause: unknown,
  served: Served = { capability: 'agent', tools: 'all' },
): Promise<ProtocolError> {
  const failure = await asToolFailure(cause, served)
  const said = `${failure.code}: ${failure.error} ${failure.recovery}`
  return new ProtocolError(ProtocolErrorCode.InvalidParams, said, { ...failure })
}
