import type { BaseMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { tool } from '@langchain/core/tools'
import { MemorySaver } from '@langchain/langgraph'
import { AIMessage, createAgent, HumanMessage, type ToolMessage } from 'langchain'
import { expect, test } from 'vitest'
import type { Memory } from '../../../src/engine/memory.ts'
import {
  type ElfmemMiddlewareOptions,
  elfmemMiddleware,
  langchainTools,
} from '../../../src/integrations/langchain/index.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { prefixBreak } from '../../helpers/prefix-break.ts'

const PORT = 'Staging listens on port 4210.'
const thread = { configurable: { thread_id: 't' } }
const said = (text: string) => ({ messages: [new HumanMessage(text)] })

const ship = tool(async () => 'shipped', {
  name: 'ship',
  description: 'Ships a release.',
  schema: { type: 'object', properties: { to: { type: 'string' } } },
})

/** The messages of each call of a model, their content as parts. */
function callsOf(model: ReturnType<typeof fakeModel>): object[][] {
  const parts = ({ content }: BaseMessage) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return model.calls.map(({ messages }) =>
    messages.map((message) => ({
      ...{ type: message.type, parts: parts(message) },
      ...('tool_calls' in message ? { calls: message.tool_calls } : {}),
    })),
  )
}

/** The places of the messages that hold a frame. */
function framedIn(messages: readonly object[]): number[] {
  return messages.flatMap((message, at) => (JSON.stringify(message).includes('<memory ids=') ? [at] : []))
}

/** What a model says when it calls a tool. */
function calling(name: string, args: Record<string, unknown>): AIMessage {
  return new AIMessage({ content: '', tool_calls: [{ type: 'tool_call', id: `call ${name}`, name, args }] })
}

/** An agent as a program makes it anew at each request, whose threads a server keeps as bytes. */
function agentOf(
  memory: Memory,
  {
    model,
    saver,
    ...options
  }: { model: ReturnType<typeof fakeModel>; saver: MemorySaver } & ElfmemMiddlewareOptions,
) {
  return createAgent({
    ...{ model, tools: [ship], systemPrompt: 'You help.', checkpointer: saver },
    middleware: [elfmemMiddleware(memory, options)],
  })
}

function restarted(saver: MemorySaver): MemorySaver {
  const again = new MemorySaver()
  again.storage = structuredClone(saver.storage)
  again.writes = structuredClone(saver.writes)
  return again
}

test('elfmemMiddleware keeps each prompt a prefix of the next over tool loops, dreams and restarts', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(PORT, 'Releases to staging go out on Tuesdays.')
  await memory.setup({ identity: 'I keep answers brief.' })
  const model = fakeModel()
    .respond(new AIMessage('On 4210.'))
    .respond(calling('ship', { to: 'staging' }))
    .respond(new AIMessage('Done.'))
    .respond(new AIMessage('On Tuesdays.'))
  let saver = new MemorySaver()
  for (const question of ['Which port has staging?', 'Ship to staging.', 'When do releases go out?']) {
    const answer = await agentOf(memory, { model, saver }).invoke(said(question), thread)
    expect(Object.keys(answer)).toEqual(['messages'])
    expect(JSON.stringify(answer.messages)).not.toContain('<memory')
    await learn(`Staging moved after "${question}" to port 9999.`)
    saver = restarted(saver)
  }
  const calls = callsOf(model)
  expect(calls.map((call) => call.length)).toEqual([2, 4, 6, 8])
  const breaks = calls.slice(1).map((call, at) => prefixBreak(calls[at]!, call))
  expect(breaks).toEqual([{ at: 1, isDroppedFrame: true }, undefined, undefined])
  expect(calls.map(framedIn)).toEqual([
    [0, 1],
    [0, 3],
    [0, 3],
    [0, 3, 7],
  ])
  expect(JSON.stringify(calls[0])).toContain(PORT)
  expect(JSON.stringify(calls[0]![0])).toContain('answers brief')
})

