import * as z from 'zod'
import { type JsonSchema, snakeCase } from '../../adapters/project/spelling.ts'
import { defined } from '../../block/text.ts'
import { boundScope, type CallContext, type Capability, mayDo, type Principal } from '../../engine/engine.ts'
import type { Memory } from '../../engine/memory.ts'
import type { OpenMemory } from '../../engine/open-memory.ts'
import { ElfmemError, type ErrorCode } from '../../errors.ts'
import { acceptCaller, callerName } from '../../intake/check-input.ts'
import type { Operation } from '../../operations/operation.ts'
import { operations, type table } from '../../operations/table.ts'
import { TOOL_SETS, type ToolSet } from '../../operations/tool-choice.ts'
import { offeredOf } from '../../operations/tool-sets.ts'
import { nearest } from '../../operations/wording.ts'
import { CallRate } from '../../surfaces/call-rate.ts'
import { makeTools } from '../../surfaces/mcp/make-tool-list.ts'
import { offerOf, toolLanguage } from '../../surfaces/mcp/tool-names.ts'
import type { Language } from '../../surfaces/spoken.ts'
import { answerOf, failureText, type ToolAnswer, toolFailure } from '../../surfaces/tool-call.ts'
import { mustWork, taken } from './options.ts'

/** The choice of tools for a model. */
export interface ToolOptions {
  /** A set of tools, or names of operations; `verbs` unless given. */
  readonly tools?: ToolSet | readonly (keyof typeof table)[]
  /** The prefix of their names: letters, digits, `_` and `-`, at most 40; `memory_` by default. */
  readonly prefix?: string
  /** The scope that the model cannot leave, in a memory without one. */
  readonly scope?: string
}

/** A tool of the memory in no framework's form. */
export interface MemoryTool {
  /** The name of the tool with the prefix, in snake_case: `memory_record_use`. */
  readonly name: string
  readonly title: string
  /** The description of the tool: its effect, when to call it and when not. */
  readonly description: string
  /** A JSON Schema of an object, with names in snake_case. */
  readonly inputSchema: JsonSchema
  /** True if a call changes nothing. */
  readonly isReadOnly: boolean
  /** Calls the operation; rejects with a `ToolRefusal`, and nothing is lost then. */
  run(input: unknown, options?: RunOptions): Promise<ToolAnswer>
}

/** How a tool is called once. */
interface RunOptions {
  readonly signal?: AbortSignal | undefined
  /** The scope of this call, where neither the tools nor the memory have one. */
  readonly scope?: string | undefined
}

/** A refused or failed call of a tool, whose message is what the model reads: the code, what happened, what to do next. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal'
  /** `UNEXPECTED` is a fault of elfmem itself. */
  readonly code: ErrorCode | 'UNEXPECTED'
  readonly recovery: string
  readonly details: Readonly<Record<string, unknown>>

  /** @param text for the model */
  constructor(text: string, { code, recovery, details = {} }: Omit<Refused, 'error'>, cause: unknown) {
    super(text, { cause })
    this.code = code
    this.recovery = recovery
    this.details = details
  }
}

type Refused = Awaited<ReturnType<typeof toolFailure>>

/** The framework for which tools are made, as the log names it, and the function that makes them. */
interface Maker {
  readonly actor: string
  readonly maker: string
}

/** Providers take names of at most 64 of these signs; the longest name of an operation has 16. */
const PREFIX = z.string().regex(/^[A-Za-z0-9_-]{0,40}$/, 'must have at most 40 letters, digits, _ and -')

const named = new WeakMap<object, Set<string>>()

/** Returns the names under which a program has tools of a memory. */
export function ownTools(memory: object): Set<string> {
  const names = named.get(memory) ?? new Set()
  named.set(memory, names)
  return names
}

/**
 * Returns the operations of a memory as tools for a model, which may do what an agent may, and no more than the memory was opened
 * for. Calls are counted as those of one connection over MCP are, and answers are as long.
 *
 * @throws ElfmemError `INVALID_INPUT` for a choice that there is not
 */
