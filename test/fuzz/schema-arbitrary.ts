import fc from 'fast-check'
import type { JsonSchema } from '../../src/adapters/project/spelling.ts'

/** What fits an argument better than any text of its type, such as an id that is there. */
export type Hints = (name: string, schema: JsonSchema) => fc.Arbitrary<unknown> | undefined

/** Arrays in a schema may be long; a case has few. */
const ITEMS_MAX = 5
const TEXT_MAX = 200

/** Values that fit a JSON Schema as our operations and settings declare themselves. */
export function arbitraryOf(
  schema: JsonSchema,
  hints: Hints = () => undefined,
  name = '',
): fc.Arbitrary<unknown> {
  const hint = hints(name, schema)
  if (hint) return hint
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => arbitraryOf(each, hints, name)))
  switch (schema.type) {
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return integerOf(schema)
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e9, noNaN: true })
    case 'array':
      return arrayOf(schema, hints, name)
    case 'object':
      return objectOf(schema, hints, name)
    case 'string':
      return fc.string({
        unit: 'grapheme',
        minLength: schema.minLength ?? 0,
        maxLength: Math.min(schema.maxLength ?? TEXT_MAX, TEXT_MAX),
      })
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function integerOf({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema): fc.Arbitrary<number> {
  const small = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 20) })
  return fc.oneof(small, fc.constantFrom(minimum, maximum))
}

function arrayOf(schema: JsonSchema, hints: Hints, name: string): fc.Arbitrary<unknown> {
  return fc.array(arbitraryOf(schema.items ?? {}, hints, name), {
    minLength: (schema as { minItems?: number }).minItems ?? 0,
    maxLength: Math.min(schema.maxItems ?? ITEMS_MAX, ITEMS_MAX),
  })
}

function objectOf(schema: JsonSchema, hints: Hints, name: string): fc.Arbitrary<unknown> {
  const { properties, required = [], additionalProperties } = schema
  if (!properties && typeof additionalProperties === 'object')
    return fc.dictionary(
      (hints(`${name} key`, schema) as fc.Arbitrary<string> | undefined) ?? fc.string({ maxLength: 20 }),
      arbitraryOf(additionalProperties, hints),
      { maxKeys: ITEMS_MAX },
    )
  const fields = Object.entries(properties ?? {}).map(([key, each]) => {
    const value = arbitraryOf(each, hints, key)
    const absent = { weight: 2, arbitrary: fc.constant(undefined) }
    return [key, required.includes(key) ? value : fc.oneof(absent, { weight: 1, arbitrary: value })] as const
  })
  return fc.record(Object.fromEntries(fields)).map(withoutAbsent)
}

/** Of ten optional arguments a caller gives three: with all of them hardly a call would pass every check. */
function withoutAbsent(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}
