// Memory in a program of the AI SDK. A scripted model stands in the place of a provider, so that it runs without a key.
import { generateText, stepCountIs, wrapLanguageModel } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { openMemory } from 'elfmem'
import { memoryTools, withMemory } from 'elfmem/ai-sdk'

const memory = await openMemory('ai-sdk.db')
await memory.remember({ content: 'Staging listens on port 4210.', cue: 'deploying to staging' })
await memory.remember({ content: 'Answers to Nadia should be brief.', tags: ['self/style'] })
await memory.dream()

type Result = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>
const usage: Result['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const says = (text: string): Result => ({
  content: [{ type: 'text', text }],
  finishReason: { unified: 'stop', raw: undefined },
  ...{ usage, warnings: [] },
})
const calls = (toolName: string, input: object): Result => ({
  content: [{ type: 'tool-call', toolCallId: toolName, toolName, input: JSON.stringify(input) }],
  finishReason: { unified: 'tool-calls', raw: undefined },
  ...{ usage, warnings: [] },
})
const provider = new MockLanguageModelV4({
  doGenerate: [
    says('4210.'),
    calls('memory_remember', { content: 'The release script is scripts/ship.sh.' }),
    says('Noted.'),
  ],
})

// These two lines are all a program adds.
const model = wrapLanguageModel({ model: provider, middleware: withMemory(memory, { conversation: 'c-1' }) })
const tools = memoryTools(memory)

const messages: Parameters<typeof generateText>[0]['messages'] = []
for (const asked of ['Which port does staging use?', 'Remember that we release with scripts/ship.sh.']) {
  messages.push({ role: 'user', content: asked })
  const result = await generateText({ model, tools, messages, stopWhen: stepCountIs(5) })
  messages.push(...result.responseMessages)
  console.log(`${asked} ${result.text}`)
}

const [first] = provider.doGenerateCalls
for (const { role, content } of first?.prompt ?? [])
  console.log(`${role}: ${(typeof content === 'string' ? content : JSON.stringify(content, null, 1)).trim()}`)
console.log((await memory.recall({ query: 'How do we release?' })).text)
await memory.close()
