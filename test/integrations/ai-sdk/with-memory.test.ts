import type { LanguageModelMiddleware as Middleware7 } from 'ai'
import type { LanguageModelMiddleware as Middleware6 } from 'ai-6'
import { describe, expect, test } from 'vitest'
import type { Memory } from '../../../src/engine/memory.ts'
import { memoryTools, type WithMemoryOptions, withMemory } from '../../../src/integrations/ai-sdk/index.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { prefixBreak } from '../../helpers/prefix-break.ts'
import { type Scripted, SDKS, type Sdk, type Sent, type Step } from './sdks.ts'

/** The texts behind each message of the user in a prompt. */
const framesOf = (prompt: readonly Sent[] = []): string[] =>
  prompt
    .filter(({ role }) => role === 'user')
    .map(({ content }) =>
      (content as readonly Readonly<Record<string, unknown>>[])
        .slice(1)
        .map(({ text }) => String(text))
        .join(''),
    )

const user = (content: string) => ({ role: 'user', content })

const TURNS: readonly { readonly asked: string; readonly steps: readonly Step[] }[] = [
  { asked: 'Which port does staging use?', steps: [{ say: 'It is 4210.' }] },
  {
    asked: 'When do releases go out?',
    steps: [
      { call: 'memory_recall', input: { query: 'releases' } },
      { call: 'memory_recall', input: { query: 'Tuesdays' } },
      { say: 'On Tuesdays.' },
    ],
  },
  { asked: 'Who has the key of the harbour?', steps: [{ say: 'Nadia.' }] },
  { asked: 'And which port now?', steps: [{ say: '4211.' }] },
]

/** Plays a conversation in which the memory learns between turns, with a middleware made for each turn. */
async function play(
  sdk: Sdk,
  way: 'generate' | 'stream',
  memory: Memory,
  optionsOf: (turn: number) => WithMemoryOptions,
): Promise<Scripted> {
  const scripted = sdk.scripted(...TURNS.flatMap(({ steps }) => steps))
  const messages: object[] = []
  for (const [turn, { asked }] of TURNS.entries()) {
    messages.push(user(asked))
    const model = sdk.wrapped(scripted.model, withMemory(memory, optionsOf(turn)))
    const ran = await sdk[way]({ model, system: 'You help.', messages, tools: memoryTools(memory) })
    messages.push(...ran.messages)
    await memory.remember({ content: `Staging moved to port ${4211 + turn} on day ${turn}.` })
    await memory.remember({ content: `I like tea of kind ${turn}.`, tags: ['self/style'] })
    await memory.dream()
  }
  return scripted
}

async function learnt(): Promise<Memory> {
  const { memory, learn } = await openTestMemory()
  await memory.remember({ content: 'Answers to Nadia are brief.', tags: ['self/style'] })
  await learn(
    'Staging listens on port 4210.',
    'Releases go out on Tuesdays.',
    'Nadia keeps the key of the harbour.',
  )
  return memory
}

test('withMemory fits the types of both versions', async () => {
  const { memory } = await openTestMemory()
  const middleware = withMemory(memory, { conversation: 'c' })
  const [of7, of6]: [Middleware7, Middleware6] = [middleware, middleware]
  expect(of7).toBe(of6)
})

