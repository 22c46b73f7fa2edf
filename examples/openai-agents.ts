// A conversation that is kept, and what bears on each message of it. `node openai-agents.ts`
import { Agent, run, setTracingDisabled } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { openMemory } from 'elfmem'
import { agentTools, ElfmemSession, recallInput } from 'elfmem/openai-agents'

setTracingDisabled(true)
const memory = await openMemory('agent.db')

// Stands for a model of a provider: it says these things one after the other.
const model = new ScriptedModel([
  [functionCall('memory_remember', { content: 'Staging listens on port 4210.' }, { callId: 'call-1' })],
  [assistantMessage('I noted it.')],
  [assistantMessage('On port 4210.')],
])
const agent = new Agent({ name: 'helper', instructions: 'You help.', model, tools: agentTools(memory) })

async function ask(sessionId: string, question: string): Promise<void> {
  const session = new ElfmemSession(memory, { sessionId })
  const { finalOutput } = await run(agent, question, { session, sessionInputCallback: recallInput(memory) })
  console.log('answer:', finalOutput, '- items kept:', (await session.getItems()).length)
}
await ask('monday', 'Staging moved to port 4210. Please remember that.')

// Another conversation knows nothing of the first one, but for what was remembered.
await ask('tuesday', 'Which port does staging listen on?')
const input = model.calls.at(-1)?.request.input
console.log('the model read:', JSON.stringify(input, undefined, 2))
await memory.close()
