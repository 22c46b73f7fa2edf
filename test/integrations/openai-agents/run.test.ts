import { Agent, Runner, setTracingDisabled, tool } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { expect, test } from 'vitest'
import type { Memory } from '../../../src/engine/memory.ts'
import { holdsFence } from '../../../src/frames/index.ts'
import { agentTools, ElfmemSession, recallInput } from '../../../src/integrations/openai-agents/index.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { prefixBreak } from '../../helpers/prefix-break.ts'

setTracingDisabled(true)

const PORT = 'Staging listens on port 4210.'
const said = (text: string) => [assistantMessage(text)]

const ship = tool({
  name: 'ship',
  description: 'Ships a release.',
  strict: false,
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
  execute: async () => 'shipped',
})

/** The input of each call of a model; the runner drops the id of a function call when it keeps it. */
function callsOf(model: ScriptedModel): object[][] {
  return model.calls.map(({ request: { input } }) => {
    const items: readonly object[] = typeof input === 'string' ? [{ content: input }] : input
    return items.map((item) => ({ ...item, id: undefined }))
  })
}

function framedIn(items: readonly object[]): number[] {
  return items.flatMap((item, at) => ('content' in item && holdsFence(String(item.content)) ? [at] : []))
}

/** Runs a turn as a server does: agent, session and runner are made anew. */
async function turn(memory: Memory, model: ScriptedModel, question: string) {
  const agent = new Agent({ name: 'a', instructions: 'You help.', model, tools: [ship] })
  const session = new ElfmemSession(memory, { sessionId: 's' })
  return new Runner().run(agent, question, { session, sessionInputCallback: recallInput(memory) })
}

test('recallInput keeps each prompt a prefix of the next over tool loops, dreams and restarts', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(PORT)
  const model = new ScriptedModel([
    said('On 4210.'),
    [functionCall('ship', {}, { callId: 'c1' })],
    said('Done.'),
    said('Yes.'),
    [functionCall('ship', {}, { callId: 'c2' })],
    said('Done again.'),
  ])
  for (const question of [
    'Which port has staging?',
    'Ship to staging.',
    'Is staging up?',
    'Ship to staging once more.',
  ]) {
    await turn(memory, model, question)
    await learn(`After "${question}" staging was moved to port 9999.`)
  }
  const calls = callsOf(model)
  expect(calls.map(framedIn)).toEqual([[0], [2], [2], [2, 7], [2, 9], [2, 9]])
  const breaks = calls.slice(1).map((call, at) => prefixBreak(calls[at]!, call))
  expect(breaks.map((each) => each?.at)).toEqual([0, undefined, undefined, 7, undefined])
  const unframed = (items: readonly object[]) => items.filter((_item, at) => !framedIn(items).includes(at))
  for (const [at, call] of calls.slice(1).entries())
    expect(prefixBreak(unframed(calls[at]!), unframed(call))).toBeUndefined()
  expect(JSON.stringify(calls[0]![0])).toContain(PORT)
  const kept = await new ElfmemSession(memory, { sessionId: 's' }).getItems()
  expect(framedIn(kept).length).toBe(4)
  const turns = (await memory.ls({ limit: 100 })).blocks.filter(({ category }) => category === 'turn')
  expect(turns.length).toBe(5)
  expect(turns.some(({ content }) => content.includes('<memory'))).toBe(false)
})

test('recallInput of a closed memory leaves the input as it is, and onError hears why', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(PORT)
  await memory.close()
  const errors: unknown[] = []
  const callback = recallInput(memory, { onError: (error) => errors.push(error) })
  const asked = [{ role: 'user', content: 'Which port has staging?' } as const]
  expect(await callback([], asked)).toEqual(asked)
  expect(errors).toMatchObject([{ code: 'CLOSED' }])
})

test('a model remembers, recalls and reads refusals through agentTools', async () => {
  const { memory } = await openTestMemory()
  const model = new ScriptedModel([
    [functionCall('memory_remember', { content: PORT }, { callId: '1' })],
    [functionCall('memory_recall', { query: 'port of staging' }, { callId: '2' })],
    [functionCall('memory_forget', { block_id: 'ffffffff' }, { callId: '3' })],
    [functionCall('memory_recall', { query: 7 }, { callId: '4' })],
    said('On 4210.'),
  ])
  const agent = new Agent({ name: 'a', model, tools: agentTools(memory) })
  const { finalOutput, newItems } = await new Runner().run(agent, 'Remember the port.')
  expect(finalOutput).toBe('On 4210.')
  const outputs = newItems.flatMap((item) =>
    item.type === 'tool_call_output_item' ? [String(item.output)] : [],
  )
  expect(outputs[1]).toContain(PORT)
  expect(outputs[2]).toMatch(/^NOT_FOUND: /)
  expect(outputs[3]).toMatch(/^INVALID_INPUT: .*query/s)
  const [first] = (await memory.history({ limit: 1, operation: 'remember' })).operations
  expect(first!.actor).toBe('library:openai-agents')
})
