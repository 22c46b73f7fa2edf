// A language model judges what a dream takes in: any endpoint that speaks OpenAI's protocol, here Ollama unless told.
// `LLM_BASE_URL=http://localhost:1234/v1 LLM_MODEL=qwen3-8b node model.ts`
import { openMemory } from 'elfmem'

const { LLM_BASE_URL = 'http://localhost:11434/v1', LLM_MODEL = 'llama3.2' } = process.env

const memory = await openMemory('agent.db', {
  config: { llm: { baseUrl: LLM_BASE_URL, model: LLM_MODEL } },
})

const { blockId } = await memory.remember({ content: 'I check a backup before I delete anything.' })
const { summary } = await memory.dream()
console.log(summary)

// What the model said is guidance: it changes no content. A model that failed changes nothing, and the status says so.
const { block } = await memory.show({ blockId })
console.log('tags:', block.tags.join(', ') || 'none')
console.log('fits who the agent is:', block.alignment ?? 'not judged')

const { health, judge, tokens } = await memory.status()
console.log(`${health}, judged by ${judge.model}, ${tokens.today} tokens today`)

await memory.close()
