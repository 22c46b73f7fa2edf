import { PassThrough } from 'node:stream'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { operations } from '../../src/operations/table.ts'
import { LineLimit } from '../../src/surfaces/mcp/line-limit.ts'
import { wireOf } from '../../src/surfaces/wire.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

type Fields = Readonly<Record<string, unknown>>

/** The longest refusal, in bytes of all that goes over the wire: the sentence stands there twice. */
const REFUSAL_MAX = 8_192

const many = <T>(count: number, each: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => each(at))
const keys = (count: number, value: (at: number) => unknown): Fields =>
  Object.fromEntries(many(count, (at) => [`k${at}`, value(at)]))

const HOSTILE: readonly (readonly [name: string, tool: string, args: Fields])[] = [
  ['10,000 wrong analyses', 'dream', { host_analyses: keys(10_000, () => ({ zzz: 1 })) }],
  ['50,000 wrong analyses', 'dream', { host_analyses: keys(50_000, () => ({ zzz: 1 })) }],
  ['50,000 empty analyses', 'dream', { host_analyses: keys(50_000, () => ({})) }],
  ['50,000 labels', 'dream', { edge_labels: many(50_000, () => ({})) }],
  ['80,000 unknown arguments', 'remember', { content: 'x', ...keys(80_000, () => 1) }],
  ['900 unknown arguments', 'remember', { content: 'x', ...keys(900, () => 1) }],
  ['10,000 wrong blocks', 'remember_many', { blocks: many(10_000, () => ({ content: 5 })) }],
  [
    '10,000 blocks with an unknown key',
    'remember_many',
    { blocks: many(10_000, () => ({ content: 'x', zz: 1 })) },
  ],
  ['blocks of 900 unknown keys', 'remember_many', { blocks: many(400, () => keys(900, () => 1)) }],
  ['blocks of 1,001 unknown keys', 'remember_many', { blocks: many(3, () => keys(1_001, () => 1)) }],
  [
    'wrong tags of wrong blocks',
    'remember_many',
    { blocks: many(200, () => ({ content: 1, tags: many(900, () => 1) })) },
  ],
  ['a key of 160 kB', 'remember', { content: 'x', ['k'.repeat(160_000)]: 1 }],
  [
    'keys of 1 kB',
    'remember',
    { content: 'x', ...Object.fromEntries(many(900, (at) => [`${at}${'k'.repeat(1_000)}`, 1])) },
  ],
  ['a long key of an analysis', 'dream', { host_analyses: { ['k'.repeat(100_000)]: { zzz: 1 } } }],
  ['100,000 ids that are none', 'outcome', { helped: many(100_000, (at) => at) }],
  ['100,001 ids', 'outcome', { helped: many(100_001, (at) => `abcd${at}`) }],
  ['many ids of no block', 'connect', { source: 'f'.repeat(60), target: 'e'.repeat(60) }],
  ['a relation of 1 MB', 'connect', { source: 'abcd', target: 'dcba', relation: 'r'.repeat(1_000_000) }],
  [
    '900 protected tags',
    'remember',
    { content: 'x', tags: many(900, (at) => `peer/${'p'.repeat(100)}${at}`) },
  ],
  ['a date of 1 MB', 'remember', { content: 'x', at: '2'.repeat(1_000_000) }],
  ['an unknown frame of 1 MB', 'recall', { query: 'x', frame: 'f'.repeat(1_000_000) }],
  ['a cursor of 1 MB', 'ls', { cursor: 'c'.repeat(1_000_000) }],
  ['a tool of 1 MB', 'x'.repeat(1_000_000), {}],
]

test.each(HOSTILE)('a call with %s is refused in a few sentences', async (_, tool, args) => {
  const { memory } = await openTestMemory()
  const client = await connectClient(memory, { name: 'claude' })
  const started = performance.now()
  const answer = await client.callTool({ name: `elfmem_${tool}`, arguments: args })
  expect(performance.now() - started).toBeLessThan(10_000)
  expect(answer.isError).toBe(true)
  expect((answer.structuredContent as { code: string }).code).toMatch(
    /^(INVALID_INPUT|LIMIT_EXCEEDED|NOT_FOUND|PROTECTED)$/,
  )
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(REFUSAL_MAX)
  const operation = operations.find(({ name }) => wireOf({ ...operations[0]!, name }).name === tool)
  if (operation === undefined) return
  const own = (memory as unknown as Record<string, (input: unknown) => Promise<unknown>>)[operation.name]!
  const error = await refusal(own(wireOf(operation).toInput(args)))
  expect(Buffer.byteLength(JSON.stringify(error))).toBeLessThan(REFUSAL_MAX)
})

