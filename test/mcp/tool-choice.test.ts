import { expect, test } from 'vitest'
import { operationNames } from '../../src/operations/load.ts'
import { toolChoiceFrom } from '../../src/operations/tool-choice.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { connectClient, openTestMemory } from '../surfaces/helpers/roads.ts'

const TOOL_NAME = /\belfmem_[a-z_]+/g

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

test('instructions and descriptions of chosen tools name no other', async () => {
  for (const chosen of [['recall'], ['remember', 'outcome'], ['status'], ['dream', 'inbox']]) {
    const client = await connectClient(await openTestMemory(), { tools: chosen })
    const { tools } = await client.listTools()
    const said = [client.getInstructions() ?? '', ...tools.map((tool) => JSON.stringify(tool))].join('\n')
    const strangers = (said.match(TOOL_NAME) ?? []).filter(
      (name) => !tools.some((tool) => tool.name === name),
    )
    expect(strangers, chosen.join()).toEqual([])
    const { prompts } = await client.listPrompts()
    expect(prompts.some(({ name }) => name === 'dream')).toBe(chosen.includes('dream'))
  }
})

test('a reader gets of the chosen tools those that only look', async () => {
  const client = await connectClient(await openTestMemory(), { as: 'reader', tools: ['remember', 'recall'] })
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['elfmem_recall'])
})

test('serve with an unknown tool is refused', async () => {
  const { code } = await elfmem(['serve', '--tools', 'recall,nothing'], { home: temporaryDirectory() })
  expect(code).toBe(2)
})
