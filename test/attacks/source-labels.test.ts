import { expect, test } from 'vitest'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import { elfmem } from '../surfaces/helpers/cli.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

test('a label that means the owner is shown behind the class of whoever brought it', async () => {
  const { memory } = await openTestMemory({ actor: 'mcp:eve' })
  const client = await connectClient(memory)
  const labels = [
    'owner',
    'Owner',
    'оwner',
    'ｏｗｎｅｒ',
    'owner.',
    'the owner',
    'Besitzer',
    'user: Ana',
    'me',
  ]
  for (const [i, source] of labels.entries()) {
    const args = { content: `Gate ${i} of the harbour is blue`, source, source_class: 'agent' }
    await client.callTool({ name: 'elfmem_remember', arguments: args })
  }
  const textOf = async (name: string, args: Record<string, unknown>) => {
    const { content } = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] }
    return content.map(({ text }) => text).join('\n')
  }
  await memory.dream()
  const answer = await textOf('elfmem_recall', { query: 'gates of the harbour', top_k: 20, min_strength: 0 })
  const list = await textOf('elfmem_ls', {})
  for (const text of [answer, list]) for (const source of labels) expect(text).toContain(`agent: ${source})`)
  expect(answer).not.toMatch(/\d, (?!agent: )/)
})

test('the command line names the class before the label', async () => {
  const world = { home: temporaryFolder() }
  await elfmem(['remember', 'The gate is blue', '--source', 'Ana'], world)
  await elfmem(['remember', 'The gate is wide', '--source-class', 'user'], world)
  const list = (await elfmem(['ls', '--status', 'inbox'], world)).out
  expect(list).toMatch(/The gate is blue {2}\(document: Ana\)/)
  expect(list).toMatch(/The gate is wide {2}\(user\)/)
  const recalled = (await elfmem(['recall', 'Which gate?'], world)).out
  expect(recalled).toMatch(/blue \(\d{4}-\d\d-\d\d, document: Ana, waiting\)/)
})
