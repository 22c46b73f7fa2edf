import { expect, test } from 'vitest'
import { kebabCase, snakeCase } from '../../src/adapters/project/spelling.ts'
import { operations } from '../../src/operations/table.ts'
import { COMMANDS } from '../../src/surfaces/cli/commands.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'
import { connectClient } from './helpers/roads.ts'

/** A name of the library in camelCase. A setting or a field of an error has a dot before it. */
const CAMEL_CASE = /(?<![\w./\\-])[a-z]+(?:[A-Z][a-z]*)+(?![\w/\\-])/
const LIBRARY_CALL = /\bmemory\.[a-z]\w*\(|\bawait /
const TOOL_NAMES = /\belfmem_[a-z_]+/g
/** An editor, not a name of ours. */
const NAMES_OF_OTHERS = /\byEd\b/g

const withTool = operations.filter(({ tools }) => tools !== 'none').map(({ name }) => name)

/** Calls a tool and returns its text. */
async function textOf(client: Awaited<ReturnType<typeof connectClient>>, name: string, args: object = {}) {
  const { content } = await client.callTool({ name: `elfmem_${name}`, arguments: { ...args } })
  return (content as readonly { readonly text: string }[])[0]?.text ?? ''
}

test('the guide of every operation is written in names of tools over MCP, and of commands on the command line', async () => {
  const { memory } = await openTestMemory({ kind: 'memory' })
  const client = await connectClient(memory, { as: 'owner' })
  const home = temporaryDirectory()
  for (const { name } of operations) {
    const { out } = await elfmem(['guide', name], { home })
    expect(out.split('\n')[0]).toBe(`elfmem ${kebabCase(name)}`)
    const tool = withTool.includes(name) ? await textOf(client, 'guide', { method: name }) : ''
    if (tool !== '') expect(tool.split('\n')[0]).toBe(`elfmem_${snakeCase(name)}`)
    expect(out).not.toMatch(TOOL_NAMES)
    for (const text of [out, tool])
      expect([name, CAMEL_CASE.exec(text), LIBRARY_CALL.exec(text)]).toEqual([name, null, null])
  }
})

test('the help of every command names commands and flags alone', async () => {
  const home = temporaryDirectory()
  const names = ['all', ...operations.map(({ name }) => kebabCase(name)), ...COMMANDS.map(({ name }) => name)]
  for (const name of names) {
    const { out } = await elfmem(['help', name], { home })
    const text = out.replace(NAMES_OF_OTHERS, '')
    const strangers = [CAMEL_CASE, LIBRARY_CALL, TOOL_NAMES].flatMap((each) => text.match(each) ?? [])
    expect([name, strangers]).toEqual([name, []])
  }
})

test('answers over MCP spell names of fields as the wire does, and what was remembered as it was', async () => {
  const { memory } = await openTestMemory()
  const client = await connectClient(memory)
  const call = async (name: string, args: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: args })).structuredContent as Readonly<Record<string, unknown>>
  const content = 'Call maxCount({ topK: 3 }), until 2 Feb 2026.'
  const kept = await call('elfmem_remember', { content, valid_until: '2026-02-02' })
  await memory.dream()
  const edited = await call('elfmem_edit', { block_id: kept.block_id, valid_until: '2026-03-01' })
  expect(edited.changed).toEqual(['valid_until'])
  expect(await textOf(client, 'recall', { query: 'Call maxCount' })).toContain('maxCount({ topK: 3 })')
  const { tools } = await client.listTools()
  for (const { description = '' } of tools) expect(description).not.toMatch(CAMEL_CASE)
  expect(JSON.stringify(tools)).not.toMatch(/"(?:validFrom|validUntil|sourceClass|derivedFrom)"/)
})

test('keys of JSON on the command line are spelled as in JSON, and a near miss is named', async () => {
  const home = temporaryDirectory()
  const given = '[{"source":"a1b2","target":"c3d4","if-exists":"skip"}]'
  expect((await elfmem(['connects', given], { home })).err).toContain('if_exists?')
  const meant = given.replace('if-exists', 'if_exists')
  expect((await elfmem(['connects', meant], { home })).out).toContain('NOT_FOUND')
})

test('a reader is told of no tool that it has not', async () => {
  const { memory, learn } = await openTestMemory()
  const [blockId] = await learn('Tea is at four.', 'The pot is cold.')
  const client = await connectClient(memory, { as: 'reader' })
  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  const said = [
    client.getInstructions() ?? '',
    JSON.stringify(tools),
    await textOf(client, 'recall', { query: 'When is tea?' }),
    await textOf(client, 'recall', { query: 'Who owns the moon?' }),
    await textOf(client, 'show', { block_id: blockId }),
    await textOf(client, 'status'),
    await textOf(client, 'inbox', { pairs: 5, open_pairs: 5 }),
    await textOf(client, 'guide'),
  ]
  for (const name of names) said.push(await textOf(client, 'guide', { method: name }))
  expect(
    said.flatMap((text) => text.match(TOOL_NAMES) ?? []).filter((name) => !names.includes(name)),
  ).toEqual([])
})
