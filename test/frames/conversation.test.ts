import { expect, test } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import {
  type ConversationFrames,
  conversationFrames,
  type Frames,
  framesInItems,
  framesInMemory,
  holdsFence,
  messageKey,
} from '../../src/frames/index.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { prefixBreak } from '../helpers/prefix-break.ts'

interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
}

const say = (role: Message['role'], ...texts: readonly string[]): Message => ({
  role,
  content: texts.filter((text) => text !== '').map((text) => ({ type: 'text', text })),
})

/** The prompt of a call as an adapter makes it of a conversation. */
async function promptOf(talk: readonly Message[], frames: ConversationFrames): Promise<Message[]> {
  const asked = talk.filter(({ role }) => role === 'user').map(({ content }) => content[0]?.text ?? '')
  const behind = await frames.behind(asked.map((text, at) => ({ key: messageKey(at, text), text })))
  const system = say('system', 'You help with deployments.', await frames.self())
  let nth = 0
  return [
    system,
    ...talk.map((each) => (each.role === 'user' ? say('user', asked[nth] ?? '', behind[nth++] ?? '') : each)),
  ]
}

const TURNS = [
  { asked: 'Which port does staging use?', calls: 1 },
  { asked: 'When do releases go out?', calls: 3 },
  { asked: 'Who has the key of the harbour?', calls: 1 },
  { asked: 'Which port does staging use now?', calls: 2 },
]

/** The prompts of all calls of a conversation in which the memory learns between turns. */
async function play(memory: Memory, framesOf: (turn: number) => ConversationFrames): Promise<Message[][]> {
  const prompts: Message[][] = []
  const talk: Message[] = []
  for (const [turn, { asked, calls }] of TURNS.entries()) {
    talk.push(say('user', asked))
    for (let call = 0; call < calls; call += 1) {
      prompts.push(await promptOf(talk, framesOf(turn)))
      if (call + 1 < calls) talk.push(say('assistant', `call tool ${call}`), say('tool', `result ${call}`))
    }
    talk.push(say('assistant', `Answer ${turn}.`))
    await memory.remember({ content: `Staging moved to port ${4300 + turn} in week ${turn}.` })
    await memory.dream()
  }
  return prompts
}

async function learned() {
  const opened = await openTestMemory()
  await opened.memory.setup({ identity: 'I look after the harbour.' })
  await opened.learn(
    'Staging listens on port 4210.',
    'Releases go out on Tuesdays.',
    'Ben has the key of the harbour.',
  )
  return opened
}

const STORES: readonly (readonly [string, (memory: Memory) => Frames, restarts: boolean])[] = [
  ['in memory', () => framesInMemory(), false],
  ['as items, with a process of its own for each turn', (memory) => framesInItems(memory), true],
]

test.each(STORES)('frames kept %s make each prompt a prefix of the next', async (_, open, restarts) => {
  const { memory } = await learned()
  const store = open(memory)
  const one = conversationFrames(memory, { conversation: 'c', frames: store })
  const again = () => conversationFrames(memory, { conversation: 'c', frames: open(memory) })
  const prompts = await play(memory, () => (restarts ? again() : one))
  const breaks = prompts.slice(1).map((now, at) => prefixBreak(prompts[at] as Message[], now))
  // After the first and the third turn, which had no tool loop, the frame behind their message goes.
  expect(breaks).toEqual([
    { at: 1, isDroppedFrame: true },
    undefined,
    undefined,
    undefined,
    { at: expect.any(Number), isDroppedFrame: true },
    undefined,
  ])
  const [first, ...later] = prompts.map((prompt) => JSON.stringify(prompt[0]))
  expect(first).toContain('I look after the harbour.')
  expect(new Set(later)).toEqual(new Set([first]))
  const withFrame = (prompt: readonly Message[] | undefined) =>
    prompt?.flatMap(({ role, content }) =>
      role === 'user' ? [content.some(({ text }) => holdsFence(text))] : [],
    )
  expect(withFrame(prompts[0])).toEqual([true])
  expect(withFrame(prompts.at(-1))).toEqual([false, true, false, true])
})

test('behind and self recall once for a message, however often they are called', async () => {
  const { memory } = await learned()
  const requests: unknown[] = []
  const counting = {
    recall: (request: never) => {
      requests.push(request)
      return memory.recall(request)
    },
  }
  const frames = conversationFrames(counting as never, { conversation: 'c', tokenBudget: 200 })
  const message = { key: 'm', text: 'Which port does staging use?' }
  const all = await Promise.all([frames.behind([message]), frames.behind([message])])
  await frames.behind([message])
  await Promise.all([frames.self(), frames.self()])
  expect(requests).toEqual([{ query: message.text, frame: 'attention', tokenBudget: 200 }, { frame: 'self' }])
  expect(all[0]).toEqual(all[1])
  expect((await frames.framed('m'))?.blocks.map(({ content }) => content)).toContain(
    'Staging listens on port 4210.',
  )
})

test('two conversations share no frame, and end forgets all', async () => {
  const { memory } = await learned()
  for (const store of [framesInMemory(), framesInItems(memory)]) {
    const [one, other] = ['one', 'other'].map((conversation) =>
      conversationFrames(memory, { conversation, frames: store }),
    )
    const message = { key: 'm', text: 'Which port does staging use?' }
    await one!.behind([message])
    expect(await other!.framed('m')).toBeUndefined()
    await one!.end()
    expect(await one!.framed('m')).toBeUndefined()
  }
  expect((await memory.items('frames').list()).items).toEqual([])
})

test.each(['redact', 'refuse'] as const)(
  'behind answers a question with a secret and keeps none (%s)',
  async (secrets) => {
    const { memory, learn } = await openTestMemory({ settings: { memory: { secrets } } })
    await learn('Staging listens on port 4210.')
    const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789'
    const frames = conversationFrames(memory, { conversation: 'c', frames: framesInItems(memory) })
    const message = { key: 'm', text: `Which port does staging use? My key is ${secret}` }
    const first = await frames.behind([message])
    expect(first[0]).toContain('4210')
    expect(await frames.behind([message])).toEqual(first)
    expect(JSON.stringify((await memory.items('frames').list()).items)).not.toContain(secret)
  },
)

test('behind leaves out what self shows until its words change', async () => {
  const { memory } = await learned()
  const { blockId } = await memory.remember({
    content: 'My answers about staging are brief.',
    tags: ['self/style'],
  })
  await memory.dream()
  const asked = (nth: number) => ({
    key: `${nth}`,
    text: 'On which port does staging listen, and how long are answers about staging?',
  })
  const alone = conversationFrames(memory, { conversation: 'without a self frame' })
  expect((await alone.behind([asked(0)]))[0]).toContain('answers about staging are brief')
  const frames = conversationFrames(memory, { conversation: 'c', frames: framesInItems(memory) })
  expect(await frames.self()).toContain('answers about staging are brief')
  expect((await frames.framed())?.blocks.map(({ id }) => id)).toContain(blockId)
  const first = (await frames.behind([asked(1)]))[0]
  expect(first).toContain('port 4210')
  expect(first).not.toContain('are brief')
  await memory.edit({ blockId, content: 'My answers about staging are long.' })
  expect((await frames.behind([asked(1), asked(2)]))[1]).toContain('are long')
})
