import { anthropic } from '@ai-sdk/anthropic'
import Anthropic from '@anthropic-ai/sdk'
import { betaMemoryTool, type MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory'
import { expect, test } from 'vitest'
import type { Memory } from '../../../src/engine/memory.ts'
import { holdsFence } from '../../../src/frames/index.ts'
import { memoryFiles } from '../../../src/integrations/anthropic/index.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { SDKS } from '../ai-sdk/sdks.ts'

const OPS = '# Ops\n\n- Staging listens on port 4210.\n- The release script is scripts/ship.sh.\n'

const messageOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'not refused',
    (error: unknown) => (error as Error).message,
  )
const waiting = async (memory: Memory) => (await memory.ls({ status: 'inbox' })).blocks

test('the runner of the SDK plays a model through memoryFiles', async () => {
  const { memory } = await openTestMemory()
  const handlers: MemoryToolHandlers = memoryFiles(memory)
  const use = (id: string, input: object) => [{ type: 'tool_use', id, name: 'memory', input }]
  const script: object[][] = [
    use('t1', { command: 'view', path: '/memories' }),
    use('t2', { command: 'create', path: '/memories/ops.md', file_text: OPS }),
    use('t3', { command: 'str_replace', path: '/memories/ops.md', old_str: '4210', new_str: '4211' }),
    use('t4', { command: 'view', path: '/memories/none' }),
    [{ type: 'text', text: 'Noted.' }],
  ]
  const sent: { readonly messages: readonly { readonly content: unknown }[]; readonly tools: object[] }[] = []
  const client = new Anthropic({
    apiKey: 'none',
    fetch: async (_url, init) => {
      sent.push(JSON.parse(String(init?.body)))
      const content = script[sent.length - 1]
      const stop_reason = sent.length === script.length ? 'end_turn' : 'tool_use'
      const usage = { input_tokens: 1, output_tokens: 1 }
      const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content, stop_reason, usage }
      return new Response(JSON.stringify(message), { headers: { 'content-type': 'application/json' } })
    },
  })
  const final = await client.beta.messages.toolRunner({
    ...{ model: 'm', max_tokens: 99, messages: [{ role: 'user', content: 'Go.' }] },
    tools: [betaMemoryTool(handlers)],
  })
  expect(final.content).toEqual([{ type: 'text', text: 'Noted.' }])
  expect(sent[0]?.tools).toEqual([{ type: 'memory_20250818', name: 'memory' }])
  const results = sent.slice(1).map(({ messages }) => JSON.stringify(messages.at(-1)?.content))
  expect(results[0]).toContain('/memories/elfmem/self.md')
  expect(results[1]).toContain('File created successfully at: /memories/ops.md')
  expect(results[2]).toContain('     3\\t- Staging listens on port 4211.')
  expect(results[3]).toContain('"is_error":true')
  expect(results[3]).toContain('The path /memories/none does not exist.')
  const { blocks } = await memory.recall({ query: 'Which port does staging use?' })
  expect(blocks[0]).toMatchObject({ source: '/memories/ops.md', sourceClass: 'agent' })
  expect(blocks[0]?.content).toContain('4211')
})

test('recall finds what a file says as long as it says so, and undo brings it back', async () => {
  const { memory } = await openTestMemory()
  const files = memoryFiles(memory)
  await files.create({ path: '/memories/a.md', file_text: OPS })
  await files.rename({ old_path: '/memories/a.md', new_path: '/memories/work/ops.md' })
  expect((await waiting(memory)).some(({ content }) => content.includes('4210'))).toBe(true)
  await files.str_replace({ path: '/memories/work/ops.md', old_str: '4210', new_str: '9' })
  expect((await waiting(memory)).some(({ content }) => content.includes('4210'))).toBe(false)
  await files.delete({ path: '/memories/work' })
  expect(await waiting(memory)).toEqual([])
  await memory.undo()
  expect(await files.view({ path: '/memories/work/ops.md' })).toContain('port 9')
})

