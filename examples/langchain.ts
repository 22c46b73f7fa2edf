// An agent that remembers by tools and is shown what bears on each message. `node langchain.ts`
import { fakeModel } from '@langchain/core/testing'
import { MemorySaver } from '@langchain/langgraph'
import { openMemory } from 'elfmem'
import { elfmemMiddleware, langchainTools } from 'elfmem/langchain'
import { AIMessage, createAgent } from 'langchain'

const memory = await openMemory('agent.db')

// Stands for a model of a provider: it says these things one after the other.
const remember = { name: 'memory_remember', args: { content: 'Staging listens on port 4210.' }, id: 'call-1' }
const model = fakeModel()
  .respond(new AIMessage({ content: '', tool_calls: [{ type: 'tool_call', ...remember }] }))
  .respond(new AIMessage('I noted it.'))
  .respond(new AIMessage('On port 4210.'))

const agent = createAgent({
  model,
  tools: langchainTools(memory),
  systemPrompt: 'You help with deployments.',
  middleware: [elfmemMiddleware(memory)],
  checkpointer: new MemorySaver(),
})

async function ask(thread: string, content: string): Promise<void> {
  const messages = [{ role: 'user', content }]
  const answer = await agent.invoke({ messages }, { configurable: { thread_id: thread } })
  console.log('answer:', answer.messages.at(-1)?.text)
}
await ask('monday', 'Staging moved to port 4210. Please remember that.')

// Another thread knows nothing of the first one, but for what was remembered.
await ask('tuesday', 'Which port does staging listen on?')
const asked = model.calls.at(-1)?.messages.at(-1)
console.log('the model read:')
console.log(asked?.text)
await memory.close()