export function memoryToolsOf(
  memory: Memory,
  { actor, maker }: Maker,
  options: ToolOptions = {},
): MemoryTool[] {
  mustWork(memory, options, {
    ...{ maker, needs: 'call', example: "{ tools: 'agent' }" },
    shape: { tools: taken.anything, prefix: PREFIX.optional(), scope: taken.scope },
  })
  const { tools = 'verbs', prefix = 'memory_' } = options
  const scope = boundScope(options.scope)
  const opened = memory as unknown as Opened
  const capability = mayDo(opened.principal, 'agent') ? 'agent' : 'reader'
  const chosen = chosenOf(tools, capability)
  const names = chosen.map(({ name }) => name)
  const language = toolLanguage(offerOf(names, prefix))
  const asked = {
    ...{ memory: opened, language },
    principal: principalOf(opened, { actor, capability, scope }),
    context: { rate: new CallRate(() => performance.now()), tools },
  }
  const isBound = (scope ?? opened.principal.scope) !== undefined
  return makeTools(chosen, { capability, prefix }).map(({ name, description = '', inputSchema }, at) => {
    const operation = chosen[at] as Operation
    const schema = inputSchema as JsonSchema
    const words = snakeCase(operation.name).replaceAll('_', ' ')
    ownTools(memory).add(name)
    return {
      ...{ name, description, isReadOnly: operation.effect === 'read' },
      title: words.charAt(0).toUpperCase() + words.slice(1),
      inputSchema: isBound ? withoutScope(schema) : schema,
      run: (input, { signal, scope: own } = {}) => called(operation, asked, input, { signal, scope: own }),
    }
  })
}

type Opened = Pick<OpenMemory, 'call' | 'limits' | 'principal'>

/** A caller of tools, and the operation that is called. */
interface Asked {
  readonly memory: Opened
  readonly language: Language
  readonly principal: Promise<Principal>
  readonly context: CallContext
}

function chosenOf(tools: NonNullable<ToolOptions['tools']>, capability: Capability): Operation[] {
  if (!Array.isArray(tools)) {
    const set = TOOL_SETS.find((each) => each === tools)
    if (set !== undefined) return offeredOf(operations, { capability, tools: set })
    throw wrongChoice('A set of tools is verbs, agent or all.', 'Name one, or list operations.')
  }
  const names = new Set<string>(tools)
  const known = operations.map(({ name }) => name)
  const unknown = tools.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw wrongChoice(
      `There is no operation "${unknown}".`,
      `Did you mean ${nearest(unknown, known) ?? 'recall'}?`,
    )
  const chosen = operations.filter(({ name }) => names.has(name))
  const refused = chosen.find(({ needs }) => !mayDo({ capability }, needs))
  if (refused === undefined) return chosen
  throw wrongChoice(
    `${refused.name} is not for a model, which calls as ${capability} here.`,
    'Leave it out; the program itself may call it.',
  )
}

/** The model as the memory accepts it. */
async function principalOf(
  { principal }: Opened,
  as: { readonly actor: string; readonly capability: Capability; readonly scope: string | undefined },
): Promise<Principal> {
  const name = await callerName(as.actor)
  const scope = as.scope ?? principal.scope
  return acceptCaller('library', { name, as: as.capability, scope })
}

async function called(
  operation: Operation,
  { memory, language, principal, context }: Asked,
  input: unknown,
  { signal, scope: given }: RunOptions,
): Promise<ToolAnswer> {
  try {
    const caller = await principal
    const scope = caller.scope ?? boundScope(given)
    const request = {
      arguments: input,
      context: { ...context, principal: { ...caller, ...defined({ scope }) }, ...defined({ signal }) },
    }
    return await answerOf(operation, memory, request, async () => language)
  } catch (cause) {
    const failure = await toolFailure(cause, language)
    throw new ToolRefusal(failureText(failure), failure, cause)
  }
}

/** The schema without the argument that would only be refused. */
function withoutScope({ properties = {}, ...schema }: JsonSchema): JsonSchema {
  const { scope: _, ...kept } = properties
  return { ...schema, properties: kept }
}

function wrongChoice(message: string, recovery: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', message, { recovery })
}
