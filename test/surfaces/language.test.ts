import { describe, expect, test } from 'vitest'
import { kebabCase, snakeCase } from '../../src/adapters/project/spelling.ts'
import { ElfmemError } from '../../src/errors.ts'
import { operations } from '../../src/operations/table.ts'
import { COMMANDS } from '../../src/surfaces/cli/commands.ts'
import { printFailure } from '../../src/surfaces/cli/screen/output.ts'
import { refused } from '../../src/surfaces/mcp/tools.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'
import { recoveries } from './helpers/recoveries.ts'
import { connectClient } from './helpers/roads.ts'

/** A name of the library in camelCase; a setting or a fact of an error, `details.newWords`, has a dot before it. */
const CAMEL_CASE = /(?<![\w./\\-])[a-z]+(?:[A-Z][a-z]*)+(?![\w/\\-])/
/** A call as a program makes it. */
const LIBRARY_CALL = /\bmemory\.[a-z]\w*\(|\bawait /
const TOOL = /\belfmem_[a-z]/
/** Names of tools in a text. */
const TOOL_NAMES = /\belfmem_[a-z_]+/g
const FLAG = /(?<![\w-])--[a-z]/

/** Names of programs and formats that are no names of ours. */
const NAMES_OF_OTHERS = /\byEd\b/g

/** What programs alone can do: no other surface takes a path and options, a session, named items, or a hook as a function. */
const OF_PROGRAMS = [
  ...['opening/check-opening.ts', 'adapters/remote/sdk/', 'integrations/'],
  ...['hooks/claude-agent.ts', 'operations/items/bound-items.ts'],
]
/** What only the command line and the dashboard say. */
const OF_COMMANDS = ['surfaces/cli/', 'surfaces/dashboard/']
/** What only tools say. */
const OF_TOOLS = ['surfaces/mcp/']

const from = (places: readonly string[]) =>
  recoveries.filter(({ file }) => !places.some((each) => file.startsWith(each)))

const errorWith = (recovery: string) => new ElfmemError('NOT_FOUND', 'There is none.', { recovery })

async function onCommandLine(error: ElfmemError): Promise<string> {
  const told: string[] = []
  const stream = { isTTY: false, write: (text: string) => told.push(text) > 0 }
  const io = { stdout: stream, stderr: stream, env: {} } as unknown as Parameters<typeof printFailure>[1]
  await printFailure(error, io, { json: false })
  return told.join('')
}

describe('the language of a surface', () => {
  test('is that of every recovery: over MCP arguments in snake_case, and no call of a program', async () => {
    expect(recoveries.length).toBeGreaterThan(200)
    const wrong: string[] = []
    for (const { file, text } of from([...OF_PROGRAMS, ...OF_COMMANDS])) {
      const { message } = await refused(errorWith(text), { capability: 'agent', tools: 'all' })
      const isOwners = /\bowner\b|\bcommand\b/.test(message)
      if (CAMEL_CASE.test(message) || LIBRARY_CALL.test(message) || (FLAG.test(message) && !isOwners))
        wrong.push(`${file}: ${message}`)
    }
    expect(wrong).toEqual([])
  })

  test('is that of every recovery: on the command line commands and flags, and no tool', async () => {
    const wrong: string[] = []
    for (const { file, text } of from([...OF_PROGRAMS, ...OF_TOOLS])) {
      const told = await onCommandLine(errorWith(text))
      if (CAMEL_CASE.test(told) || LIBRARY_CALL.test(told) || TOOL.test(told)) wrong.push(`${file}: ${told}`)
    }
    expect(wrong).toEqual([])
  })

  const withoutTool = operations.filter(({ tools }) => tools === 'none').map(({ name }) => name)

  test.each(withoutTool)('is that of the guide to %s, of which no tool is made', async (method) => {
    const { out } = await elfmem(['guide', method], { home: temporaryDirectory() })
    expect(out.split('\n')[0]).toBe(`elfmem ${kebabCase(method)}`)
    for (const other of [CAMEL_CASE, LIBRARY_CALL, TOOL]) expect(out).not.toMatch(other)
    const { memory } = await openTestMemory({ kind: 'memory' })
    const client = await connectClient(memory, { as: 'owner' })
    const refused = await client.callTool({ name: 'elfmem_guide', arguments: { method } })
    expect(refused.structuredContent).toMatchObject({ code: 'TOOL_NOT_LISTED' })
  })

  test.each([
    ...operations.map(({ name }) => name).filter((name) => !withoutTool.includes(name)),
    'learning',
    undefined,
  ])('is that of the guide to %s', async (method) => {
    const { memory } = await openTestMemory({ kind: 'memory' })
    const client = await connectClient(memory, { as: 'owner' })
    const { content, structuredContent } = await client.callTool({
      name: 'elfmem_guide',
      arguments: { method: method ?? null },
    })
    const [tool] = content as readonly { readonly text: string }[]
    expect(structuredContent).toMatchObject({ text: tool?.text })
    expect(tool?.text).not.toMatch(CAMEL_CASE)
    expect(tool?.text).not.toMatch(LIBRARY_CALL)
    const given = method === undefined ? [] : [method]
    const { out } = await elfmem(['guide', ...given], { home: temporaryDirectory() })
    expect(out).not.toMatch(CAMEL_CASE)
    expect(out).not.toMatch(LIBRARY_CALL)
    expect(out).not.toMatch(TOOL)
    const isOperation = operations.some(({ name }) => name === method)
    if (isOperation && method !== undefined) {
      expect(tool?.text.split('\n')[0]).toBe(`elfmem_${snakeCase(method)}`)
      expect(out.split('\n')[0]).toBe(`elfmem ${kebabCase(method)}`)
    }
  })

  test.each(['all', ...operations.map(({ name }) => kebabCase(name)), ...COMMANDS.map(({ name }) => name)])(
    'is that of the help of %s',
    async (name) => {
      const { out } = await elfmem(['help', name], { home: temporaryDirectory() })
      expect(out.trim().split('\n').length).toBeGreaterThan(2)
      expect(out.replace(NAMES_OF_OTHERS, '')).not.toMatch(CAMEL_CASE)
      expect(out).not.toMatch(LIBRARY_CALL)
      expect(out).not.toMatch(/\w\(\{/)
      expect(out).not.toMatch(TOOL)
    },
  )

  test('is that of the list of tools', async () => {
    const { memory } = await openTestMemory({ kind: 'memory' })
    const { tools } = await (await connectClient(memory, { as: 'owner' })).listTools()
    for (const { description = '' } of tools) {
      expect(description).not.toMatch(CAMEL_CASE)
      expect(description).not.toMatch(LIBRARY_CALL)
    }
  })

  test('is that of what an answer advises, and leaves what was remembered as it is', async () => {
    const { memory } = await openTestMemory()
    await memory.remember({
      content: 'Call maxCount({ topK: 3 }) with allowConstitutional.',
    })
    await memory.dream()
    const client = await connectClient(memory)
    const said = async (name: string, args: Record<string, unknown>) => {
      const { content } = await client.callTool({ name, arguments: args })
      return (content as readonly { readonly text: string }[])[0]?.text ?? ''
    }
    expect(await said('elfmem_recall', { query: 'Call maxCount' })).toContain(
      'Call maxCount({ topK: 3 }) with allowConstitutional.',
    )
    await memory.setup({ principles: ['Tell the truth'] })
    await memory.dream()
    const { blocks } = await memory.ls({ tag: 'self/constitutional' })
    const told = await said('elfmem_outcome', { block_ids: [blocks[0]?.id], signal: 1 })
    expect(told).toContain('allow_constitutional counts them')
  })

  test('is that of what a list of connections refuses, and names keys of JSON as JSON has them', async () => {
    const { memory } = await openTestMemory()
    for (const content of ['The harbour opens at six', 'Bread needs a night of rest'])
      await memory.remember({ content })
    await memory.dream()
    const { blocks } = await memory.ls({})
    const [source, target] = blocks.map(({ id }) => id)
    const edge = (relation: string) => ({ source, target, relation })
    const edges = [edge('supports'), edge('elaborates'), { ...edge('supports'), target: 'zzz' }]
    const { content } = await (await connectClient(memory)).callTool({
      name: 'elfmem_connects',
      arguments: { edges },
    })
    const [{ text = '' } = {}] = content as readonly { readonly text: string }[]
    expect(text).toContain("if_exists: 'update' changes the relation")
    expect(text).toContain('describe both blocks to elfmem_connect_by_query')
  })

  test('is that of the list of names that the guide gives, and of what the caller may call', async () => {
    const { memory } = await openTestMemory()
    const client = await connectClient(memory)
    const { tools } = await client.listTools()
    const said = async (method: string) => {
      const { content } = await client.callTool({ name: 'elfmem_guide', arguments: { method } })
      return (content as readonly { readonly text: string }[])[0]?.text ?? ''
    }
    const names = tools.map(({ name }) => name)
    expect((await said('nothing')).split('\n')[1]?.trim().split(', ')).toEqual(names)
    for (const text of [...tools.map((tool) => JSON.stringify(tool)), await said('backup')])
      expect((text.match(TOOL_NAMES) ?? []).filter((name) => !names.includes(name))).toEqual([])
  })

  test('names no tool to a reader that a reader has not', async () => {
    const { memory, learn } = await openTestMemory()
    const [blockId] = await learn('Tea is at four.', 'The pot is cold.')
    const client = await connectClient(memory, { as: 'reader' })
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    const call = async (name: string, input: object) =>
      JSON.stringify(await client.callTool({ name: `elfmem_${name}`, arguments: { ...input } }))
    const said = [
      client.getInstructions() ?? '',
      ...tools.map((tool) => JSON.stringify(tool)),
      await call('guide', {}),
      await call('guide', { method: 'learning' }),
      await call('recall', { query: 'When is tea?' }),
      await call('recall', { query: 'Who owns the moon?' }),
      await call('show', { block_id: blockId }),
      await call('status', {}),
      await call('inbox', { pairs: 5, open_pairs: 5 }),
    ]
    for (const name of names) said.push(await call('guide', { method: name }))
    expect(
      said.flatMap((text) => text.match(TOOL_NAMES) ?? []).filter((name) => !names.includes(name)),
    ).toEqual([])
    expect(await call('guide', {})).toContain('elfmem_recall')
  })

  test('is that of JSON for the keys in it', async () => {
    const home = temporaryDirectory()
    const given = '[{"source":"a1b2","target":"c3d4","if-exists":"skip"}]'
    const { err } = await elfmem(['connects', given], { home })
    expect(err).toContain('edges[0] takes no if-exists (did you mean if_exists?)')
    expect(err).toContain('valid_from, valid_until, if_exists.')
    const meant = given.replace('if-exists', 'if_exists')
    expect((await elfmem(['connects', meant], { home })).out).toContain('NOT_FOUND')
    const many = await elfmem(['remember-many', '[{"content":"Tea","valid-from":"2026"}]'], { home })
    expect(many.err).toContain('did you mean valid_from?')
  })

  test('is that of fields that an answer names', async () => {
    const { memory } = await openTestMemory()
    const client = await connectClient(memory)
    const call = async (name: string, args: Record<string, unknown>) => {
      const { structuredContent } = await client.callTool({ name, arguments: args })
      return structuredContent as Readonly<Record<string, unknown>>
    }
    const kept = await call('elfmem_remember', { content: 'The offer holds until 2 Feb 2026' })
    expect(kept.read_from_text).toEqual(['valid_until'])
    await memory.dream()
    const edited = await call('elfmem_edit', { block_id: kept.block_id, valid_until: '2026-03-01' })
    expect(edited.changed).toEqual(['valid_until'])
    const { tools } = await client.listTools()
    expect(JSON.stringify(tools)).not.toMatch(
      /"(?:validFrom|validUntil|sourceClass|derivedFrom|namesFields)"/,
    )
  })
})
