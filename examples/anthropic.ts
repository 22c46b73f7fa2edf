// The files of Claude's memory tool in a memory. A scripted API stands in the place of Claude, so that it runs without a key.
import Anthropic from '@anthropic-ai/sdk'
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory'
import { openMemory } from 'elfmem'
import { memoryFiles } from 'elfmem/anthropic'

const script = [
  { command: 'view', path: '/memories' },
  { command: 'create', path: '/memories/ops.md', file_text: '# Ops\n\n- Staging listens on port 4210.\n' },
  { command: 'str_replace', path: '/memories/ops.md', old_str: '4210', new_str: '4211' },
  { command: 'view', path: '/memories/elfmem/search/which port does staging use.md' },
]
let call = 0
const client = new Anthropic({
  apiKey: 'none',
  fetch: async (_url, request) => {
    const { messages } = JSON.parse(String(request?.body))
    const results = messages.at(-1)?.content
    if (Array.isArray(results)) console.log(`${results[0].content}\n`)
    const input = script[call++]
    const content = input
      ? [{ type: 'tool_use', id: `call-${call}`, name: 'memory', input }]
      : [{ type: 'text', text: 'Noted.' }]
    const stop_reason = input ? 'tool_use' : 'end_turn'
    const usage = { input_tokens: 1, output_tokens: 1 }
    return Response.json({
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content,
      stop_reason,
      usage,
    })
  },
})

const memory = await openMemory('anthropic.db')
await client.beta.messages.toolRunner({
  tools: [betaMemoryTool(memoryFiles(memory))],
  model: 'scripted',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Staging moved to port 4211.' }],
})
console.log((await memory.recall({ query: 'Where do I reach the test environment?' })).text)
await memory.close()
