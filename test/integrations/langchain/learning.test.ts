import { fakeModel } from '@langchain/core/testing'
import { tool } from '@langchain/core/tools'
import { MemorySaver } from '@langchain/langgraph'
import { AIMessage, createAgent, HumanMessage } from 'langchain'
import { expect, test } from 'vitest'
import {
  type ElfmemMiddlewareOptions,
  elfmemMiddleware,
  langchainTools,
} from '../../../src/integrations/langchain/index.ts'
import { openTestMemory } from '../../helpers/memory.ts'

/** Commands that fail once. */
const failing = new Set<string>()
const sh = tool(
  async ({ command }: { command: string }) => {
    if (failing.delete(command)) throw new Error('exit 1')
    return 'exit 0'
  },
  {
    ...{ name: 'sh', description: 'Runs a command.' },
    schema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  },
)

type Call = { readonly name: string; readonly args: Record<string, unknown> }
const command = (line: string): Call => ({ name: 'sh', args: { command: line } })

/** Plays two messages and returns what the memory holds of the block about staging. */
async function taught(calls: readonly Call[], next: string, options: ElfmemMiddlewareOptions = {}) {
  const { memory, learn } = await openTestMemory()
  const [staging = ''] = await learn('Staging listens on port 4210.')
  const model = fakeModel()
  for (const [at, call] of calls.entries())
    model.respond(new AIMessage({ content: '', tool_calls: [{ type: 'tool_call', id: `${at}`, ...call }] }))
  model.respond(new AIMessage('Done.')).respond(new AIMessage('Well.'))
  const saver = new MemorySaver()
  const say = (content: string) =>
    createAgent({
      ...{ model, tools: [sh, ...langchainTools(memory)], checkpointer: saver },
      middleware: [elfmemMiddleware(memory, { learn: 'implicit', ...options })],
    }).invoke({ messages: [new HumanMessage(content)] }, { configurable: { thread_id: 't' } })
  await say('Deploy to staging, please.')
  await say(next)
  const { outcomes, block } = await memory.show({ blockId: staging })
  const { operations } = await memory.history({ operation: 'settle' })
  return { outcomes, block, operations }
}

test('a check that failed and passed after a number of a block was used counts for the block', async () => {
  failing.add('npm test')
  const steps = [command('npm test'), command('ship --port 4210'), command('npm test')]
  const { outcomes, operations } = await taught(steps, 'Thanks.')
  expect(outcomes).toMatchObject([{ source: 'implicit: check' }])
  expect(operations).toMatchObject([{ actor: expect.stringContaining('library:langchain') }])
})

test('a correction that names the number counts as misled', async () => {
  const { outcomes, block } = await taught([command('curl localhost:4210')], 'No, 4210 is the old port.')
  expect(outcomes).toMatchObject([{ source: 'implicit: correction' }])
  expect(block.confidence).toBeLessThan(0.5)
})

test('calls of the memory itself teach nothing, and nothing is learned unless the program asks for it', async () => {
  failing.add('npm test')
  const own = { name: 'memory_remember', args: { content: 'The console is at 4210 as well.' } }
  expect((await taught([command('npm test'), own, command('npm test')], 'Thanks.')).outcomes).toEqual([])
  failing.add('npm test')
  const used = [command('npm test'), command('ship --port 4210'), command('npm test')]
  const off = await taught(used, 'No, 4210 is wrong.', { learn: 'off' })
  expect([off.outcomes, off.operations]).toEqual([[], []])
})
