import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
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

/** Names of every argument and every result of the table, nested ones too. */
function namesIn(schema: JsonSchema): string[] {
  const nested = [schema.items, ...(schema.anyOf ?? []), schema.additionalProperties]
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => [name, ...namesIn(each)]),
    ...nested.flatMap((each) => (typeof each === 'object' ? namesIn(each) : [])),
  ]
}

describe('a name', () => {
  test('of the table is the same after it was on the wire', () => {
    const schemas = operations.flatMap(({ input, output }) => [
      z.toJSONSchema(input, { io: 'input' }) as JsonSchema,
      z.toJSONSchema(output) as JsonSchema,
    ])
    const names = [...operations.map(({ name }) => name), ...schemas.flatMap(namesIn)]
    expect(names.filter((name) => camelCase(snakeCase(name)) !== name)).toEqual([])
    expect(names.filter((name) => camelCase(kebabCase(name).replaceAll('-', '_')) !== name)).toEqual([])
  })
})

const schema: JsonSchema = {
  type: 'object',
  properties: {
    blockId: { type: 'string' },
    hostAnalyses: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { alignmentScore: { type: 'number' } } },
    },
    manyThings: { type: 'array', items: { type: 'object', properties: { topK: { type: 'number' } } } },
    oneOrMany: {
      anyOf: [{ type: 'string' }, { type: 'object', properties: { isBoth: { type: 'boolean' } } }],
    },
  },
}

const value = fc.record(
  {
    blockId: fc.string(),
    hostAnalyses: fc.dictionary(fc.string(), fc.record({ alignmentScore: fc.double({ noNaN: true }) })),
    manyThings: fc.array(fc.record({ topK: fc.integer() })),
    oneOrMany: fc.oneof(fc.string(), fc.record({ isBoth: fc.boolean() })),
  },
  { requiredKeys: [] },
)

describe('respelling', () => {
  test('undone gives the value back, whatever keys its records have', async () => {
    await fc.assert(
      fc.property(value, (given) => {
        const wire = respell(given, schema, snakeCase)
        expect(respell(wire, respellSchema(schema, snakeCase), camelCase)).toEqual(given)
      }),
    )
  })

  test('leaves the keys of records as they are', () => {
    const given = { hostAnalyses: { someId: { alignmentScore: 1 }, other_id: { alignmentScore: 0 } } }
    expect(respell(given, schema, snakeCase)).toEqual({
      host_analyses: { someId: { alignment_score: 1 }, other_id: { alignment_score: 0 } },
    })
  })
})

interface ReferenceParameter {
  readonly type: string
  readonly required: boolean
}

const reference: Readonly<Record<string, Readonly<Record<string, ReferenceParameter>>>> = JSON.parse(
  readFileSync(new URL('../fixtures/python-mcp-tools.json', import.meta.url), 'utf8'),
)
const ours = new Map(operations.map((operation) => [`elfmem_${snakeCase(operation.name)}`, operation]))
/** There they share a part of a memory with a peer; here all of it goes to a file. */
const MEAN_OTHERWISE = new Set(['elfmem_export', 'elfmem_import'])
const shared = Object.keys(reference).filter((name) => ours.has(name) && !MEAN_OTHERWISE.has(name))

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: 'attention',
  integer: 3,
  number: 0.5,
  boolean: false,
  'array<string>': ['0123abcd'],
  object: {},
}

/** Values of parameters that take only certain words. */
const WORDS: Readonly<Record<string, string>> = { if_exists: 'update' }

function sample(parameter: string, type: string): unknown {
  return WORDS[parameter] ?? SAMPLES[type]
}

describe('the calls of the Python elfmem', () => {
  test('include all of the memory operations', () => {
    expect(shared).toHaveLength(14)
  })

  test.each(shared)('to %s are understood', (name) => {
    const wire = wireOf(ours.get(name)!)
    for (const [parameter, { type }] of Object.entries(reference[name]!)) {
      const [base = '', nullable] = type.split('|')
      const given = wire.inputSchema.properties?.[parameter]
      expect(given, parameter).toBeDefined()
      expect(typesOf(given!), parameter).toContain(base.replace(/<.*/, ''))
      if (nullable) expect(typesOf(given!), parameter).toContain('null')
    }
  })

  test.each(shared)(
    'to %s are accepted with every parameter, with null and without the optional ones',
    (name) => {
      const operation = ours.get(name)!
      const parameters = Object.entries(reference[name]!)
      const call = (pick: (parameter: ReferenceParameter, key: string) => unknown) =>
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
        expect(
          operation.input.safeParse(wireOf(operation).toInput(args)).error,
          JSON.stringify(args),
        ).toBeUndefined()
    },
  )
})

function typesOf({ type, anyOf = [] }: JsonSchema): string[] {
  return [...(typeof type === 'string' ? [type] : (type ?? [])), ...anyOf.flatMap(typesOf)]
}
