import type { Tool } from '@modelcontextprotocol/server'
import { type JsonSchema, snakeCase } from '../../adapters/project/spelling.ts'
import { type Capability, mayDo } from '../../flow/guard/accept-caller.ts'
import { type OwnerArguments, type OwnerValues, ownerArguments } from '../../operations/door.ts'
import type { Operation } from '../../operations/operation.ts'
import { nextFor, withOwnersCommands } from '../../operations/owners-commands.ts'
import { operations } from '../../operations/table.ts'
import { wireOf } from '../wire.ts'
import { asTools, inSnakeCase, toolName } from './tool-names.ts'

/** Makes the list of every operation that a caller may call, as a client reads it, in the order of the table. */
export function makeToolList(capability: Capability): Tool[] {
  const allowed = operations.filter(({ needs }) => mayDo({ capability }, needs))
  return allowed.map((operation) => toolOf(operation, capability))
}

function toolOf(operation: Operation, capability: Capability): Tool {
  const { inputSchema, outputSchema, name } = wireOf(operation)
  const { summary, guide, effect, idempotent } = operation
  const next = nextFor(guide.next, operations, { capability })
  return {
    name: toolName(operation.name),
    title: name.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase()),
    description: asTools(
      withOwnersCommands(
        `${summary} When: ${guide.when} Not: ${guide.whenNot}${next === undefined ? '' : ` Next: ${next}`}`,
        operations,
        {
          capability,
        },
      ),
    ),
    inputSchema: spelled(
      offered(listed(inputSchema), operation, capability),
      capability,
    ) as Tool['inputSchema'],
    outputSchema: spelled(orFailure(listed(outputSchema)), capability) as NonNullable<Tool['outputSchema']>,
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

/** Keys of a schema about the names of a property or its flag, which are for ourselves. */
const ABOUT_NAMES: Readonly<Record<string, string>> = {
  formerly: 'string',
  aliasOf: 'string',
  alsoAs: 'string',
  switchedOff: 'string',
  phrases: 'boolean',
  namesFields: 'boolean',
  python: 'boolean',
}

/** Returns the schema for a client: our own prose in its spelling, and nothing that is for us. */
function spelled(schema: JsonSchema, capability: Capability): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (typeof value === ABOUT_NAMES[key]) return undefined
    return key === 'description' && typeof value === 'string'
      ? inSnakeCase(withOwnersCommands(value, operations, { capability }))
      : value
  })
}

/** Returns the schema without other names of a property, but for those that clients of the Python elfmem use. */
function listed(schema: JsonSchema): JsonSchema {
  const { properties = {}, required, items, ...rest } = schema
  const kept = Object.entries(properties).filter(
    ([, { aliasOf, python }]) => aliasOf === undefined || python === true,
  )
  const names = kept.map(([name]) => name)
  return {
    ...rest,
    ...(schema.properties && {
      properties: Object.fromEntries(kept.map(([name, each]) => [name, listed(each)])),
    }),
    ...(required && { required: required.filter((name) => names.includes(name)) }),
    ...(items && { items: listed(items) }),
  }
}

/** Returns a schema that also fits a structured failure: some clients check it and would report only that it does not. */
function orFailure({ required = [], ...schema }: JsonSchema): JsonSchema {
  return { ...schema, anyOf: [{ required }, { required: ['error', 'code', 'recovery'] }] }
}
