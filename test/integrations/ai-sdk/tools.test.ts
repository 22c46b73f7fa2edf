import type { ToolSet as ToolSet7 } from 'ai'
import type { ToolSet as ToolSet6 } from 'ai-6'
import { describe, expect, test } from 'vitest'
import { memoryTools } from '../../../src/integrations/ai-sdk/index.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { SDKS } from './sdks.ts'

/** The results and errors of tools in a run, as the program sees them. */
const partsOf = (steps: readonly { readonly content: readonly Readonly<Record<string, unknown>>[] }[]) =>
  steps.flatMap(({ content }) => content.filter(({ type }) => /tool-(result|error)/.test(String(type))))

test('memoryTools fits the types of both versions', async () => {
  const { memory } = await openTestMemory()
  const tools = memoryTools(memory)
  const [of7, of6]: [ToolSet7, ToolSet6] = [tools, tools]
  expect(Object.keys(of7)).toEqual(Object.keys(of6))
})

describe.each(SDKS)('with $name', (sdk) => {
  test('a model calls every verb, reads texts, and the program gets fields', async () => {
    const { memory, learn } = await openTestMemory()
    const [port = '', script = ''] = await learn(
      'Staging listens on port 4210.',
      'The release script is scripts/ship.sh.',
    )
    const { model, prompts, tools } = sdk.scripted(
      { call: 'memory_recall', input: { query: 'Which port does staging use?' } },
      {
        call: 'memory_remember',
        input: { content: 'Releases go out on Tuesdays.', tags: ['project/atlas'] },
      },
      { call: 'memory_connect', input: { source: port, target: script, relation: 'supports' } },
      { call: 'memory_outcome', input: { helped: [port] } },
      { call: 'memory_forget', input: { block_id: script, reason: 'gone' } },
      { say: 'Done.' },
    )
    const ran = await sdk.generate({ model, tools: memoryTools(memory), prompt: 'Go.' })
    expect(ran.text).toBe('Done.')
    expect(tools().map(({ name }) => name)).toEqual(Object.keys(memoryTools(memory)))
    const results = partsOf(ran.steps)
    expect(results.map(({ type }) => type)).toEqual(Array(5).fill('tool-result'))
    expect(results[0]?.output).toMatchObject({ block_ids: expect.arrayContaining([port]) })
    const read = prompts()[1]?.at(-1)?.content[0]
    expect(read).toMatchObject({
      output: { type: 'text', value: expect.stringContaining('[1] Staging listens on port 4210.') },
    })
    expect(await memory.show({ blockId: script })).toMatchObject({ block: { status: 'archived' } })
  })

  test('a model reads a refused call as an error, and the loop goes on', async () => {
    const { memory } = await openTestMemory()
    const { model, prompts } = sdk.scripted(
      { call: 'memory_recall', input: { question: 'port' } },
      { call: 'memory_forget', input: { block_id: 'c0ffee00' } },
      { call: 'memory_remember', input: { content: 'I am Ana.', source_class: 'user' } },
      { say: 'Well.' },
    )
    const ran = await sdk.generate({ model, tools: memoryTools(memory), prompt: 'Go.' })
    expect(ran.text).toBe('Well.')
    expect(partsOf(ran.steps).map(({ type }) => type)).toEqual(Array(3).fill('tool-error'))
    const read = prompts().map((prompt) => JSON.stringify(prompt.at(-1)))
    for (const [at, code] of ['INVALID_INPUT', 'NOT_FOUND', 'OWNER_ONLY'].entries())
      expect(read[at + 1]).toContain(`${code}: `)
  })
})
