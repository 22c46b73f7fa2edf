import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonSchema } from '../../src/adapters/project/spelling.ts'
import { shown } from '../../src/domain/safety/visible.ts'
import type { ElfmemError } from '../../src/errors.ts'
import { ownersWay } from '../../src/flow/guard/owners-way.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { operations } from '../../src/operations/table.ts'
import { inputOf, optionsOf } from '../../src/surfaces/cli/arguments.ts'
import { parseFlags } from '../../src/surfaces/cli/flags.ts'
import type { CliIo } from '../../src/surfaces/cli/io.ts'
import { inputJsonSchema } from '../../src/surfaces/wire.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

type Fields = Record<string, unknown>

/** The words of command lines, as a shell reads them. */
function wordsOf(commands: readonly string[]): string[][] {
  const script = commands.map((command) => `printf '%s\\0' ${command} END-OF-LINE`).join('\n')
  const out = execFileSync('bash', ['-c', script], { maxBuffer: 1e8 }).toString()
  return out
    .split('END-OF-LINE\0')
    .slice(0, -1)
    .map((line) => line.split('\0').slice(0, -1))
}

const byName = (name: string) => operations.find((operation) => operation.name === name) as Operation

/** What a command line means, read by the parser of the command line. */
function inputFrom(operation: Operation, words: readonly string[]): Promise<unknown> {
  const io = { cwd: '/', readStdin: () => Promise.reject(new Error('standard input')) } as unknown as CliIo
  return inputOf(operation, parseFlags(words.slice(2), optionsOf(operation)), io)
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

test('a command for the owner, read by a shell and by the command line, makes exactly the call that was refused', async () => {
  let [made, asked] = [0, 0]
  for (const operation of operations) {
    const calls = fc.sample(objectOf(inputJsonSchema(operation), Object.keys(operation.local ?? {})), 40)
    const ways = calls.map((input) => ({ input, ...ownersWay(operation, input) }))
    const lines = ways.flatMap(({ command, input }) => (command === undefined ? [] : [{ command, input }]))
    asked += ways.length
    made += lines.length
    const words = wordsOf(lines.map(({ command }) => command))
    for (const [at, { command, input }] of lines.entries()) {
      expect(shown(command), command).toBe(command)
      expect(command).not.toContain('\n')
      const read = await Promise.resolve()
        .then(() => inputFrom(operation, words[at] ?? []))
        .catch((error: unknown) => error)
      expect(read, command).toEqual(input)
    }
  }
  expect(made / asked).toBeGreaterThan(0.6)
})

test.each([
  [
    'remember',
    { content: 'Tea.\nCoffee.\u0007', sourceClass: 'user' },
    "elfmem remember $'Tea.\\nCoffee.\\007' --source-class user",
  ],
  [
    'remember',
    { content: '-5 degrees', sourceClass: 'user' },
    "elfmem remember --content='-5 degrees' --source-class user",
  ],
  ['setup', { principles: ['-x', 'a, b'] }, `elfmem setup --principles '["-x","a, b"]'`],
  ['edit', { blockId: 'abcd', cue: 'x' }, 'elfmem edit abcd --cue x'],
  ['edit', { content: 'x', blockId: 'abcd' }, 'elfmem edit abcd x'],
  [
    'rememberMany',
    { blocks: [{ content: 'x', sourceClass: 'user' }] },
    `elfmem remember-many '[{"content":"x","sourceClass":"user"}]'`,
  ],
  [
    'connect',
    { source: 'aaaa', target: 'bbbb', relation: 'contradicts', weight: 0.4, note: 'so', ifExists: 'update' },
    'elfmem connect aaaa bbbb contradicts --weight 0.4 --note so --if-exists update',
  ],
] as const)('%s with %j is %s', (name, input, command) => {
  expect(ownersWay(byName(name), input).command).toBe(command)
})

test('what no line can say is said to be filled in, with the command and the names of its arguments', async () => {
  const { memory } = await openTestMemory()
  const client = await connectClient(memory, { name: 'claude' })
  for (const content of ['-', 'x\0y', 'long '.repeat(500)]) {
    const { structuredContent } = await client.callTool({
      name: 'elfmem_remember',
      arguments: { content, source_class: 'user' },
    })
    const { recovery, details } = structuredContent as { recovery: string; details: Fields }
    expect(recovery).toContain(
      'Ask the owner to run elfmem remember on the command line and to say there what this call said (content, source-class)',
    )
    expect(recovery).not.toMatch(/…|elfmem remember '/)
    expect(details).not.toHaveProperty('command')
  }
})

/** An owner's memory with words of the owner in it, and an agent of MCP. */
async function owned(scope?: string) {
  const { memory } = await openTestMemory()
  const said = async (content: string) =>
    (await memory.remember({ content, sourceClass: 'user', ...(scope && { scope }) })).blockId
  const ids = [await said('Tea is at four.'), await said('Coffee is at five.')] as const
  await memory.dream()
  const client = await connectClient(memory, { name: 'claude' })
  const call = async (tool: string, args: Fields) =>
    (await client.callTool({ name: `elfmem_${tool}`, arguments: args })).structuredContent as {
      code: string
      error: string
      recovery: string
      details: Fields
    }
  return { memory, ids, call }
}

test('what depends on what is stored is refused with the whole call, too', async () => {
  const { memory, ids, call } = await owned()
  const [a, b] = ids
  await memory.connect({ source: a, target: b, relation: 'supports' })
  const connect = {
    source: a,
    target: b,
    relation: 'contradicts',
    weight: 0.9,
    note: "it's so",
    if_exists: 'update',
  }
  for (const [tool, args, command] of [
    [
      'edit',
      { block_id: a, cue: 'x', tags: ['one', 'two'] },
      `elfmem edit ${a} --cue x --tags one --tags two`,
    ],
    [
      'forget',
      { block_id: a, reason: 'sourceClass is old' },
      `elfmem forget ${a} --reason 'sourceClass is old'`,
    ],
    [
      'connect',
      connect,
      `elfmem connect ${a} ${b} contradicts --weight 0.9 --note 'it'\\''s so' --if-exists update`,
    ],
    ['disconnect', { source: a, target: b, reason: 'x' }, `elfmem disconnect ${a} ${b} --reason x`],
  ] as const) {
    const refused = await call(tool, args)
    expect(refused).toMatchObject({
      code: 'OWNER_ONLY',
      details: { command: expect.stringContaining(`${command} --db `) },
    })
    expect(refused.recovery).toContain(command)
  }
  const { errors } = (await call('connects', { edges: [connect] })) as unknown as {
    errors: { recovery: string }[]
  }
  expect(errors[0]?.recovery).toContain(`elfmem connect ${a} ${b} contradicts --weight 0.9`)
  const { operations: log } = await memory.history({ operation: 'connect' })
  expect((await call('undo', { operation_id: log[0]!.id, dry_run: true })).details.command).toMatch(
    new RegExp(`^elfmem undo ${log[0]!.id} --dry-run --db `),
  )
})

test('the command keeps to the scope that the caller is bound to', async () => {
  const { memory } = await openTestMemory()
  const { callFor } = await import('../../src/memory.ts')
  const { table } = await import('../../src/operations/table.ts')
  const principal = { actor: 'mcp:claude', capability: 'agent', scope: 'mine' } as const
  const refused = await callFor(
    memory,
    table.remember,
    { content: 'x', sourceClass: 'user' },
    { principal },
  ).catch((error) => error as ElfmemError)
  expect((refused as ElfmemError).details.command).toBe('elfmem remember x --scope mine --source-class user')
})

test('no refusal suggests to an agent what an agent may not do', async () => {
  const { memory, ids, call } = await owned()
  await memory.setup({ principles: ['I ask before I delete.'] })
  await memory.dream()
  const { blocks } = await memory.ls({ tag: 'self/constitutional', status: 'active' })
  const principle = blocks[0]!.id
  await call('remember', { content: 'A page says so.', source: 'web page' })
  const { operations: log } = await memory.history({ lastN: 1 })
  const page = log[0]!.blockIds[0]!
  await memory.edit({ blockId: page, cue: 'later' })
  for (const [tool, args] of [
    ['remember', { content: 'x', tags: ['self/constitutional'] }],
    ['remember', { content: 'x', tags: ['self/goal'], source: 'web page' }],
    ['remember', { content: 'x', supersedes: principle }],
    ['edit', { block_id: page, tags: ['self/constitutional'] }],
    ['forget', { block_id: principle }],
    ['edit', { block_id: ids[0], content: 'x' }],
    ['undo', { operation_id: log[0]!.id }],
  ] as const) {
    const { error, recovery } = await call(tool, args)
    expect(error, tool).toBeTypeOf('string')
    const own = recovery.replace(/(?:run on the command line|on the command line): .*$/, '')
    expect(own, tool).not.toMatch(
      /principles: \[|source_class: 'user'|allow_constitutional: true|elfmem_setup|elfmem_edit\(/,
    )
    if (tool === 'undo') expect(recovery).not.toContain('elfmem_undo')
  }
})

test('a refusal of the library names no command, and how a program acts for the owner', async () => {
  const { memory } = await openTestMemory({ as: 'agent' })
  const { recovery } = await refusal(memory.remember({ content: 'x\ny', sourceClass: 'user' }))
  expect(recovery).toContain("openMemory(path, { as: 'owner' })")
})
