import * as z from 'zod'
import { isNestedDeeper, NESTING_MAX } from '../adapters/project/nesting.ts'
import {
  camelCase,
  type JsonSchema,
  respell,
  respellSchema,
  snakeCase,
} from '../adapters/project/spelling.ts'
import { ElfmemError } from '../errors.ts'
import type { Operation } from '../operations/operation.ts'

/** An operation as it is spoken on a wire: the same words in snake_case. */
export interface OperationWire {
  /** `remember`, `record_use`. */
  readonly name: string
  /** Optional parameters may be null, which means absent. */
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema
  /** Arguments from the wire as `invoke` takes them. Unknown ones stay, so that the door can refuse them. */
  readonly toInput: (args: unknown) => unknown
  /** A result as the wire carries it. */
  readonly toOutput: (result: unknown) => Record<string, unknown>
}

const wires = new WeakMap<Operation, OperationWire>()

/** The wire form of an operation, made once. */
export function wireOf(operation: Operation): OperationWire {
  const known = wires.get(operation)
  if (known) return known
  const input = inputWithAliases(operation)
  const output = tidySchema(operation.output, 'output')
  const inputSchema = { ...respellSchema(input, snakeCase), additionalProperties: false }
  const outputSchema = respellSchema(output, snakeCase)
  const wire: OperationWire = {
    name: snakeCase(operation.name),
    inputSchema: withNulls(inputSchema),
    outputSchema,
    toInput: (args) => respell(withoutNulls(shallow(args ?? {}), inputSchema), inputSchema, camelCase),
    toOutput: (result) => respell(result, output, snakeCase) as Record<string, unknown>,
  }
  wires.set(operation, wire)
  return wire
}

/** Returns the JSON Schema of an operation's input, with names as in code; each argument under its one name. */
export function inputJsonSchema(operation: Operation): JsonSchema {
  const { properties = {}, ...schema } = inputWithAliases(operation)
  const named = Object.entries(properties).filter(([, { aliasOf }]) => aliasOf === undefined)
  return { ...schema, properties: Object.fromEntries(named) }
}

/** Returns the input schema with the other names of arguments. */
export function inputWithAliases(operation: Operation): JsonSchema {
  return tidySchema(operation.input, 'input')
}

/** Returns a schema without parts that only cost tokens: the dialect, the bounds every safe integer has, closed result objects. */
function tidySchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...tidy } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema: each }) => {
      delete each.propertyNames
      if (each.additionalProperties === false) delete each.additionalProperties
      if (each.maximum === Number.MAX_SAFE_INTEGER) delete each.maximum
      if (each.minimum === Number.MIN_SAFE_INTEGER) delete each.minimum
    },
  })
  return tidy as JsonSchema
}

function withNulls(schema: JsonSchema): JsonSchema {
  const required = schema.required ?? []
  const properties = Object.entries(schema.properties ?? {}).map(([name, each]) => {
    return [name, required.includes(name) ? each : nullable(each)] as const
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

/** Returns a schema that allows null beside the same values. */
function nullable(schema: JsonSchema): JsonSchema {
  if (schema.anyOf) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  if (typeof schema.type !== 'string') return schema
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(schema.enum && { enum: [...schema.enum, null] }),
  }
}

/** Returns the arguments if they are not nested too deeply. */
function shallow(args: unknown): unknown {
  if (!isNestedDeeper(args)) return args
  throw new ElfmemError('INVALID_INPUT', `The arguments nest deeper than ${NESTING_MAX} levels.`, {
    recovery: 'No operation takes such a value; pass the text itself.',
    details: { levels: NESTING_MAX },
  })
}

/** Returns a value without the nulls that stand for absent properties. */
function withoutNulls(value: unknown, schema: JsonSchema | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, schema?.items))
  if (value === null || typeof value !== 'object') return value
  const rest = typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined
  const kept = Object.entries(value).filter(([key, item]) => item !== null || schema?.required?.includes(key))
  return Object.fromEntries(
    kept.map(([key, item]) => [key, withoutNulls(item, schema?.properties?.[key] ?? rest)]),
  )
}