describe.each(SDKS)('with $name', (sdk) => {
  test.each(['generate', 'stream'] as const)(
    '%s sends each prompt with the one before as its prefix, but for a dropped frame',
    async (way) => {
      const scripted = await play(sdk, way, await learnt(), () => ({ conversation: 'c' }))
      const prompts = scripted.prompts()
      expect(prompts).toHaveLength(6)
      const breaks = prompts.slice(1).map((prompt, at) => prefixBreak(prompts[at] ?? [], prompt))
      const dropped = (at: number) => ({ at, isDroppedFrame: true })
      // Turn one had one call; turn two had three, and keeps its frame; turn three had one again.
      expect(breaks).toEqual([dropped(1), undefined, undefined, undefined, dropped(9)])
      expect(framesOf(prompts[0])[0]).toContain('port 4210')
      expect(framesOf(prompts[5]).map((text) => text !== '')).toEqual([false, true, false, true])
      expect(String(prompts[5]?.[0]?.content)).toMatch(/^You help\.\n\n<memory ids=".*brief\..*<\/memory>$/s)
    },
  )

  test('a model is called without a memory that fails, and onError hears why', async () => {
    const memory = await learnt()
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    const { model } = sdk.scripted({ say: 'Two.' })
    const wrapped = sdk.wrapped(model, withMemory(memory, { conversation: 'c', remember: 'both', onError }))
    await memory.close()
    const ran = await sdk.stream({ model: wrapped, messages: [user('When do releases go out?')] })
    expect(ran.text).toBe('Two.')
    expect(errors.length).toBeGreaterThan(0)
    for (const error of errors) expect(error).toMatchObject({ code: 'CLOSED' })
  })
})

describe.each(SDKS)('remembering with $name', (sdk) => {
  const turns = async (memory: Memory) =>
    (await memory.ls({ category: 'turn', status: 'inbox' })).blocks
      .map(({ content, sourceClass, session }) => `${sourceClass} ${session}: ${content}`)
      .sort()

  test.each(['generate', 'stream'] as const)(
    '%s remembers nothing unless told, then each turn once',
    async (way) => {
      const { memory } = await openTestMemory()
      const say = async (remember: WithMemoryOptions['remember'], conversation: string) => {
        const scripted = sdk.scripted(
          { call: 'memory_recall', input: { query: 'tea' }, say: 'I look.' },
          { say: `At four, ${conversation}.` },
          { say: `At five, ${conversation}.` },
        )
        const options = { conversation, ...(remember === undefined ? {} : { remember }) }
        const model = sdk.wrapped(scripted.model, withMemory(memory, options))
        const messages: object[] = [user(`When is tea, ${conversation}?`)]
        const ran = await sdk[way]({ model, messages, tools: memoryTools(memory) })
        await sdk[way]({
          model,
          messages: [...messages, ...ran.messages, user(`And then, ${conversation}?`)],
        })
      }
      await say(undefined, 'a')
      expect(await turns(memory)).toEqual([])
      await say('user', 'b')
      await say('both', 'c')
      expect(await turns(memory)).toEqual([
        'document b: And then, b?',
        'document b: When is tea, b?',
        'document c: And then, c?',
        'document c: When is tea, c?',
        'model c: At five, c.',
        'model c: At four, c.',
      ])
    },
  )

  test('a message that says something for good is kept once and told, in a loop of tools too, unless capture is off', async () => {
    const { memory } = await openTestMemory()
    const told: string[] = []
    const say = async (conversation: string, options: Omit<WithMemoryOptions, 'conversation'>) => {
      const scripted = sdk.scripted({ call: 'memory_recall', input: { query: 'tea' } }, { say: 'Noted.' })
      const model = sdk.wrapped(scripted.model, withMemory(memory, { conversation, ...options }))
      const messages = [user(`Fix the test. From now on answer in ${conversation}.`)]
      await sdk.generate({ model, messages, tools: memoryTools(memory) })
    }
    await say('French', { capture: false })
    await say('Dutch', {})
    await say('German', { trustUser: true, capture: ({ line }) => void told.push(line) })
    const { blocks } = await memory.inbox({})
    expect(blocks.map(({ content, sourceClass, category }) => [content, sourceClass, category])).toEqual([
      ['From now on answer in Dutch.', 'document', 'instruction'],
      ['From now on answer in German.', 'user', 'instruction'],
    ])
    expect(told).toEqual([expect.stringContaining('answer in German')])
  })

  test('trustUser needs the owner, and a conversation a name of 1 to 128 characters', async () => {
    const { memory } = await openTestMemory()
    const scripted = sdk.scripted({ say: 'Hello.' })
    const options = { conversation: 'c', remember: 'user', trustUser: true } as const
    const model = sdk.wrapped(scripted.model, withMemory(memory, options))
    await sdk.generate({ model, messages: [user('I am Ana.')] })
    expect(await turns(memory)).toEqual(['user c: I am Ana.'])
    const agent = await openTestMemory({ as: 'agent' })
    expect(() => withMemory(agent.memory, options)).toThrow(/owner/)
    for (const conversation of ['', 'a\u001fb', '\ud800', 'x'.repeat(129), undefined])
      expect(() => withMemory(memory, { conversation: conversation as string })).toThrow(/1 to 128/)
  })
})
