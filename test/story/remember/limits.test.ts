import { expect, test } from 'vitest'
import type { JsonSchema } from '../../../src/adapters/project/spelling.ts'
import type { Memory } from '../../../src/engine/memory.ts'
import { itemRecords } from '../../../src/operations/items/records.ts'
import { operations } from '../../../src/operations/table.ts'
import { inputJsonSchema } from '../../../src/surfaces/wire.ts'
import { openTestMemory, refusal } from '../../helpers/memory.ts'

const call = (memory: Memory, name: string, input: unknown) =>
  (memory as unknown as Record<string, (input: unknown) => Promise<unknown>>)[name]!(input)

/** Returns the places in a schema where a text or a list may be of any length. */
function unbounded(schema: JsonSchema, path = ''): string[] {
  const { type, properties = {}, items, anyOf = [], additionalProperties: rest } = schema
  const { maxLength, maxItems, format } = schema as Record<string, unknown>
  const types = [type].flat()
  const isText = types.includes('string') && !schema.enum && schema.const === undefined
  const own = [
    ...(isText && maxLength === undefined && format === undefined ? [`text ${path}`] : []),
    ...(types.includes('array') && maxItems === undefined ? [`list ${path}`] : []),
  ]
  return [
    ...own,
    ...Object.entries(properties).flatMap(([name, each]) => unbounded(each, `${path}.${name}`)),
    ...(items ? unbounded(items, `${path}[]`) : []),
    ...anyOf.flatMap((each) => unbounded(each, path)),
    ...(typeof rest === 'object' ? unbounded(rest, `${path}{}`) : []),
  ]
}

test.each([...operations, ...Object.values(itemRecords)].map((each) => [each.name, each] as const))(
  '%s takes no text and no list without a bound',
  (_, operation) => {
    const schema = inputJsonSchema(operation)
    expect(schema.type).toBe('object')
    expect(unbounded(schema)).toEqual([])
  },
)

test.each<[name: string, unit: string, input: object]>([
  ['recall', 'characters', { query: 'x'.repeat(20_001) }],
  ['learnDocument', 'characters', { text: 'x'.repeat(4_000_001) }],
  ['forget', 'characters', { blockId: 'abcdef', reason: 'x'.repeat(1_025) }],
  ['remember', 'characters', { content: 'x', category: 'y'.repeat(1_025) }],
  ['remember', 'items', { content: 'x', tags: Array(1_001).fill('a') }],
  ['rememberMany', 'items', { blocks: Array(10_001).fill({ content: 'x' }) }],
  ['outcome', 'items', { helped: Array(100_001).fill('abcdef') }],
  ['remember', 'bytes', { content: 'x'.repeat(40_000) }],
  ['remember', 'bytes', { content: 'x', cue: 'x'.repeat(1_025) }],
])('%s with too many %s is refused with LIMIT_EXCEEDED and changes nothing', async (name, unit, input) => {
  const { memory } = await openTestMemory()
  const { code, message } = await refusal(call(memory, name, input))
  expect(code).toBe('LIMIT_EXCEEDED')
  expect(message).toMatch(new RegExp(`has \\d+ ${unit}; at most \\d+ are taken`))
  expect(await memory.status()).toMatchObject({ inboxCount: 0, activeCount: 0 })
})
