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
  limits: {
    queryBytes: 256,
    documentBytes: 1_024,
    noteBytes: 256,
    nameBytes: 256,
    batchItems: 50,
    idsPerCall: 50,
    listItems: 50,
  },
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
    const input = withAt(example, path, (old) => Array.from({ length: 200 }, () => (old as unknown[])[0]))
    const { code, message } = await refusal(call(memory, name, input))
    expect({ path, code, message }).toMatchObject({
      code: expect.stringMatching(/^(LIMIT_EXCEEDED|INVALID_INPUT)$/),
      message: expect.stringContaining(String(path.at(-1))),
    })
  }
})

test.each<[name: string, setting: string, input: object]>([
  ['recall', 'limits.query_bytes', { query: 'é'.repeat(129) }],
  ['recall', 'limits.recall_tokens', { tokenBudget: 2_000_000 }],
  ['learnDocument', 'limits.document_bytes', { text: 'x'.repeat(1_025) }],
  ['forget', 'limits.note_bytes', { blockId: 'abcdef', reason: 'x'.repeat(257) }],
  ['remember', 'limits.name_bytes', { content: 'x', category: 'y'.repeat(257) }],
  ['remember', 'limits.list_items', { content: 'x', tags: Array(51).fill('a') }],
  ['rememberMany', 'limits.batch_items', { blocks: Array(51).fill({ content: 'x' }) }],
  ['outcome', 'limits.ids_per_call', { helped: Array(51).fill('abcdef') }],
  ['remember', 'memory.max_content_bytes', { content: 'x'.repeat(40_000) }],
  ['remember', 'memory.max_cue_bytes', { content: 'x', cue: 'x'.repeat(1_025) }],
])('%s over %s is refused with LIMIT_EXCEEDED and changes nothing', async (name, setting, input) => {
  const { memory } = await openTestMemory({ settings: LEAST })
  const { code, message } = await refusal(call(memory, name, input))
  expect(code).toBe('LIMIT_EXCEEDED')
  expect(message).toContain(`(${setting})`)
  expect(await memory.status()).toMatchObject({ inboxCount: 0, activeCount: 0 })
})

test('inputs exactly as long as their limits are taken', async () => {
  const { memory } = await openTestMemory({ settings: LEAST })
  const { blockId } = await memory.remember({ content: 'Tea is at four', source: 'y'.repeat(256) })
  await memory.rememberMany({ blocks: Array.from({ length: 50 }, (_, at) => ({ content: `Tea ${at}` })) })
  await memory.dream()
  expect((await memory.recall({ query: 'tea '.repeat(64) })).blocks.length).toBeGreaterThan(0)
  await memory.forget({ blockId, reason: 'z'.repeat(256) })
  expect(await memory.status()).toMatchObject({ archivedCount: 1 })
})
