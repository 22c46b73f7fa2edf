import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import type { SettingsInput } from '../../src/config/settings.ts'
import { openMemory } from '../../src/memory.ts'
import { recall } from '../../src/operations/recall/recall.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'

const TEXT = 'The staging server of Atlas listens on port 4210 since the move in March'
const OTHER = 'The harbour ferry leaves at nine'

async function recalled(settings: SettingsInput = {}) {
  const opened = await openTestMemory({ settings })
  const [blockId = '', otherId = ''] = await opened.learn(TEXT, OTHER)
  const { text } = await opened.memory.recall({ query: `Which port? ${TEXT} ${OTHER}`, minStrength: 0 })
  expect(text).toContain(TEXT)
  expect(text).toContain(OTHER)
  return { ...opened, blockId, otherId, text }
}

test('what recall showed and an agent pastes back makes no copy, keeps the original fresh, and is counted', async () => {
  const { memory, clock, blockId, text } = await recalled()
  const before = (await memory.show({ blockId })).block
  clock.advance({ hours: 2 })
  const line = text.split('\n').find((each) => each.includes(TEXT)) ?? ''
  expect(line).not.toBe(TEXT)
  for (const said of [line, `${TEXT}.`, `Note: ${TEXT}`, `- ${TEXT}`])
    expect(await memory.remember({ content: said })).toMatchObject({
      status: 'duplicate',
      blockId,
      echoOf: blockId,
    })
  const after = (await memory.show({ blockId })).block
  expect(after.content).toBe(TEXT)
  expect(after.reinforcementCount).toBe(before.reinforcementCount + 4)
  expect(after.lastReinforcedAt).toBeGreaterThan(before.lastReinforcedAt)
  expect(await memory.status()).toMatchObject({ echoes: 4, inboxCount: 0, activeCount: 2 })
})

test('a whole frame, its entries alone, or with a lead-in before it makes no copy either', async () => {
  const { memory, text, blockId, otherId } = await recalled()
  const before = (await memory.show({ blockId: otherId })).block.reinforcementCount
  const pasted = [
    `${text}\n\nids: ${blockId.slice(0, 8)} ${otherId.slice(0, 8)}`,
    `Note: ${text}`,
    `Note:\n${text}`,
    `${TEXT}\n${OTHER}`,
    `- ${TEXT}\n\n- ${OTHER}`,
  ]
  for (const content of pasted)
    expect([blockId, otherId]).toContain((await memory.remember({ content })).echoOf)
  const { results } = await memory.rememberMany({ blocks: pasted.map((content) => ({ content })) })
  expect(results.map(({ status }) => status)).toEqual(pasted.map(() => 'duplicate'))
  expect(await memory.status()).toMatchObject({ echoes: 10, inboxCount: 0 })
  expect((await memory.show({ blockId: otherId })).block.reinforcementCount).toBe(before + 10)
})

test('a frame with a fact more is refused with the words that are new, or kept when asked', async () => {
  const { memory, text } = await recalled()
  const said = `${text}\nBen has the key of the harbour`
  const { code, message } = await refusal(memory.remember({ content: said }))
  expect(code).toBe('FRAME_IN_TEXT')
  const details = await memory.remember({ content: said }).catch((error) => error.details)
  expect(details).toEqual({ newWords: 'Ben has the key of the harbour' })
  expect(message).toContain('new words: Ben has the key of the harbour')
  const many = refusal(memory.rememberMany({ blocks: [{ content: 'Tea is at four' }, { content: said }] }))
  expect((await many).message).toContain('blocks[1]')
  expect((await memory.status()).inboxCount).toBe(0)
  expect((await memory.remember({ content: said, keepFrame: true })).status).toBe('created')
  await memory.dream()
  const shown = await memory.recall({ query: 'Who has the key of the harbour?' })
  expect(shown.text).toContain(`| ${text.split('\n')[0]}`)
  expect(shown.blocks.map(({ content }) => content)).toContain(said)
})

test.each([
  ['behind the last entry', (frame: string, fact: string) => `${frame.trimEnd()} ${fact}`],
  ['before the heading', (frame: string, fact: string) => `${fact} ${frame}`],
])('a fact %s, on the same line, is what is new beside a frame', async (_, joined) => {
  const { memory, text } = await recalled()
  const fact = 'Ben has the key of the harbour'
  const told = await memory
    .remember({ content: joined(text, fact) })
    .catch(({ code, details }) => ({ code, details }))
  expect(told).toEqual({ code: 'FRAME_IN_TEXT', details: { newWords: fact } })
})

