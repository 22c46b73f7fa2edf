import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  camelCase,
  type JsonSchema,
  kebabCase,
  respell,
  respellSchema,
  snakeCase,
} from '../../src/adapters/project/spelling.ts'
import { operations } from '../../src/operations/table.ts'
import { wireOf } from '../../src/surfaces/wire.ts'

/** Returns the names of all arguments and fields of a schema, nested ones too. */
function namesIn(schema: JsonSchema): string[] {
  const nested = [schema.items, ...(schema.anyOf ?? []), schema.additionalProperties]
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => [name, ...namesIn(each)]),
    ...nested.flatMap((each) => (typeof each === 'object' ? namesIn(each) : [])),
  ]
}

test('every name of the table comes back from the wire as it was', () => {
  const schemas = operations.flatMap(({ input, output }) => [
    z.toJSONSchema(input, { io: 'input' }) as JsonSchema,
    z.toJSONSchema(output) as JsonSchema,
  ])
  const names = [...operations.map(({ name }) => name), ...schemas.flatMap(namesIn)]
  expect(names.filter((name) => camelCase(snakeCase(name)) !== name)).toEqual([])
  expect(names.filter((name) => camelCase(kebabCase(name).replaceAll('-', '_')) !== name)).toEqual([])
})

test('a value comes back from the wire as it was, and keys of records are never respelled', async () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      blockId: { type: 'string' },
      hostAnalyses: {
        type: 'object',
        additionalProperties: { type: 'object', properties: { alignmentScore: { type: 'number' } } },
      },
      manyThings: { type: 'array', items: { type: 'object', properties: { topK: { type: 'number' } } } },
    },
  }
  const value = fc.record(
    {
      blockId: fc.string(),
      hostAnalyses: fc.dictionary(fc.string(), fc.record({ alignmentScore: fc.double({ noNaN: true }) })),
      manyThings: fc.array(fc.record({ topK: fc.integer() })),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.property(value, (given) => {
      const wire = respell(given, schema, snakeCase)
      expect(respell(wire, respellSchema(schema, snakeCase), camelCase)).toEqual(given)
    }),
  )
  const given = { hostAnalyses: { someId: { alignmentScore: 1 } } }
  expect(respell(given, schema, snakeCase)).toEqual({ host_analyses: { someId: { alignment_score: 1 } } })
})

interface Parameter {
  readonly type: string
  readonly required: boolean
}

const python: Readonly<Record<string, Readonly<Record<string, Parameter>>>> = JSON.parse(
  readFileSync(new URL('../fixtures/python-mcp-tools.json', import.meta.url), 'utf8'),
)
const ours = new Map(operations.map((operation) => [`elfmem_${snakeCase(operation.name)}`, operation]))
/** In Python they share a part of a memory with a peer; here all of it goes to a file. */
const MEAN_OTHERWISE = new Set(['elfmem_export', 'elfmem_import'])
const shared = Object.keys(python).filter((name) => ours.has(name) && !MEAN_OTHERWISE.has(name))

const SAMPLES: Readonly<Record<string, unknown>> = {
  ...{ string: 'attention', integer: 3, number: 0.5, boolean: false },
  ...{ 'array<string>': ['0123abcd'], object: {} },
}
const sample = (parameter: string, type: string) => (parameter === 'if_exists' ? 'update' : SAMPLES[type])

test('fourteen tools of the Python elfmem are tools here', () => {
  expect(shared).toHaveLength(14)
})

test.each(shared)(
  '%s takes the arguments of the Python elfmem, with null and without optional ones',
  (name) => {
    const operation = ours.get(name)!
    const wire = wireOf(operation)
    const parameters = Object.entries(python[name]!)
    for (const [parameter] of parameters) expect(wire.inputSchema.properties).toHaveProperty(parameter)
    const call = (pick: (parameter: Parameter, key: string) => unknown) =>
      Object.fromEntries(
        parameters.map(([key, each]) => [key, pick(each, key)]).filter(([, each]) => each !== undefined),
      )
    const calls = [
      call(({ type }, key) => sample(key, type.split('|')[0]!)),
      call(({ type, required }, key) =>
        type.endsWith('null') && !required ? null : sample(key, type.split('|')[0]!),
      ),
      call(({ type, required }, key) => (required ? sample(key, type) : undefined)),
    ]
    for (const args of calls)
      expect(operation.input.safeParse(wire.toInput(args)).error, JSON.stringify(args)).toBeUndefined()
  },
)
