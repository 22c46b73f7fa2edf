import { join } from 'node:path'
import type { JsonSchema } from '../../src/adapters/project/spelling.ts'
import { type OwnerArguments, type OwnerValues, ownerArguments } from '../../src/operations/door.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { inputJsonSchema } from '../../src/surfaces/wire.ts'
import { temporaryFolder } from '../helpers/memory.ts'

export type Input = Readonly<Record<string, unknown>>

/** A value that fits a schema; every free text is `word`, every moment a date. */
function sample(schema: JsonSchema, word: string): unknown {
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return sample(schema.anyOf[0] ?? {}, word)
  switch (schema.type) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'array':
      return [sample(schema.items ?? {}, word)]
    case 'object':
      return required(schema, word)
    default:
      if (isMoment(schema)) return '2026-01-01'
      return isPath(schema) ? join(temporaryFolder(), word) : word
  }
}

/** A moment is known by its description: its form is not in the schema. */
const isMoment = ({ description = '' }: JsonSchema) => description.includes('ISO date')

/** Only a path may have 4,096 characters. */
export const isPath = (schema: JsonSchema) => schema.maxLength === 4_096

function required(schema: JsonSchema, word: string): Input {
  const { properties = {}, required: names = [], additionalProperties } = schema
  if (typeof additionalProperties === 'object' && names.length === 0 && Object.keys(properties).length === 0)
    return { [word]: sample(additionalProperties, word) }
  return Object.fromEntries(names.map((name) => [name, sample(properties[name] ?? {}, word)]))
}

/** The shortest call of an operation that its schema takes. */
export function shortestCall(operation: Operation, word = 'aaaaaaaa'): Input {
  return required(inputJsonSchema(operation), word)
}

/** Calls of an operation with a value only an owner may pass, by the path of its argument. */
export function ownersCalls(operation: Operation): readonly (readonly [path: string, input: Input])[] {
  const schema = inputJsonSchema(operation)
  const base = shortestCall(operation)
  return valuesOf(schema, ownerArguments(operation)).map(([path, value]) => [path, { ...base, ...value }])
}

function valuesOf(schema: JsonSchema, rules: OwnerArguments): (readonly [string, Input])[] {
  return Object.entries(rules).flatMap(([name, values]) => {
    const own = schema.properties?.[name] ?? {}
    return valuesFor(own, values).map(
      ([path, value]) => [[name, path].filter(Boolean).join('.'), { [name]: value }] as const,
    )
  })
}

function valuesFor(schema: JsonSchema, values: OwnerValues): (readonly [string, unknown])[] {
  if (values === 'given') return [['', sample(schema, 'aaaaaaaa')]]
  if (Array.isArray(values)) return values.map((value) => ['', value] as const)
  const inside = schema.items ?? schema
  const base = required(inside, 'aaaaaaaa')
  return valuesOf(inside, values as OwnerArguments).map(([path, value]) => {
    const filled = { ...base, ...value }
    return [path, schema.items === undefined ? filled : [base, filled]] as const
  })
}

/** A free text somewhere in the input of an operation, and how a call says it. */
export interface TextPlace {
  readonly path: string
  readonly input: (text: string) => Input
}

/** Every free text an operation takes, however deep. `word` fills the others. */
export function textPlaces(operation: Operation, word: string): TextPlace[] {
  const schema = inputJsonSchema(operation)
  const base = shortestCall(operation, word)
  return Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    textsIn(each, word).map(({ path, value }) => ({
      path: [name, path].filter(Boolean).join('.'),
      input: (text) => ({ ...base, [name]: value(text) }),
    })),
  )
}

interface TextValue {
  readonly path: string
  readonly value: (text: string) => unknown
}

function textsIn(schema: JsonSchema, word: string): TextValue[] {
  if (schema.enum !== undefined) return []
  const { anyOf, type, items, additionalProperties } = schema
  if (anyOf !== undefined) return anyOf.flatMap((each) => textsIn(each, word))
  if (type === 'string') {
    // Files that a call writes belong into a folder of the test.
    const folder = isPath(schema) ? temporaryFolder() : ''
    return [{ path: '', value: (text) => join(folder, text) }]
  }
  if (type === 'array')
    return textsIn(items ?? {}, word).map(({ path, value }) => ({
      path: `[]${path}`,
      value: (text) => [value(text)],
    }))
  if (type !== 'object') return []
  const base = required(schema, word)
  const keys: TextValue[] =
    typeof additionalProperties === 'object'
      ? [{ path: '{}', value: (text) => ({ [text]: sample(additionalProperties, word) }) }]
      : []
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    textsIn(each, word).map(({ path, value }) => ({
      path: `.${name}${path}`,
      value: (text: string) => ({ ...base, [name]: value(text) }),
    })),
  )
  return [...keys, ...fields]
}