test('each chunk of a document is judged alone, and a frame in it adds neither its entries nor its headings', async () => {
  const { memory, text, blockId, otherId } = await recalled()
  const before = await memory.learnDocument({ text: `# Keys\n\nBen has the key.\n\n${TEXT}`, source: 'a.md' })
  expect(before).toMatchObject({ chunksCreated: 1 })
  const mixed = await memory.learnDocument({
    text: `${text}\n\nBen has the other key.`,
    source: 'b.md',
  })
  expect(mixed).toMatchObject({ chunksTotal: 3, chunksCreated: 1, chunksDuplicate: 2 })
  expect(mixed.blockIds.slice(0, 2).toSorted()).toEqual([blockId, otherId].toSorted())
  expect((await memory.show({ blockId: mixed.blockIds[2]! })).block.content).toBe('Ben has the other key.')
  for (const pasted of [text, `> ${text.replaceAll('\n', '\n> ')}`, `\`\`\`\n${text}\n\`\`\``]) {
    const learnt = await memory.learnDocument({ text: pasted, source: 'c.md' })
    expect(learnt).toMatchObject({ chunksTotal: 2, chunksCreated: 0 })
  }
})

test.each([
  ['quote marks', (text: string) => text.replace(/^/gm, '> ')],
  ['indentation', (text: string) => text.replace(/^/gm, '  ')],
  ['JSON', (text: string) => JSON.stringify(text)],
  ['a fence', (text: string) => `\`\`\`markdown\n${text}\n\`\`\``],
  ['other numbers', (text: string) => text.replace(/\[(\d)\]/g, '[7$1]')],
])('a frame within %s makes no copy', async (_, wrap) => {
  const { memory, text } = await recalled()
  expect((await memory.remember({ content: wrap(text) })).status).toBe('duplicate')
})

test('a list of what was shown with each line in bold makes no copy, whatever the words are', async () => {
  const { memory, learn } = await openTestMemory()
  const contents = ['`npm ci` installs', '4210 is staging', '**Tea** is at four', 'The pot is cold.']
  const ids = await learn(...contents)
  const { text } = await memory.recall({ query: contents.join(' '), minStrength: 0, ids: true })
  const entries = text.split('\n').slice(1)
  const words = entries.map((entry) => contents.find((each) => entry.includes(each)) ?? '')
  expect(words.toSorted()).toEqual(contents.toSorted())
  for (const list of [
    words.map((each) => `- **${each}**`),
    words.map((each) => `* __${each}__`),
    entries.map((each) => `- **${each}**`),
  ]) {
    const { status, blockId } = await memory.remember({ content: list.join('\n') })
    expect([list[0], status, ids.includes(blockId)]).toEqual([list[0], 'duplicate', true])
  }
})

test.each([
  ['a date of its own', `${TEXT} (2031-01-01)`],
  ['a name in a stamp', `${TEXT} (2026-05-08, Ana)`],
  ['a number alone', `[3] ${TEXT}`],
  ['a line about a version', `${TEXT}\n↳ before, until 2031-01-01: on port 4100`],
  ['a heading that is not its own', `## Your goals\n- ${TEXT}`],
  ['an order', `1. ${OTHER}\n2. ${TEXT}`],
  ['an ellipsis', `${TEXT}…`],
  ['a cut that was not made', `${TEXT.slice(0, 30)} … [cut]`],
  ['capitals', TEXT.toUpperCase()],
  ['quotation marks', `"${TEXT}"`],
  ['a mark of contradiction', `[!] ${TEXT}`],
  ['unknown ids', `${TEXT}\n\nids: deadbeef`],
])('a known text with %s is a text of its own', async (_, content) => {
  const { memory } = await recalled()
  expect(await memory.remember({ content })).toMatchObject({ status: 'created' })
  const shown = await memory.show({ blockId: (await memory.remember({ content })).blockId })
  expect(shown.block.content).toBe(content)
})

test('what stands under an answer on a surface is no word of the agent', async () => {
  const { memory, text, blockId, otherId } = await recalled()
  const ids = `ids: ${blockId.slice(0, 8)} ${otherId.slice(0, 8)}`
  expect((await memory.remember({ content: `${text}\n\n${ids}` })).status).toBe('duplicate')
  const short = await memory.recall({ query: `${TEXT} ${OTHER}`, minStrength: 0, tokenBudget: 40 })
  expect(short.note).toContain('budget')
  expect((await memory.remember({ content: `${short.text}\n\n${short.note}` })).status).toBe('duplicate')
})

test('an echo gives its tags and its cue to the original', async () => {
  const { memory, blockId } = await recalled()
  const said = await memory.remember({ content: `${TEXT}!`, tags: ['atlas'], cue: 'before a deploy' })
  expect(said).toMatchObject({ mergedTags: ['atlas'], mergedCue: true })
  expect((await memory.show({ blockId })).block).toMatchObject({ tags: ['atlas'], cue: 'before a deploy' })
})