test('insert by two processes at once loses no line, and create succeeds once', async () => {
  const { memory, path } = await openTestMemory()
  const other = await openTestMemory({ path })
  await memoryFiles(memory).create({ path: '/memories/a.md', file_text: '' })
  const add = (files: ReturnType<typeof memoryFiles>, line: string) =>
    files.insert({ path: '/memories/a.md', insert_line: 0, insert_text: line })
  await Promise.all(
    Array.from({ length: 6 }, (_, at) => [
      add(memoryFiles(memory), `here ${at}`),
      add(memoryFiles(other.memory), `there ${at}`),
    ]).flat(),
  )
  const text = await memoryFiles(memory).view({ path: '/memories/a.md' })
  expect(text.match(/(here|there) \d/g)).toHaveLength(12)
  const created = await Promise.allSettled(
    [1, 2].map((n) => memoryFiles(memory).create({ path: '/memories/b.md', file_text: `${n}` })),
  )
  expect(created.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('view shows the self frame and a recall as files, which take no writes', async () => {
  const { memory, learn } = await openTestMemory()
  await memory.remember({ content: 'Answers to Nadia are brief.', tags: ['self/style'] })
  await learn('Staging listens on port 4210.')
  const files = memoryFiles(memory)
  expect(await files.view({ path: '/memories' })).toMatch(/\/elfmem\/search\/\n.*\/elfmem\/self\.md$/)
  const self = await files.view({ path: '/memories/elfmem/self.md' })
  expect(self).toContain('Answers to Nadia are brief.')
  const found = await files.view({ path: '/memories/elfmem/search/which-port does/staging use.md' })
  expect(found).toMatch(/^ {5}1\t<memory ids="/m)
  expect(found).toContain('Staging listens on port 4210.')
  expect(holdsFence(found)).toBe(true)
  for (const path of ['/memories/elfmem/self.md', '/memories/elfmem/mine.md', '/memories/x/../elfmem/y.md'])
    expect(await messageOf(files.create({ path, file_text: 'x' }))).toContain('read-only')
  const message = await messageOf(files.view({ path: '/memories/elfmem/search/none' }))
  expect(message).toContain('does not exist')
  const plain = memoryFiles(memory, { virtual: false })
  expect(await plain.view({ path: '/memories' })).not.toContain('elfmem')
})

test('readOnly files and those of a reader are viewed and not written', async () => {
  const { memory, path } = await openTestMemory()
  await memoryFiles(memory).create({ path: '/memories/a.md', file_text: 'one' })
  const files = memoryFiles(memory, { readOnly: true })
  expect(await files.view({ path: '/memories/a.md' })).toContain('\tone')
  expect(await messageOf(files.delete({ path: '/memories/a.md' }))).toContain('read-only')
  const reader = await openTestMemory({ path, as: 'reader' })
  const message = await messageOf(memoryFiles(reader.memory).delete({ path: '/memories/a.md' }))
  expect(message).toMatch(/^OWNER_ONLY: /)
  expect(await memoryFiles(reader.memory).view({ path: '/memories/a.md' })).toContain('\tone')
})

test('create refuses hostile paths and wrong arguments', async () => {
  const { memory } = await openTestMemory()
  const files = memoryFiles(memory)
  const hostile = [
    ...['/memories/../../../etc/passwd', '/memories/..', '/memories/a/../../..', '/etc/passwd', '', '/'],
    ...['/memories/a\u0000b', '/memories/a\u001fb', '/memories/\ud800', `/memories/${'x'.repeat(600)}`],
    ...['/memories/\u0000/../../memories', 7, undefined, {}],
  ]
  for (const path of hostile)
    expect(await messageOf(files.create({ path: path as string, file_text: 'x' }))).toMatch(/^(A p|P)ath /)
  const missing = files.create({ path: '/memories/a', file_text: undefined as never })
  expect(await messageOf(missing)).toContain('`file_text` is missing')
})

test('create refuses more than a megabyte', async () => {
  const { memory } = await openTestMemory()
  const create = memoryFiles(memory).create({ path: '/memories/a.md', file_text: 'x'.repeat(1_048_577) })
  expect(await messageOf(create)).toMatch(/^LIMIT_EXCEEDED: .*at most 1048576/)
})

test('create takes secrets out and tells the model', async () => {
  const { memory } = await openTestMemory()
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  const said = await memoryFiles(memory).create({ path: '/memories/a.md', file_text: `token: ${secret}\n` })
  expect(said).toMatch(/^File created successfully at: \/memories\/a\.md\n.*not kept/)
  expect(await memoryFiles(memory).view({ path: '/memories/a.md' })).not.toContain(secret)
  const strict = await openTestMemory({ settings: { memory: { secrets: 'refuse' } } })
  const create = memoryFiles(strict.memory).create({ path: '/memories/a.md', file_text: secret })
  expect(await messageOf(create)).toMatch(/^SECRET_REFUSED: /)
})

test.each(SDKS)('the memory tool of $name plays a model through memoryFiles', async (sdk) => {
  const { memory } = await openTestMemory()
  const files = memoryFiles(memory) as unknown as Readonly<
    Record<string, (action: object) => Promise<string>>
  >
  const tool = anthropic.tools.memory_20250818({ execute: async (action) => files[action.command]?.(action) })
  const { model, prompts } = sdk.scripted(
    { call: 'memory', input: { command: 'create', path: '/memories/a.md', file_text: 'Tea is at four.\n' } },
    {
      call: 'memory',
      input: { command: 'insert', path: '/memories/a.md', insert_line: 0, insert_text: 'Tea:' },
    },
    { call: 'memory', input: { command: 'view', path: '/memories/b.md' } },
    { say: 'Noted.' },
  )
  await sdk.generate({ model, tools: { memory: tool }, prompt: 'Go.' })
  const read = prompts().map((prompt) => JSON.stringify(prompt.at(-1)))
  expect(read[1]).toContain('File created successfully at: /memories/a.md')
  expect(read[3]).toMatch(/error-text.*does not exist/)
  expect(await memoryFiles(memory).view({ path: '/memories/a.md' })).toContain(
    '     1\tTea:\n     2\tTea is at four.',
  )
})
