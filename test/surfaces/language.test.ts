import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { connectClient } from './helpers/roads.ts'

/** A name of the library in camelCase. A setting or a field of an error has a dot before it. */
const CAMEL_CASE = /(?<![\w./\\-])[a-z]+(?:[A-Z][a-z]*)+(?![\w/\\-])/
const TOOL_NAMES = /\belfmem_[a-z_]+/g

/** Calls a tool and returns its text. */
async function textOf(client: Awaited<ReturnType<typeof connectClient>>, name: string, args: object = {}) {
  const { content } = await client.callTool({ name: `elfmem_${name}`, arguments: { ...args } })
  return (content as readonly { readonly text: string }[])[0]?.text ?? ''
}

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
