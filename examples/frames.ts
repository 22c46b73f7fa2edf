// Memory in a conversation whose prompts stay in the provider's cache. `node frames.ts`
import { openMemory } from 'elfmem'
import { conversationFrames, framesInItems, messageKey } from 'elfmem/frames'

const memory = await openMemory('agent.db')
await memory.rememberMany({
  blocks: [{ content: 'Staging listens on port 4210.' }, { content: 'Releases go out on Tuesdays.' }],
})
await memory.dream()

const frames = conversationFrames(memory, { conversation: 'c-17', frames: framesInItems(memory) })
const talk: { role: string; text: string }[] = []
let before: string[] = []

/** One call of a model, which here only looks at its prompt. */
async function call(): Promise<void> {
  const asked = talk.filter(({ role }) => role === 'user').map(({ text }) => text)
  const behind = await frames.behind(asked.map((text, at) => ({ key: messageKey(at, text), text })))
  const prompt = [`You help with deployments. ${await frames.self()}`]
  for (const { role, text } of talk) {
    prompt.push(text)
    const frame = role === 'user' ? behind.shift() : ''
    if (frame) prompt.push(frame)
  }
  const same = before.filter((part, at) => part === prompt[at]).length
  const found = prompt.filter((part) => part.startsWith('<memory')).length
  console.log(
    `${prompt.length} parts, ${found} framed,`,
    same < before.length ? `${same} of ${before.length} kept` : 'all of before kept',
  )
  before = prompt
}

// A message with a tool loop: its frame stays.
talk.push({ role: 'user', text: 'Which port does staging listen on?' })
await call()
talk.push({ role: 'tool', text: 'The port answers.' })
await call()

// What is learned meanwhile changes nothing of what was said.
await memory.remember({ content: 'Staging moved to port 4211.' })
talk.push({ role: 'assistant', text: 'On 4210.' }, { role: 'user', text: 'When do releases go out?' })
await call()

// A frame that is stored by mistake is known again.
const [item] = (await memory.items('frames').list({ limit: 1 })).items
const framed = before.find((part) => part.startsWith('<memory')) ?? ''
console.log(
  'stored again:',
  (await memory.remember({ content: framed })).status,
  '- kept frames:',
  item?.space,
)
await memory.close()
