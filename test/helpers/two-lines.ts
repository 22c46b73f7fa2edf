import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')

/**
 * A program of the AI SDK with the two lines of README, and a scripted model that remembers something and answers. It prints the answer,
 * the first prompt, and a recall of what the model remembered.
 *
 * @param from the modules that it imports of elfmem
 */
export function twoLinesProgram(from: Readonly<Record<'root' | 'aiSdk', string>>): string {
  const blocks = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code.trim())
  const [lines = '', ...more] = blocks.filter((code) => code.includes('withMemory('))
  if (lines.split('\n').length !== 2 || more.length > 0) throw new Error('README has no two lines')
  return [
    `import { openMemory } from '${from.root}'`,
    `import { memoryTools, withMemory } from '${from.aiSdk}'`,
    "import { generateText, stepCountIs, wrapLanguageModel } from 'ai'",
    "import { MockLanguageModelV4 } from 'ai/test'",
    'const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }',
    'const step = (part, unified) => ({ content: [part], finishReason: { unified }, usage, warnings: [] })',
    'const input = JSON.stringify({ content: "Releases go out on Tuesdays." })',
    "const call = { type: 'tool-call', toolCallId: 'c', toolName: 'memory_remember', input }",
    "const said = { type: 'text', text: 'It is 4210.' }",
    "const provider = new MockLanguageModelV4({ doGenerate: [step(call, 'tool-calls'), step(said, 'stop')] })",
    "const prompt = 'Which port does staging use?'",
    "const memory = await openMemory('two-lines.db')",
    "await memory.remember({ content: 'Staging listens on port 4210.' })",
    lines,
    'console.log(text, JSON.stringify(provider.doGenerateCalls[0].prompt))',
    "console.log((await memory.recall({ query: 'releases' })).text)",
    'await memory.close()',
  ].join('\n')
}
