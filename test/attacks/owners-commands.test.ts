import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { shown } from '../../src/domain/safety/visible.ts'
import type { ElfmemError } from '../../src/errors.ts'
import { ownersWay } from '../../src/flow/guard/owners-way.ts'
import { wayFor } from '../../src/operations/door.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { operations } from '../../src/operations/table.ts'
import { inputOf, optionsOf } from '../../src/surfaces/cli/arguments.ts'
import { parseFlags } from '../../src/surfaces/cli/flags.ts'
import type { CliIo } from '../../src/surfaces/cli/io.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'
import { askingOf, type Fields, wordsOf } from './asked-calls.ts'

const byName = (name: string) => operations.find((operation) => operation.name === name) as Operation

/** What a command line means and in which memory, read by the parser of the command line. */
async function readAs(operation: Operation, words: readonly string[]) {
  const io = { cwd: '/', readStdin: () => Promise.reject(new Error('standard input')) } as unknown as CliIo
  const flags = parseFlags(words.slice(2), optionsOf(operation))
  return { raw: await inputOf(operation, flags, io), location: flags.global.db }
}

test('a command for the owner, read by a shell and by the command line, makes exactly the call that was refused, in its memory and scope', async () => {
  let [made, asked] = [0, 0]
  for (const operation of operations) {
    const ways = fc
      .sample(askingOf(operation), 40)
      .map((asking) => ({ asking, ...wayFor(operation, asking) }))
    const lines = ways.flatMap(({ command, asking }) => (command === undefined ? [] : [{ command, asking }]))
    asked += ways.length
    made += lines.length
    const words = wordsOf(lines.map(({ command }) => command))
    for (const [at, { command, asking }] of lines.entries()) {
      const { raw, location, caller } = asking
      const bound =
        'scope' in operation.input.shape && caller.scope !== undefined ? { scope: caller.scope } : {}
      expect(shown(command), command).toBe(command)
      expect(command).not.toContain('\n')
      const read = await Promise.resolve()
        .then(() => readAs(operation, words[at] ?? []))
        .catch((error: unknown) => error)
      expect(read, command).toEqual({ raw: { ...bound, ...raw }, location })
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
  expect(ownersWay(byName(name), input, '/a.db').command).toBe(`${command} --db /a.db`)
})

test('what no line can say is said to be filled in, with the command and the names of its arguments', async () => {
  const { memory } = await openTestMemory()
  const client = await connectClient(memory, { name: 'claude' })
  const named = `elfmem remember --db ${memory.location}`
  for (const content of ['-', 'x\0y', 'long '.repeat(500)]) {
    const { structuredContent } = await client.callTool({
      name: 'elfmem_remember',
      arguments: { content, source_class: 'user' },
    })
    const { recovery, details } = structuredContent as { recovery: string; details: Fields }
    expect(recovery).toContain(
      `Ask the owner to run ${named} on the command line and to say there what this call said (content, source-class)`,
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

test.each(['x; touch pwned', '$(id)', '`id`', 'a\nb', '--db', 'db', 'as', 'env_file'])(
  'an argument by the name %j, which no operation has, gets into no command for the owner',
  async (name) => {
    const { memory } = await openTestMemory()
    const client = await connectClient(memory, { tools: 'all' })
    const args = JSON.parse(`{"block_ids":["abcd"],${JSON.stringify(name)}:"xyzzy"}`) as Fields
    const { structuredContent } = await client.callTool({ name: 'elfmem_erase', arguments: args })
    const { code, recovery, details } = structuredContent as {
      readonly code: string
      readonly recovery: string
      readonly details: Fields
    }
    expect([code, details.command]).toEqual(['OWNER_ONLY', undefined])
    expect(recovery).toContain(`elfmem erase --db ${memory.location} on the command line`)
    expect(recovery).toContain('(block-ids)')
    expect(recovery).not.toContain('xyzzy')
  },
)

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
  expect(errors[0]?.recovery).toMatch(
    new RegExp(`elfmem connect ${a} ${b} contradicts --weight 0\\.9 .*--db ${memory.location}`),
  )
  const { operations: log } = await memory.history({ operation: 'connect' })
  expect((await call('undo', { operation_id: log[0]!.id, dry_run: true })).details.command).toMatch(
    new RegExp(`^elfmem undo ${log[0]!.id} --dry-run --db `),
  )
})

test.each([
  ['a flag', (db: string) => ({ argv: ['--db', db] })],
  ['a variable', (db: string) => ({ env: { ELFMEM_DB: db } })],
] as const)(
  'a command refused in a memory that %s names erases there and nowhere else when it is pasted',
  async (_, naming) => {
    const home = temporaryDirectory()
    const db = join(home, "the owner's other.db")
    const { argv = [], env } = naming(db) as { argv?: string[]; env?: Record<string, string> }
    const world = { home, ...(env && { env }) }
    await elfmem(['remember', 'Mills of mine.'], { home })
    await elfmem([...argv, 'remember', 'Mills of another.'], world)
    const refused = async (...asked: string[]) => {
      const { out } = await elfmem([...argv, '--as', 'agent', '--json', ...asked], world)
      const { recovery, details } = JSON.parse(out) as { recovery: string; details: { command: string } }
      expect(recovery).toContain(details.command)
      return wordsOf([details.command])[0]!.slice(1)
    }
    for (const asked of [
      ['restore-backup', 'x'],
      ['backup', '--path', join(home, 'b.db')],
    ])
      expect(await refused(...asked)).toEqual(expect.arrayContaining(['--db', db]))
    const pasted = await elfmem(await refused('erase', '--query', 'mills', '--yes'), {
      home,
      cwd: temporaryDirectory(),
    })
    expect(pasted.code).toBe(0)
    expect((await elfmem(['inbox'], { home })).out).toContain('Mills of mine.')
    expect((await elfmem(['inbox', '--db', db], { home })).out).not.toContain('Mills of another.')
  },
)

test('the command keeps to the scope that the caller is bound to', async () => {
  const { memory } = await openTestMemory()
  const { callFor } = await import('../helpers/call-for.ts')
  const { table } = await import('../../src/operations/table.ts')
  const principal = { actor: 'mcp:claude', capability: 'agent', scope: 'mine' } as const
  const refused = await callFor(
    memory,
    table.remember,
    { content: 'x', sourceClass: 'user' },
    { principal },
  ).catch((error) => error as ElfmemError)
  expect((refused as ElfmemError<'OWNER_ONLY'>).details.command).toBe(
    `elfmem remember x --scope mine --source-class user --db ${memory.location}`,
  )
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
