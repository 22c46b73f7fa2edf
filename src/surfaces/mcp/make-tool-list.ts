import type { Tool } from '@modelcontextprotocol/server'
import { type JsonSchema, snakeCase } from '../../adapters/project/spelling.ts'
import { type Capability, mayDo } from '../../flow/guard/accept-caller.ts'
import { type OwnerArguments, type OwnerValues, ownerArguments } from '../../operations/door.ts'
import type { Operation } from '../../operations/operation.ts'
import { operations } from '../../operations/table.ts'
import { wireOf } from '../wire.ts'
import { inSnakeCase, toolName } from './tool-names.ts'

/** Makes the list of every operation that a caller may call, as a client reads it, in the order of the table. */
export function makeToolList(capability: Capability): Tool[] {
  const allowed = operations.filter(({ needs }) => mayDo({ capability }, needs))
  return allowed.map((operation) => toolOf(operation, capability))
}

function toolOf(operation: Operation, capability: Capability): Tool {
  const { inputSchema, outputSchema, name } = wireOf(operation)
  const { summary, guide, effect, idempotent } = operation
  return {
    name: toolName(operation.name),
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

function withSpelledDescriptions(schema: JsonSchema): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === 'formerly' && typeof value === 'string') return undefined
    return key === 'description' && typeof value === 'string' ? inSnakeCase(value) : value
  })
}

/** Returns a schema that also fits a structured failure: some clients check it and would report only that it does not. */
function orFailure({ required = [], ...schema }: JsonSchema): JsonSchema {
  return { ...schema, anyOf: [{ required }, { required: ['error', 'code', 'recovery'] }] }
}
