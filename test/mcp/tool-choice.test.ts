import { expect, test } from 'vitest'
import { operationNames } from '../../src/operations/load.ts'
import { toolChoiceFrom } from '../../src/operations/tool-choice.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { connectClient, openTestMemory } from '../surfaces/helpers/roads.ts'

test('toolChoiceFrom takes names in any spelling, each once', () => {
  const chosen = (given: string) => toolChoiceFrom(given, operationNames)
  expect(chosen('recall, remember_many,elfmem_recall')).toEqual(['recall', 'rememberMany'])
  expect(chosen('learn-document')).toEqual(['learnDocument'])
  expect(chosen('verbs')).toBe('verbs')
  for (const wrong of ['', ',', 'verbs,recall', 'recal', 'constructor', '__proto__'])
    expect(() => chosen(wrong), wrong).toThrow('or a list of tools')
})

test('a server of chosen tools lists and calls these and no others', async () => {
  const client = await connectClient(await openTestMemory(), { tools: ['remember', 'recall'] })
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['elfmem_remember', 'elfmem_recall'])
  const kept = await client.callTool({ name: 'elfmem_remember', arguments: { content: 'Tea is at four' } })
  expect(kept.isError).toBeFalsy()
  const refused = await client.callTool({ name: 'elfmem_ls', arguments: {} })
  expect(refused.structuredContent).toMatchObject({ code: 'TOOL_NOT_LISTED' })
})

test('serve with an unknown tool is refused', async () => {
  const { code } = await elfmem(['serve', '--tools', 'recall,nothing'], { home: temporaryDirectory() })
  expect(code).toBe(2)
})
