import { expect, test } from 'vitest'
import type { JsonSchema } from '../../../src/adapters/project/spelling.ts'
import type { SettingsInput } from '../../../src/config/settings.ts'
import type { Memory } from '../../../src/memory.ts'
import { operations } from '../../../src/operations/table.ts'
import { inputJsonSchema } from '../../../src/surfaces/wire.ts'
import { openTestMemory, refusal } from '../../helpers/memory.ts'

type Path = readonly (string | number)[]

/** A value a schema takes, with everything that may be given; a date is also a good name. */
function exampleOf(schema: JsonSchema): unknown {
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0])
  if (schema.type === 'array') return [exampleOf(schema.items!)]
  if (schema.type === 'object') {
    if (typeof schema.additionalProperties === 'object')
      return { abcdef123456: exampleOf(schema.additionalProperties) }
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, each]) => [name, exampleOf(each)]),
    )
  }
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(Number(schema.minimum ?? 0), 1)
  if (schema.type === 'boolean') return false
  return (schema as { pattern?: string }).pattern?.includes('[0-9a-f]{8') ? 'abcdef123456' : '2024-05-01'
}

/** Where in a value a text or a list stands. */
function placesOf(value: unknown, wanted: (value: unknown) => boolean, path: Path = []): Path[] {
  const here = wanted(value) ? [path] : []
  if (typeof value !== 'object' || value === null) return here
  const inside = Object.entries(value).flatMap(([key, each]) =>
    placesOf(each, wanted, [...path, Array.isArray(value) ? Number(key) : key]),
  )
  return [...here, ...inside]
}

function withAt(value: unknown, [first, ...rest]: Path, change: (old: unknown) => unknown): unknown {
  if (first === undefined) return change(value)
  const copy = structuredClone(value) as Record<string | number, unknown>
  copy[first] = withAt(copy[first], rest, change)
  return copy
}

const LEAST: SettingsInput = {
  limits: { documentBytes: 1_024 },
}

const call = (memory: Memory, name: string, input: unknown) =>
  (memory as unknown as Record<string, (input: unknown) => Promise<unknown>>)[name]!(input)

/** Words that an operation compares with a fixed list. */
const isChoice = (schema: JsonSchema, path: Path) =>
  Boolean(path.reduce<JsonSchema>((at, key) => insideOf(at, key), schema).enum)

function insideOf(schema: JsonSchema, key: string | number): JsonSchema {
  if (typeof key === 'number') return schema.items!
  const rest = schema.additionalProperties
  return schema.properties?.[key] ?? (rest as JsonSchema)
}

test.each(operations.map(({ name }) => name))('%s refuses a text or a list without a bound', async (name) => {
  const { memory } = await openTestMemory({ kind: 'memory', settings: LEAST })
  const operation = operations.find((each) => each.name === name)!
  const schema = inputJsonSchema(operation)
  const example = exampleOf(schema)
  const texts = placesOf(example, (value) => typeof value === 'string').filter(
    (path) => !isChoice(schema, path),
  )
  for (const path of texts) {
    const input = withAt(example, path, () => 'x'.repeat(40_000))
    const { code, message } = await refusal(call(memory, name, input))
    expect({ path, code, message }).toMatchObject({
      code: expect.stringMatching(/^(LIMIT_EXCEEDED|INVALID_INPUT)$/),
      // A field of a block is refused as its content.
      message: expect.stringMatching(new RegExp(`${path[0]}|content`)),
    })
  }
  for (const path of placesOf(example, Array.isArray)) {
    const input = withAt(example, path, (old) => Array.from({ length: 100_001 }, () => (old as unknown[])[0]))
    const { code, message } = await refusal(call(memory, name, input))
    expect({ path, code, message }).toMatchObject({
      code: expect.stringMatching(/^(LIMIT_EXCEEDED|INVALID_INPUT)$/),
      message: expect.stringContaining(String(path.at(-1))),
    })
  }
})

test.each<[name: string, limit: string, input: object]>([
  ['recall', '20000', { query: 'é'.repeat(10_001) }],
  ['recall', '1000000', { tokenBudget: 2_000_000 }],
  ['learnDocument', 'limits.document_bytes', { text: 'x'.repeat(1_025) }],
  ['remember', '1024', { content: 'x', category: 'y'.repeat(1_025) }],
  ['remember', '1000', { content: 'x', tags: Array(1_001).fill('a') }],
  ['rememberMany', '10000', { blocks: Array(10_001).fill({ content: 'x' }) }],
  ['outcome', '100000', { helped: Array(100_001).fill('abcdef') }],
  ['remember', 'memory.max_content_bytes', { content: 'x'.repeat(40_000) }],
  ['remember', '1024', { content: 'x', cue: 'x'.repeat(1_025) }],
])('%s over %s is refused with LIMIT_EXCEEDED and changes nothing', async (name, limit, input) => {
  const { memory } = await openTestMemory({ settings: LEAST })
  const { code, message } = await refusal(call(memory, name, input))
  expect(code).toBe('LIMIT_EXCEEDED')
  expect(message).toContain(limit)
  expect(await memory.status()).toMatchObject({ inboxCount: 0, activeCount: 0 })
})

test('inputs exactly as long as their limits are taken', async () => {
  const { memory } = await openTestMemory({ settings: LEAST })
  const { blockId } = await memory.remember({ content: 'Tea is at four', source: 'y'.repeat(256) })
  await memory.rememberMany({ blocks: Array.from({ length: 50 }, (_, at) => ({ content: `Tea ${at}` })) })
  await memory.dream()
  expect((await memory.recall({ query: 'tea '.repeat(5_000) })).blocks.length).toBeGreaterThan(0)
  await memory.forget({ blockId, reason: 'z'.repeat(256) })
  expect(await memory.status()).toMatchObject({ archivedCount: 1 })
})
