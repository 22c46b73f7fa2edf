import { fakeModel } from '@langchain/core/testing'
import { tool } from '@langchain/core/tools'
import { MemorySaver } from '@langchain/langgraph'
import { AIMessage, createAgent, HumanMessage } from 'langchain'
import { expect, test } from 'vitest'
import { elfmemMiddleware } from '../../../src/integrations/langchain/index.ts'
import { openTestMemory } from '../../helpers/memory.ts'

const sh = tool(async () => 'exit 0', {
  ...{ name: 'sh', description: 'Runs a command.' },
  schema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
})

test('a correction of the user is evidence against the block that an agent used', async () => {
  const { memory, learn } = await openTestMemory()
  const [staging = ''] = await learn('Staging listens on port 4210.')
  const call = { type: 'tool_call', id: '1', name: 'sh', args: { command: 'curl localhost:4210' } } as const
  const model = fakeModel()
    .respond(new AIMessage({ content: '', tool_calls: [call] }))
    .respond(new AIMessage('Done.'))
    .respond(new AIMessage('Well.'))
  const agent = createAgent({
    ...{ model, tools: [sh], checkpointer: new MemorySaver() },
    middleware: [elfmemMiddleware(memory, { learn: 'implicit' })],
  })
  for (const content of ['Deploy to staging, please.', 'No, 4210 is the old port.'])
    await agent.invoke({ messages: [new HumanMessage(content)] }, { configurable: { thread_id: 't' } })
  const { outcomes, block } = await memory.show({ blockId: staging })
  expect(outcomes).toMatchObject([{ source: 'implicit: correction' }])
  expect(block.confidence).toBeLessThan(0.5)
})
