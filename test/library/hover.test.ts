import { afterAll, beforeAll, expect, test } from 'vitest'
import { Editor } from './editor.ts'

const FILE = 'test/library/consumer.ts'

/** What a program writes; each place that is looked at is marked by `«name»`. */
const MARKED = `
import { ElfmemError, type «RecallResult», «openMemory» } from '../../src/index.ts'

const memory = await openMemory('agent.db')
await memory.«remember»({ content: 'Tea is at four.', «supersedes»: '3f2a9c1e' })
await memory.«rememberMany»({ blocks: [{ content: 'Tea is at four.', «cue»: 'before tea' }] })
const found: RecallResult = await memory.«recall»({ «query»: 'tea', «topK»: 3, «minStrength»: 0.2 })
found.«text»
found.«blockIds»
found.«dropped»
for (const block of found.«blocks») [block.«content», block.«confidence», block.«occurredAt»]
for (const edge of found.«evictedEdges») edge.«weight»
const { «skipped» } = await memory.«outcome»({ «helped»: found.blockIds })
for (const each of skipped) each.«reason»
const many = await memory.«connects»({ edges: [{ «source»: '3f2a9c1e', target: 'b7d041aa' }] })
for (const each of many.«errors») each.«recovery»
await memory.«export»({ «path»: 'all.jsonl' })
const { autoDream } = await memory.«status»()
await memory.«dream»({}, { «signal»: AbortSignal.timeout(1_000) })
await memory.«close»()
export { autoDream, ElfmemError }
`

const editor = new Editor()

/** The names in the order of the text, and where they stand in it without marks. */
const places = MARKED.split('\n').flatMap((line, at) => {
  let marks = 0
  return [...line.matchAll(/«(\w+)»/g)].map((match) => {
    const character = match.index - marks
    marks += 2
    return { name: match[1]!, position: { line: at, character } }
  })
})

beforeAll(async () => {
  await editor.begin()
  editor.open(FILE, MARKED.replaceAll(/[«»]/g, ''))
}, 60_000)

afterAll(() => editor.close())

/** What is said over a place, without the code and the separate lines of the types. */
async function wordsOver(position: (typeof places)[number]['position']): Promise<string> {
  const shown = await editor.hover(FILE, position)
  return shown.replace(/^```typescript\n[\s\S]*?```/, '').trim()
}

test('the editor says something over each of these names', async () => {
  expect(places.length).toBeGreaterThanOrEqual(20)
  const silent: string[] = []
  for (const { name, position } of places) if ((await wordsOver(position)) === '') silent.push(name)
  expect(silent).toEqual([])
}, 60_000)

test('over a method stand its types by name, what it does, what it throws, its cost and a call', async () => {
  const { position } = places.find(({ name }) => name === 'recall')!
  const shown = await editor.hover(FILE, position)
  expect(shown).toContain('recall(input?: RecallInput, context?: CallContext): Promise<RecallResult>')
  for (const part of [
    'Find what bears on a question',
    '**Cost:**',
    '@throws',
    '@example',
    'await memory.recall({',
  ])
    expect(shown).toContain(part)
}, 60_000)
