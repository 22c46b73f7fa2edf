import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import type { JsonSchema } from '../../src/adapters/project/spelling.ts'
import type { Asking } from '../../src/operations/door.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { inputJsonSchema } from '../../src/surfaces/wire.ts'

export type Fields = Record<string, unknown>

/** The words of command lines, as a shell reads them. */
export function wordsOf(commands: readonly string[]): string[][] {
  const script = commands.map((command) => `printf '%s\\0' ${command} END-OF-LINE`).join('\n')
  const out = execFileSync('bash', ['-c', script], { maxBuffer: 1e8 }).toString()
  return out
    .split('END-OF-LINE\0')
    .slice(0, -1)
    .map((line) => line.split('\0').slice(0, -1))
}

const word = fc.oneof(
  fc.constantFrom(
    'x',
    '-x',
    '--',
    '-',
    '-5',
    'a b',
    'a,b',
    "it's",
    '$HOME',
    '`id`',
    '$(id)',
    '!!',
    '![a](b)',
    '<img src=x>',
  ),
  fc.constantFrom(
    'a\nb',
    'a\tb',
    '\u001b[2J',
    'ü🦊',
    '\u202ex',
    '[1]',
    '{"a":1}',
    ' a ',
    '',
    '\\n',
    "\\'",
    'sourceClass',
    'undo({ operationId: 6 })',
  ),
  fc.string({ unit: 'grapheme' }),
)

function sampleOf(schema: JsonSchema, isPlace: boolean): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => sampleOf(each, isPlace)))
  switch (schema.type) {
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer()
    case 'number':
      return fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .map((each) => (Object.is(each, -0) ? 0 : each))
    case 'array':
      return fc.array(sampleOf(schema.items ?? {}, false), { maxLength: 3 })
    case 'object':
      return objectOf(schema)
    default:
      return isPlace
        ? word.filter((each) => !each.includes('/')).map((each) => `/tmp/x${each}`.replace(/\/+$/, ''))
        : word
  }
}

function objectOf(
  { properties = {}, additionalProperties }: JsonSchema,
  places: readonly string[] = [],
): fc.Arbitrary<Fields> {
  if (typeof additionalProperties === 'object')
    return fc.dictionary(fc.stringMatching(/^[0-9a-f]{8}$/), sampleOf(additionalProperties, false), {
      maxKeys: 2,
    })
  const shape = Object.fromEntries(
    Object.entries(properties).map(([key, each]) => [key, sampleOf(each, places.includes(key))]),
  )
  return fc.record(shape, { requiredKeys: [] }).map((each) => ({ ...each }))
}

/** A call that was refused, in a memory anywhere, of an agent that may be bound to a scope. */
export function askingOf(operation: Operation): fc.Arbitrary<Asking & { readonly raw: Fields }> {
  const scope = fc.oneof(word, fc.constant(undefined))
  return fc.record({
    raw: objectOf(inputJsonSchema(operation), Object.keys(operation.local ?? {})),
    location: fc.oneof(
      word.map((each) => `/x/${each}`),
      fc.constant(':memory:'),
    ),
    caller: scope.map((bound) => ({
      ...{ actor: 'cli as agent', capability: 'agent' as const },
      ...(bound === undefined ? {} : { scope: bound }),
    })),
  })
}
