import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
} from '@modelcontextprotocol/server'
import { type JsonSchema, snakeCase } from '../../adapters/project/spelling.ts'
import { ElfmemError } from '../../errors.ts'
import type { AnswerForm, CallContext } from '../../flow/engine/engine.ts'
import { type Capability, mayDo } from '../../flow/guard/accept-caller.ts'
import { checkCounts } from '../../flow/guard/check-limits.ts'
import { callFor, type Memory } from '../../memory.ts'
import { rendered } from '../../opening/open-memory.ts'
import { type Answer, type LeftOut, leftOutSentence } from '../../operations/answer-within-limit.ts'
import { type OwnerArguments, type OwnerValues, ownerArguments } from '../../operations/door.ts'
import type { Operation } from '../../operations/operation.ts'
import { operations } from '../../operations/table.ts'
import { nearest } from '../../operations/wording.ts'
import { exampleToolCall } from '../example.ts'
import { aroundCommand, failureOf, type Spelling } from '../failure.ts'
import { wireOf } from '../wire.ts'

/** How tools and their arguments are spelled. */
const SPELLING: Spelling = { name: snakeCase, example: exampleToolCall }

const byTool = new Map(operations.map((operation) => [toolName(operation), operation]))

const lists = new Map<Capability, Tool[]>()

/** Every operation that a caller may call as a client lists it, in the order of the table; made once. */
export function listTools(capability: Capability): Tool[] {
  const known = lists.get(capability)
  if (known !== undefined) return known
  const allowed = operations.filter(({ needs }) => mayDo({ capability }, needs))
  const tools = allowed.map((operation) => toolOf(operation, capability))
  lists.set(capability, tools)
  return tools
}

export interface ToolCall {
  readonly name: string
  /** As the wire spells them. */
  readonly arguments: unknown
  readonly context: CallContext
}

/** Calls the operation behind a tool; a refusal is an answer, too. */
export async function callTool(memory: Promise<Memory>, call: ToolCall): Promise<CallToolResult> {
  try {
    const opened = await memory
    const operation = byTool.get(call.name)
    if (operation !== undefined) return await answer(operation, opened, call)
    call.context.rate?.take(opened.limits)
    throw noTool(call.name, [...byTool.keys()])
  } catch (cause) {
    return await failed(cause)
  }
}

function toolName({ name }: Operation): string {
  return `elfmem_${snakeCase(name)}`
}

function toolOf(operation: Operation, capability: Capability): Tool {
  const { inputSchema, outputSchema, name } = wireOf(operation)
  const { summary, guide, effect, idempotent } = operation
  return {
    name: toolName(operation),
    title: name.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase()),
    description: inSnakeCase(`${summary} When: ${guide.when} Not: ${guide.whenNot} Next: ${guide.next}`),
    inputSchema: withSpelledDescriptions(offered(inputSchema, operation, capability)) as Tool['inputSchema'],
    outputSchema: withSpelledDescriptions(orFailure(outputSchema)) as NonNullable<Tool['outputSchema']>,
    annotations: {
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'destroy',
      idempotentHint: idempotent,
      openWorldHint: false,
    },
  }
}

/** The input of an operation without what a caller may not pass: arguments, and values of them. */
function offered(schema: JsonSchema, operation: Operation, capability: Capability): JsonSchema {
  const owners = mayDo({ capability }, 'owner') ? {} : ownerArguments(operation)
  const held = mayDo({ capability }, 'agent') ? [] : Object.keys(operation.forReader ?? {})
  return without(schema, { ...owners, ...Object.fromEntries(held.map((name) => [name, 'given' as const])) })
}

function without(schema: JsonSchema, rules: OwnerArguments): JsonSchema {
  const kept = Object.entries(schema.properties ?? {}).flatMap(([key, each]) => {
    const rule = Object.entries(rules).find(([name]) => snakeCase(name) === key)?.[1]
    const left = rule === undefined ? each : narrowed(each, rule)
    return left === undefined ? [] : [[key, left] as const]
  })
  return { ...schema, properties: Object.fromEntries(kept) }
}

/** Returns what is left of an argument; undefined when nothing worth saying is. */
function narrowed(schema: JsonSchema, values: OwnerValues): JsonSchema | undefined {
  if (values === 'given') return undefined
  if (!Array.isArray(values)) {
    const inside = values as OwnerArguments
    return schema.items === undefined
      ? without(schema, inside)
      : { ...schema, items: without(schema.items, inside) }
  }
  if (schema.enum === undefined) return undefined
  return { ...schema, enum: schema.enum.filter((each) => !values.includes(each as string)) }
}

/** Our own prose with names as a client knows them: `blockIds` is `block_ids` there. Paths stay as they are. */
function inSnakeCase(prose: string): string {
  return prose.replace(/(?<![\w./\\-])[a-z]+(?:[A-Z][a-z]*)+(?![\w/\\-])/g, snakeCase)
}

/** Calls of the library, `undo({ … })`, as calls of tools: `elfmem_undo({ … })`. */
function asToolCalls(prose: string): string {
  return prose.replace(/(?<![\w.])([a-z][A-Za-z]*)(?=\(\{)/g, (word, name: string) => {
    const tool = `elfmem_${snakeCase(name)}`
    return byTool.has(tool) ? tool : word
  })
}

function withSpelledDescriptions(schema: JsonSchema): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === 'formerly' && typeof value === 'string') return undefined
    return key === 'description' && typeof value === 'string' ? inSnakeCase(value) : value
  })
}

/**
 * Returns a schema that also fits a structured failure: some clients check it and would report only that it does
 * not.
 */
function orFailure({ required = [], ...schema }: JsonSchema): JsonSchema {
  return { ...schema, anyOf: [{ required }, { required: ['error', 'code', 'recovery'] }] }
}

async function answer(operation: Operation, memory: Memory, call: ToolCall): Promise<CallToolResult> {
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
  const output = (await callFor(memory, operation, inputFrom(call, memory, toInput), context)) as Answer
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
  { limits }: Memory,
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