test('another fact in nearly the same words is remembered, whoever says it', async () => {
  const { memory } = await recalled()
  for (const content of [
    TEXT.replace('4210', '4211'),
    TEXT.replace('listens', 'listened'),
    TEXT.replace('listens', 'never listens'),
    TEXT.replace('Atlas', 'atlas'),
    `${TEXT}, as Ben found out`,
    'Since the move in March the staging server of Atlas listens on port 4210',
  ])
    expect((await memory.remember({ content, source: 'user' })).status).toBe('created')
  expect((await memory.status()).echoes).toBe(0)
})

test('a list with a fact more that was never shown as a frame is remembered as it is', async () => {
  const { memory } = await recalled()
  const content = `- ${TEXT}\n- Ben has the key`
  expect((await memory.remember({ content })).status).toBe('created')
})

test('what was never shown is no echo, and the guard can be switched off', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(TEXT)
  expect(await memory.remember({ content: `[1] ${TEXT} (2026-05-08)` })).toMatchObject({ status: 'created' })
  const off = await openTestMemory({ settings: { memory: { echoGuard: false } } })
  await off.learn(TEXT)
  const { text } = await off.memory.recall({ query: 'staging server of Atlas' })
  expect((await off.memory.remember({ content: text })).status).toBe('created')
})

test('an original that was edited since it was shown is not taken for its echo', async () => {
  const { memory, blockId } = await recalled()
  await memory.edit({ blockId, content: TEXT.replace('4210', '4300') })
  expect((await memory.remember({ content: `${TEXT}!` })).status).toBe('created')
})

/** A memory of which every kind of line was shown, by a process that has ended. */
async function shownBefore(request: {
  readonly query?: string
  readonly topK?: number
  readonly tokenBudget?: number
}) {
  const { memory, clock, otherId, path, learn } = await recalled({
    recall: { weakFrom: 0.9, matchFrom: 0.95 },
  })
  clock.advance({ hours: 1 })
  const { blockId: since } = await memory.remember({ content: TEXT.replace('4210', '4300') })
  await memory.remember({ content: 'The harbour ferry leaves at ten', supersedes: otherId })
  const [against = ''] = await learn('Ops say otherwise')
  await memory.connect({ source: against, target: since, relation: 'contradicts' })
  const query = 'Which port does the staging server of Atlas listen on, and when leaves the harbour ferry?'
  const answer = await memory.recall({ query, topK: 2, ...request })
  const next = async () => {
    await memory.close()
    return openMemory(path, { embedder: createHashingEmbedder(), sessionMode: 'resume' })
  }
  return { memory, since, answer, whole: recall.render(answer), next }
}

test('a command of its own knows what the command before it showed, counterpoints and versions too', async () => {
  const { since, answer, whole, next } = await shownBefore({})
  for (const part of ['\n[!] ', '\n↳ before, until ', '\n↳ earlier: ']) expect(whole).toContain(part)
  expect(answer.note).toMatch(/^Match \(probability .*\)\. Set apart: /)
  await using memory = await next()
  expect((await memory.remember({ content: `${TEXT.replace('4210', '4300')}!` })).echoOf).toBe(since)
  expect((await memory.remember({ content: whole })).status).toBe('duplicate')
})

test.each([
  ['versions in short', { query: TEXT.replace(' 4210', ''), topK: 1, tokenBudget: 40 }, /^↳ 1 version: /m],
  ['what is only near', { query: 'Who wrote Hamlet?' }, /^Nothing surely bears on this; the nearest:$/m],
])(
  'a whole answer with %s makes no copy, in the same process or another, and hides no new word',
  async (_, request, part) => {
    const { memory, whole, next } = await shownBefore(request)
    expect(whole).toMatch(part)
    const check = async (asked: Pick<typeof memory, 'remember'>) => {
      expect((await asked.remember({ content: whole })).status).toBe('duplicate')
      for (const added of [
        'Ben has the key.',
        'Match (probability 0.87). Ben has the key.',
        '↳ before, until 2031-01-01: x',
      ]) {
        const refused = await asked.remember({ content: `${whole}\n${added}` }).catch((error) => error)
        expect(refused.details).toEqual({ newWords: added })
      }
    }
    await check(memory)
    await check(await next())
  },
)

test('statements in another order than they were shown in, and a sign before one, are new', async () => {
  const { memory } = await openTestMemory()
  for (const content of ['Then drain the pool', 'Then restart the proxy', '42'])
    await memory.remember({ content })
  await memory.dream()
  const { blocks } = await memory.recall({ query: 'drain the pool, restart the proxy, 42', topK: 3 })
  const [first = '', second = ''] = blocks.map(({ content }) => content).filter((each) => each !== '42')
  expect((await memory.remember({ content: `${first}\n${second}` })).echoOf).toBeDefined()
  expect((await memory.remember({ content: `${second}\n${first}` })).status).toBe('created')
  expect((await memory.remember({ content: '- 42' })).status).toBe('created')
})
