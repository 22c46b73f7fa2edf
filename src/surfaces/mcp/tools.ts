import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { CallContext } from '../../engine/engine.ts'
import type { CallableMemory } from '../../engine/open-memory.ts'
import { ElfmemError } from '../../errors.ts'
import { loadOperation, operationNames } from '../../operations/load.ts'
import type { Operation } from '../../operations/operation.ts'
import { isListed, notListed } from '../../operations/tool-sets.ts'
import { nearest } from '../../operations/wording.ts'
import { type Failure, failureOf } from '../failure.ts'
import { HOOK_TOOL_NAME, hooksNotServed } from '../hooks/hook-tool.ts'
import type { Prose } from '../prose.ts'
import { answerOf, failureText } from '../tool-call.ts'
import { tokenRefusal } from './token-refusal.ts'
import { listTools } from './tool-list.ts'
import { asTools, type Served, toolName } from './tool-names.ts'

const operationsByTool = new Map(operationNames.map((name) => [toolName(name), name]))

/** Returns the words of a server's clients for our own prose; it names no tool that is not listed. */
export async function proseOf(served: Served): Promise<Prose> {
  const tools = await listTools(served)
  const offered = new Set(tools.flatMap(({ name }) => operationsByTool.get(name) ?? []))
  return (text) => asTools(text, { offered })
}

/** One call of a tool, as a client sends it. */
export interface ToolCall {
  readonly name: string
  /** The arguments as the wire spells them. */
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
    if (call.name === HOOK_TOOL_NAME) throw hooksNotServed()
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
  const request = { arguments: call.arguments, context: { ...call.context, tools: served.tools } }
  const { text, structured } = await answerOf(operation, memory, request, () => proseOf(served))
  return { content: [{ type: 'text', text }], structuredContent: { ...structured } }
}

/** Returns a failure in the words of a caller of tools. */
async function asToolFailure(cause: unknown, served: Served): Promise<Failure> {
  const { token } = served
  return failureOf(token === undefined ? cause : tokenRefusal(cause, token), await proseOf(served))
}

async function failed(cause: unknown, served: Served): Promise<CallToolResult> {
  const failure = await asToolFailure(cause, served)
  return {
    isError: true,
    content: [{ type: 'text', text: failureText(failure) }],
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

/** Returns the refusal of a request that is no tool call, as an error of the protocol that says what to do. */
export async function refused(cause: unknown, served: Served): Promise<ProtocolError> {
  if (cause instanceof ProtocolError) return cause
  const failure = await asToolFailure(cause, served)
  return new ProtocolError(ProtocolErrorCode.InvalidParams, failureText(failure), { ...failure })
}
