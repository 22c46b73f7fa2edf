import { type JsonSchema, snakeCase } from '../../adapters/project/spelling.ts'
import { defined } from '../../block/text.ts'
import { boundScope, type CallContext, type Capability, mayDo, type Principal } from '../../engine/engine.ts'
import type { Memory } from '../../engine/memory.ts'
import type { OpenMemory } from '../../engine/open-memory.ts'
import { ElfmemError, type ErrorCode } from '../../errors.ts'
import { acceptCaller, callerName, checkSize } from '../../intake/check-input.ts'
import { parseInput } from '../../operations/door.ts'
import type { Operation } from '../../operations/operation.ts'
import { operations, type table } from '../../operations/table.ts'
import { TOOL_SETS, type ToolSet } from '../../operations/tool-choice.ts'
import { offeredOf } from '../../operations/tool-sets.ts'
import { nearest } from '../../operations/wording.ts'
import { CallRate } from '../../surfaces/call-rate.ts'
import { type Failure, failureOf } from '../../surfaces/failure.ts'
import { makeTools } from '../../surfaces/mcp/make-tool-list.ts'
import { asTools } from '../../surfaces/mcp/tool-names.ts'
import type { Prose } from '../../surfaces/prose.ts'
import { answerOf, failureText, type ToolAnswer } from '../../surfaces/tool-call.ts'
import { wireOf } from '../../surfaces/wire.ts'
import { mustBeOpen, mustTake, taken } from './check-options.ts'
import { ownTools } from './own-tools.ts'

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
  /** Returns why a call with this input would be refused for the input itself; undefined if it would not. Nothing is done. */
  check(input: unknown): Promise<ToolRefusal | undefined>
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

/** The names of the functions that programs call, by the frameworks. */
const MAKERS: Readonly<Record<string, string>> = {
  langchain: 'langchainTools',
  'openai-agents': 'agentTools',
}
/** The usual beginning of the names of tools: they stand among those of a program. */
const PREFIX = 'memory_'
/** Providers take names of at most 64 of these signs; the longest name of an operation has 16. */
const PREFIX_FORM = /^[A-Za-z0-9_-]{0,40}$/

/**
 * Returns the operations of a memory as tools for a model, which may do what an agent may, and no more than the memory was opened
 * for. Calls are counted as those of one connection over MCP are, and answers are as long.
 *
 * @param caller the name of the framework, for the log
 * @throws ElfmemError `INVALID_INPUT` for a choice that there is not
 */
export function memoryToolsOf(memory: Memory, caller: string, options: ToolOptions = {}): MemoryTool[] {
  const maker = MAKERS[caller] ?? 'memoryTools'
  mustTake(maker, options, {
    shape: { tools: taken.anything, prefix: taken.text, scope: taken.anything },
    example: `${maker}(memory, { tools: 'agent' })`,
  })
  const { tools = 'verbs', prefix = PREFIX } = options
  const scope = boundScope(options.scope)
  if (!PREFIX_FORM.test(prefix))
    throw wrongChoice('A prefix has at most 40 letters, digits, _ and -.', 'Providers take no other names.')
  const opened = openedOf(memory)
  const capability = mayDo(opened.principal, 'agent') ? 'agent' : 'reader'
  const chosen = chosenOf(tools, capability)
  const offer = { offered: new Set(chosen.map(({ name }) => name)), prefix }
  const asked = {
    ...{ memory: opened, prose: (text: string) => asTools(text, offer) },
    principal: principalOf(opened, { caller, capability, scope }),
    context: { rate: new CallRate(() => performance.now()), tools },
  }
  const isBound = (scope ?? opened.principal.scope) !== undefined
  const listing = makeTools(chosen, { capability, prefix })
  for (const { name } of listing) ownTools(memory).add(name)
  return listing.map((listed, at): MemoryTool => {
    const operation = chosen[at] as Operation
    const schema = listed.inputSchema as JsonSchema
    return {
      name: listed.name,
      title: snakeCase(operation.name)
        .replaceAll('_', ' ')
        .replace(/^./, (letter) => letter.toUpperCase()),
      description: listed.description ?? '',
      inputSchema: isBound ? withoutScope(schema) : schema,
      isReadOnly: operation.effect === 'read',
      check: (input) => checked(operation, asked, input),
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

/** Returns the open memory behind a memory; throws if there is none, because it has no operations to call. */
function openedOf(memory: Memory): Opened {
  mustBeOpen(memory, 'call')
  return memory as unknown as Opened
}

function chosenOf(tools: NonNullable<ToolOptions['tools']>, capability: Capability): Operation[] {
  if (!Array.isArray(tools)) {
    const set = TOOL_SETS.find((each) => each === tools)
    if (set !== undefined) return offeredOf(operations, { capability, tools: set })
    throw wrongChoice('A set of tools is verbs, agent or all.', 'Name one, or list operations.')
  }
  const names = new Set<string>(tools)
  const known = operations.map(({ name }) => name)
  for (const name of names) {
    if (known.includes(name)) continue
    const similar = nearest(name, known)
    throw wrongChoice(`There is no operation "${name}".`, `Did you mean ${similar ?? 'recall'}?`)
  }
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
  as: { readonly caller: string; readonly capability: Capability; readonly scope: string | undefined },
): Promise<Principal> {
  const name = await callerName(as.caller)
  const scope = as.scope ?? principal.scope
  return acceptCaller('library', { name, as: as.capability, scope })
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
    throw refusalOf(cause, prose)
  }
}

async function checked(
  operation: Operation,
  { prose }: Asked,
  input: unknown,
): Promise<ToolRefusal | undefined> {
  try {
    checkSize(input)
    parseInput(operation, wireOf(operation).toInput(input))
    return undefined
  } catch (cause) {
    return refusalOf(cause, prose)
  }
}

function refusalOf(cause: unknown, prose: Prose): ToolRefusal {
  const failure = failureOf(cause, prose)
  return new ToolRefusal(failureText(failure), failure, cause)
}

/** The schema without the argument that would only be refused. */
function withoutScope({ properties = {}, ...schema }: JsonSchema): JsonSchema {
  const { scope: _, ...kept } = properties
  return { ...schema, properties: kept }
}

function wrongChoice(message: string, recovery: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', message, { recovery })
}