test('an agent with a closed memory answers without it, and onError hears why', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(PORT)
  const model = fakeModel().respond(new AIMessage('I do not know.')).respond(new AIMessage('never'))
  await memory.close()
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const agent = createAgent({ model, middleware: [elfmemMiddleware(memory, { onError })] })
  await agent.invoke(said('Which port has staging?'))
  expect(callsOf(model)[0]).toEqual([
    { type: 'human', parts: [{ type: 'text', text: 'Which port has staging?' }] },
  ])
  expect(errors).toMatchObject([{ code: 'CLOSED' }])
  const refuse = (error: unknown) => {
    throw error
  }
  const strict = createAgent({ model, middleware: [elfmemMiddleware(memory, { onError: refuse })] })
  await expect(strict.invoke(said('Which port has staging?'))).rejects.toThrow(/closed/i)
})

test('a model remembers, recalls and reads refusals through langchainTools', async () => {
  const { memory } = await openTestMemory()
  const model = fakeModel()
    .respondWithTools([{ name: 'memory_remember', args: { content: PORT } }])
    .respondWithTools([{ name: 'memory_recall', args: { query: 'port of staging' } }])
    .respondWithTools([{ name: 'memory_forget', args: { block_id: 'ffffffff' } }])
    .respondWithTools([{ name: 'memory_recall', args: { query: 7 } }])
    .respond(new AIMessage('On 4210.'))
  const agent = createAgent({ model, tools: langchainTools(memory) })
  const { messages } = await agent.invoke(said('Remember the port.'))
  const results = messages.filter(({ type }) => type === 'tool') as ToolMessage[]
  expect(results[1]!.text).toContain(PORT)
  expect(results[1]!.artifact).toMatchObject({ blocks: [{ content: PORT }] })
  expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'error', 'error'])
  expect(results[2]!.text).toContain('NOT_FOUND: ')
  expect((await memory.history({ limit: 1, operation: 'remember' })).operations[0]!.actor).toBe(
    'library:langchain',
  )
  expect(langchainTools(memory, { tools: ['dream', 'recall'], prefix: '' }).map(({ name }) => name)).toEqual([
    'dream',
    'recall',
  ])
})

test('users who share a memory do not see what others said, where the run names them', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'Ana takes her tea without milk.', scope: 'ana' })
  const answers: string[] = []
  for (const user of ['ana', 'ben']) {
    const model = fakeModel()
      .respond(calling('memory_recall', { query: 'tea' }))
      .respond(calling('memory_remember', { content: `${user} was here` }))
      .respond(new AIMessage('Done.'))
    const agent = createAgent({
      model,
      tools: langchainTools(memory),
      middleware: [elfmemMiddleware(memory)],
    })
    await agent.invoke(said('How is the tea?'), { configurable: { user_id: user } })
    answers.push(JSON.stringify(callsOf(model)))
  }
  expect(answers.map((each) => each.includes('without milk'))).toEqual([true, false])
  const { blocks } = await memory.inbox({})
  expect(blocks.map(({ content, scope }) => [content, scope])).toEqual(
    expect.arrayContaining([
      ['ana was here', 'ana'],
      ['ben was here', 'ben'],
    ]),
  )
})

test('elfmemMiddleware keeps what a user says for good once, in the scope of the run, unless capture is off', async () => {
  const { memory } = await openTestMemory()
  const run = async (options: ElfmemMiddlewareOptions, user: string) => {
    const model = fakeModel()
      .respond(calling('ship', { to: 'staging' }))
      .respond(new AIMessage('Done.'))
    const agent = agentOf(memory, { model, saver: new MemorySaver(), ...options })
    const configurable = { thread_id: 'x'.repeat(200), user_id: user }
    await agent.invoke(said(`Ship it. Never push on Fridays, ${user}.`), { configurable })
  }
  await run({ capture: false }, 'ana')
  await run({}, 'ben')
  await run({ trustUser: true }, 'cleo')
  const { blocks } = await memory.inbox({})
  expect(blocks.map(({ content, sourceClass, scope }) => [content, sourceClass, scope])).toEqual([
    ['Never push on Fridays, ben.', 'document', 'ben'],
    ['Never push on Fridays, cleo.', 'user', 'cleo'],
  ])
})
