import type { Tool } from '@modelcontextprotocol/server'
import { type JsonSchema, snakeCase } from '../../adapters/project/spelling.ts'
import { type Capability, mayDo } from '../../engine/engine.ts'
import { type OwnerArguments, type OwnerValues, ownerArguments } from '../../operations/door.ts'
import type { Operation } from '../../operations/operation.ts'
import { operations } from '../../operations/table.ts'
import { offeredAdvice, offeredOf } from '../../operations/tool-sets.ts'
import { wireOf } from '../wire.ts'
import { asTools, type Listing, type ToolOffer, toolName } from './tool-names.ts'

/** Makes the list of every operation that a caller may call by a set, as a client reads it, in the order of the table. */
export function makeToolList(listing: Listing): Tool[] {
  return makeTools(offeredOf(operations, listing), listing)
}

/** The form of the tools of some operations. */
export interface ToolForm extends Pick<Listing, 'capability' | 'outputSchemas'> {
  /** The prefix of the names of tools; `elfmem_` by default. */
  readonly prefix?: string
}

/** Makes the tools of some operations, as a model reads them, in the order given. */
export function makeTools(
  operations: readonly Operation[],
  { capability, outputSchemas, prefix }: ToolForm,
): Tool[] {
  const offer = { offered: new Set(operations.map(({ name }) => name)), prefix }
  const explained = new Set<string>()
  return operations.map((operation): Tool => {
    const { inputSchema, outputSchema } = wireOf(operation)
    const input = terse(offered(inputSchema, operation, capability), offer)
    return {
      name: toolName(operation.name, prefix),
      description: asTools(advice(operation, offer), offer),
      inputSchema: spelled(input, offer, explained) as Tool['inputSchema'],
      ...(outputSchemas && {
        outputSchema: spelled(orFailure(outputSchema), offer) as NonNullable<Tool['outputSchema']>,
      }),
      annotations: hints(operation, capability),
      // Claude Code shows a model only the names of most tools; this asks it for the whole tool.
      ...(operation.isAlwaysShown && { _meta: { 'anthropic/alwaysLoad': true } }),
    }
  })
}

/** Returns when to call an operation, and which other call to use instead; its answer and the guide say the next call. */
function advice({ summary, guide }: Operation, { offered }: ToolOffer): string {
  const when = offeredAdvice(guide.when, offered)
  return [summary, when, offeredAdvice(guide.whenNot, offered)].filter(Boolean).join(' ')
}

/** The effect of an operation, which for a reader is none; a hint that the protocol takes for granted goes without saying. */
function hints(
  { effect: usual, idempotent }: Operation,
  capability: Capability,
): NonNullable<Tool['annotations']> {
  const effect = mayDo({ capability }, 'agent') ? usual : 'read'
  return {
    ...(effect === 'read' && { readOnlyHint: true }),
    ...(effect === 'write' && { destructiveHint: false }),
    ...(idempotent && effect !== 'read' && { idempotentHint: true }),
    openWorldHint: false,
  }
}

/** Keys of a schema by which the door measures calls, and no model that reads them counts. */
const BOUNDS = [
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'minimum', 'maximum'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'additionalProperties'],
]

/**
 * Returns the schema as a model needs it, since every prompt pays for it. On the wire null stands for absent and names of the
 * Python elfmem are taken, listed or not. A switch is off and a text empty by default, which goes without saying. Things as another
 * tool of the list takes them stand with what they must have.
 */
function terse(given: JsonSchema, offer: ToolOffer): JsonSchema {
  const { sameAs, properties, items, ...schema } = withoutUnlisted(given)
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type
  const kept = Object.entries(schema).filter(
    ([key, value]) => !(BOUNDS.includes(key) && typeof value !== 'object') && !(key === 'default' && !value),
  )
  const isTold = sameAs !== undefined && offer.offered.has(sameAs)
  const listed = Object.entries(properties ?? {}).flatMap(([name, each]) =>
    each.unlisted ? [] : [[name, terse(each, offer)] as const],
  )
  return {
    ...Object.fromEntries(kept),
    ...(type !== undefined && { type }),
    ...(schema.enum && { enum: schema.enum.filter((each) => each !== null) }),
    ...(typeof schema.additionalProperties === 'object' && {
      additionalProperties: terse(schema.additionalProperties, offer),
    }),
    ...(items && { items: itemsIn(terse(items, offer), isTold) }),
    ...(properties && { properties: Object.fromEntries(listed) }),
  }
}

/** Returns the schema without unlisted values; if one kind is left, its schema replaces the choice. */
function withoutUnlisted({ anyOf, ...schema }: JsonSchema): JsonSchema {
  if (anyOf === undefined) return schema
  if (!anyOf.some(({ unlisted }) => unlisted)) return { anyOf, ...schema }
  const left = anyOf.filter(({ unlisted, type }) => !unlisted && type !== 'null')
  return left.length === 1 ? { ...schema, ...left[0] } : { ...schema, anyOf: left }
}

/** Returns the schema of the items of a list. If another tool explains them, it has only the fields that must be given. */
function itemsIn({ description, properties = {}, ...schema }: JsonSchema, isTold: boolean): JsonSchema {
  if (schema.type === 'string') return schema
  const kept = Object.entries(properties).filter(([name]) => !isTold || schema.required?.includes(name))
  return {
    ...schema,
    ...(description !== undefined && { description }),
    ...(kept.length > 0 && { properties: Object.fromEntries(kept) }),
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

/** Returns the schema of an argument without the values that only an owner may pass; undefined if no listed value is left. */
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

/** Keys of a schema about the names of a property or its flag, which are for ourselves. */
const OURS: Readonly<Record<string, string>> = {
  aliasOf: 'string',
  switchedOff: 'string',
  phrases: 'boolean',
  namesFields: 'boolean',
  sameAs: 'string',
  unlisted: 'boolean',
}

/**
 * Returns the schema for a client: our own prose in its spelling, without fields for our own use. No argument is explained in words that
 * explained one before; these are added to `explained`.
 */
function spelled(schema: JsonSchema, offer: ToolOffer, explained?: Set<string>): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (typeof value === OURS[key]) return undefined
    if (key !== 'description' || typeof value !== 'string') return value
    if (explained?.has(value)) return undefined
    explained?.add(value)
    return asTools(value, offer)
  })
}

/** Returns a schema that also fits a structured failure: some clients check it and would report only that it does not. */
function orFailure({ required = [], ...schema }: JsonSchema): JsonSchema {
  return { ...schema, anyOf: [{ required }, { required: ['error', 'code', 'recovery'] }] }
}