test('the first places that are wrong are named, and the rest are counted', async () => {
  const { memory } = await openTestMemory()
  const blocks = many(1_000, () => ({ content: 5 })) as never
  expect((await refusal(memory.rememberMany({ blocks }))).message).toMatch(
    /^rememberMany: blocks\[0\]\.content must be text, not 5\. .*blocks\[4\].*\. 995 more places are wrong\.$/,
  )
  const unknown = await refusal(memory.remember({ content: 'x', ...keys(20, () => 1) }))
  expect(unknown.message).toMatch(/^remember takes no k0, k1, k2, k3, k4 and 15 more\. It takes content, /)
  const named = await refusal(memory.remember({ content: 'x', [`${'k'.repeat(59)}${'l'.repeat(50)}`]: 1 }))
  expect(named.message).toContain(`takes no ${'k'.repeat(59)}….`)
})

test('a list or object with too many items is refused before any of them is looked at', async () => {
  const { memory } = await openTestMemory({
    settings: { limits: { batchItems: 50, listItems: 20, idsPerCall: 30 } },
  })
  let looked = 0
  const item = new Proxy(
    {},
    {
      get: () => {
        looked += 1
      },
    },
  )
  const calls: readonly (readonly [Promise<unknown>, string])[] = [
    [memory.rememberMany({ blocks: many(51, () => item) as never }), 'blocks has 51 items; at most 50'],
    [memory.dream({ hostAnalyses: keys(51, () => item) as never }), 'hostAnalyses has 51 items; at most 50'],
    [memory.outcome({ helped: many(31, () => item) as never }), 'helped has 31 items; at most 30'],
    [memory.remember({ content: 'x', tags: many(21, () => item) as never }), 'tags has 21 items; at most 20'],
    [memory.remember({ content: 'x', ...keys(20, () => item) }), 'the call has 21 items; at most 20'],
    [memory.connects({ edges: [keys(21, () => item) as never] }), 'edges[0] has 21 items; at most 20'],
    [memory.remember({ content: { a: { b: many(21, () => item) } } as never }), 'content.a.b has 21 items'],
  ]
  for (const [call, said] of calls)
    expect(await refusal(call)).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining(said),
    })
  expect(looked).toBe(0)
})

test('whatever a call is made of, its refusal is short', async () => {
  const { memory } = await openTestMemory()
  const client = await connectClient(memory, { name: 'claude' })
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('x', '🦊', '\u202e', '<img ').map((each) => each.repeat(3_000)),
  )
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      word,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value')),
      fc.dictionary(word, tie('value')),
    ),
  })).value
  const named = fc.constantFrom(...operations.map(({ name }) => name))
  await fc.assert(
    fc.asyncProperty(named, fc.dictionary(word, value), async (name, args) => {
      const operation = operations.find((each) => each.name === name)!
      const [first = 'zz'] = Object.keys(operation.input.shape)
      for (const given of [args, { ...args, [first]: args }]) {
        const answer = await client.callTool({
          name: `elfmem_${wireOf(operation).name}`,
          arguments: given as Fields,
        })
        if (answer.isError) expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(3 * REFUSAL_MAX)
      }
    }),
    { numRuns: 60 },
  )
})

test('over the command line a refusal is short, too', async () => {
  const home = temporaryDirectory()
  for (const argv of [
    ['remember-many', '-'],
    ['remember-many', '-', '--json'],
    ['x'.repeat(50_000)],
    ['remember', 'x', `--${'k'.repeat(50_000)}`],
    ['show', ...many(2, () => 'x'.repeat(50_000))],
  ]) {
    const stdin = JSON.stringify(many(900, () => ({ content: 'x', ['k'.repeat(500)]: 1 })))
    const { out, err, code } = await elfmem(argv, { home, stdin })
    expect(code).toBeGreaterThan(0)
    expect(Buffer.byteLength(out + err)).toBeLessThan(REFUSAL_MAX)
  }
})

test.each([
  ['"\u00e9"', '\u00e9'],
  ['"a\\"b"', 'a"b'],
  ['-7', -7],
  ['"\\q"', null],
  ['"a\tb"', null],
  ['"\\u12"', null],
  ['0123', null],
])('a line that is too long is answered under its id %s, and under none if that is not JSON', (id, said) => {
  const answers = new PassThrough()
  new LineLimit(() => 1_000, answers).end(`{"jsonrpc":"2.0","id":${id},"method":"${'x'.repeat(2_000)}"}\n`)
  expect(JSON.parse(String(answers.read()))).toMatchObject({
    id: said,
    error: { data: { code: 'LIMIT_EXCEEDED' } },
  })
})
