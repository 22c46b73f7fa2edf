import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/memory.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'

const TEXT = 'The staging server of Atlas listens on port 4210 since the move in March'
const OTHER = 'The harbour ferry leaves at nine'

async function recalled() {
  const opened = await openTestMemory()
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
    `${OTHER}\n${TEXT}`,
    `- ${OTHER}\n\n- ${TEXT}`,
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

test('each chunk of a document is judged alone', async () => {
  const { memory, text } = await recalled()
  const learnt = await memory.learnDocument({
    text: `${TEXT}.\n\n# Keys\n\nBen has the key.`,
    source: 'a.md',
  })
  expect(learnt.chunksDuplicate + learnt.chunksCreated).toBe(learnt.chunksTotal)
  const kept = await memory.learnDocument({ text: `${text}\n\nBen has the other key.`, source: 'b.md' })
  expect(kept.chunksTotal).toBeGreaterThan(0)
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

test('a command of its own knows what the command before it showed', async () => {
  const { memory, blockId, path } = await recalled()
  await memory.close()
  await using next = await openMemory(path, { embedder: createHashingEmbedder(), sessionMode: 'resume' })
  expect((await next.remember({ content: `${TEXT}!` })).echoOf).toBe(blockId)
})
