// Memory in an agent of the Claude Agent SDK, and what the agent did teaches it. `node claude-agent.ts`
// The SDK calls the hooks itself: query({ prompt, options: { hooks: agentHooks(memory) } }). Here a short session plays its part.
import { openMemory } from 'elfmem'
import { agentHooks } from 'elfmem/claude-agent'

const memory = await openMemory('agent.db')
await memory.remember({ content: 'Staging listens on port 4210.' })
await memory.dream()

const hooks = agentHooks(memory, { budgetMs: 5_000 })
const happens = async (event: keyof typeof hooks, input: object): Promise<void> => {
  const [hook] = hooks[event][0]?.hooks ?? []
  const answer = await hook?.({ hook_event_name: event, session_id: 's1', ...input })
  if (Object.keys(answer ?? {}).length > 0) console.log(JSON.stringify(answer))
}
const bash = (command: string) => ({ tool_name: 'Bash', tool_input: { command } })

await happens('UserPromptSubmit', { prompt: 'Which port does staging listen on? Then check it.' })
await happens('PostToolUseFailure', { ...bash('npm run check'), error: 'Exit code 1' })
await happens('PostToolUse', bash('scripts/ship.sh --port 4210'))
await happens('PostToolUse', bash('npm run check'))
await happens('Stop', { last_assistant_message: 'It works.' })

const { operations } = await memory.history({ operation: 'settle' })
console.log('learned:', operations.map(({ reason }) => reason).join(', '))
await memory.close()
