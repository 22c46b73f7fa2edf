import * as z from 'zod'
import type { JsonSchema } from '../../adapters/project/spelling.ts'
import { defined } from '../../block/text.ts'
import { boundScope, type CallContext, type Capability, mayDo, type Principal } from '../../engine/engine.ts'
import type { Memory } from '../../engine/memory.ts'
import type { OpenMemory } from '../../engine/open-memory.ts'
import { ElfmemError, type ErrorCode } from '../../errors.ts'
import { acceptCaller, callerName } from '../../intake/check-input.ts'
import { operationNames } from '../../operations/load.ts'
import type { Operation } from '../../operations/operation.ts'
import { operations, type table } from '../../operations/table.ts'
import { TOOL_SETS, type ToolSet } from '../../operations/tool-choice.ts'
import { offeredOf } from '../../operations/tool-sets.ts'
import { CallRate } from '../../surfaces/call-rate.ts'
import { type Failure, failureOf } from '../../surfaces/failure.ts'
import { makeTools } from '../../surfaces/mcp/make-tool-list.ts'
import { asTools } from '../../surfaces/mcp/tool-names.ts'
import type { Prose } from '../../surfaces/prose.ts'
import { answerOf, failureText, type ToolAnswer } from '../../surfaces/tool-call.ts'
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
  /** The description of the tool: its effect, when to call it and when not. */
  readonly description: string
  /** A JSON Schema of an object, with names in snake_case. */
  readonly inputSchema: JsonSchema
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
  constructor(text: string, { code, recovery, details = {} }: Omit<Failure, 'error'>, cause: unknown) {
    super(text, { cause })
    this.code = code
    this.recovery = recovery
    this.details = details
  }
}

/** The framework for which tools are made, as the log names it, and the function that makes them. */
interface Maker {
  readonly actor: string
  readonly maker: string
}

const TOOLS = z.union([z.enum(TOOL_SETS), z.array(z.enum(operationNames))])
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
    shape: { tools: TOOLS.optional(), prefix: PREFIX.optional(), scope: taken.scope },
  })
  const { tools = 'verbs', prefix = 'memory_' } = options
  const scope = boundScope(options.scope)
  const opened = memory as unknown as Opened
  const capability = mayDo(opened.principal, 'agent') ? 'agent' : 'reader'
  const chosen = chosenOf(tools, capability)
  const offer = { offered: new Set(chosen.map(({ name }) => name)), prefix }
  const asked = {
    ...{ memory: opened, prose: (text: string) => asTools(text, offer) },
    principal: callerName(actor).then((name) =>
      acceptCaller('library', { name, as: capability, scope: scope ?? opened.principal.scope }),
    ),
    context: { rate: new CallRate(() => performance.now()), tools },
  }
  const isBound = (scope ?? opened.principal.scope) !== undefined
  return makeTools(chosen, { capability, prefix }).map(({ name, description = '', inputSchema }, at) => {
    const operation = chosen[at] as Operation
    const schema = inputSchema as JsonSchema
    ownTools(memory).add(name)
    return {
      ...{ name, description },
      inputSchema: isBound ? withoutScope(schema) : schema,
      run: (input, { signal, scope: own } = {}) => called(operation, asked, input, { signal, scope: own }),
    }
  })
}

type Opened = Pick<OpenMemory, 'call' | 'limits' | 'principal'>

/** A caller of tools, and the operation that is called. */
interface Asked {
  readonly memory: Opened
  readonly prose: Prose
  readonly principal: Promise<Principal>
  readonly context: CallContext
}

function chosenOf(tools: NonNullable<ToolOptions['tools']>, capability: Capability): Operation[] {
  if (typeof tools === 'string') return offeredOf(operations, { capability, tools })
  const chosen = operations.filter(({ name }) => tools.some((each) => each === name))
  const refused = chosen.find(({ needs }) => !mayDo({ capability }, needs))
  if (refused === undefined) return chosen
  throw new ElfmemError(
    'INVALID_INPUT',
    `${refused.name} is not for a model, which calls as ${capability} here.`,
    { recovery: 'Leave it out; the program itself may call it.' },
  )
}

async function called(
  operation: Operation,
  { memory, prose, principal, context }: Asked,
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
    return await answerOf(operation, memory, request, async () => prose)
  } catch (cause) {
    const failure = failureOf(cause, prose)
    throw new ToolRefusal(failureText(failure), failure, cause)
  }
}

/** The schema without the argument that would only be refused. */
function withoutScope({ properties = {}, ...schema }: JsonSchema): JsonSchema {
  const { scope: _, ...kept } = properties
  return { ...schema, properties: kept }
}
