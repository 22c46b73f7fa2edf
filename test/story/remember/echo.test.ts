import { expect, test } from 'vitest'
import type { SettingsInput } from '../../../src/config/settings.ts'
import { openTestMemory, refusal } from '../../helpers/memory.ts'

const TEXT = 'The staging server of Atlas listens on port 4210 since the move in March'
const OTHER = 'The harbour ferry leaves at nine'
const OWN = 'Ben has the key of the harbour'

/** A memory with two blocks, and what a recall showed of them. */
async function recalled(settings: SettingsInput = {}) {
  const opened = await openTestMemory({ settings })
  const [blockId = '', otherId = ''] = await opened.learn(TEXT, OTHER)
  const query = `Which port? ${TEXT} ${OTHER}`
  const { text, note } = await opened.memory.recall({ query, minStrength: 0, ids: true })
  const entry = text.split('\n').find((line) => line.includes(TEXT)) ?? ''
  expect(text).toContain(OTHER)
  return { ...opened, blockId, otherId, text, note, entry }
}

/** The code and the new words with which a content is refused. */
async function refusedWords(call: Promise<unknown>) {
  const error = await call.then(
    () => ({}),
    (cause) => cause,
  )
  return [error.code, error.details?.newWords]
}

test('remember of an entry that recall showed answers duplicate, refreshes the block and counts an echo', async () => {
  const { memory, clock, blockId, entry } = await recalled()
  const before = (await memory.show({ blockId })).block
  clock.advance({ hours: 2 })
  expect(entry).not.toBe(TEXT)
  for (const said of [entry, `${TEXT}.`, `Note: ${TEXT}`, `- ${TEXT}`])
    expect(await memory.remember({ content: said })).toMatchObject({
      status: 'duplicate',
      blockId,
      echoOf: blockId,
    })
  const after = (await memory.show({ blockId })).block
  expect(after.reinforcementCount).toBe(before.reinforcementCount + 4)
  expect(after.lastReinforcedAt).toBeGreaterThan(before.lastReinforcedAt)
  expect(await memory.status()).toMatchObject({ echoes: 4, inboxCount: 0, activeCount: 2 })
})

test('remember and rememberMany of a whole frame, or of its entries as a list, answer duplicate', async () => {
  const { memory, text, note, blockId, otherId } = await recalled()
  const ids = `ids: ${blockId.slice(0, 8)} ${otherId.slice(0, 8)}`
  const pasted = [text, `${text}\n\n${ids}`, `${text}\n\n${note}`, `Note:\n${text}`, `${TEXT}\n${OTHER}`]
  for (const content of pasted)
    expect([blockId, otherId]).toContain((await memory.remember({ content })).echoOf)
  const { results } = await memory.rememberMany({ blocks: pasted.map((content) => ({ content })) })
  expect(results.map(({ status }) => status)).toEqual(pasted.map(() => 'duplicate'))
  expect(await memory.status()).toMatchObject({ echoes: 10, inboxCount: 0 })
})

test('remember of a frame in a closed fence answers duplicate', async () => {
  const { memory, text } = await recalled()
  const { status } = await memory.remember({ content: `\`\`\`markdown\n${text}\n\`\`\`` })
  expect(status).toBe('duplicate')
})

test('remember of a frame with own words is refused with those, and kept with keepFrame', async () => {
  const { memory, text } = await recalled()
  for (const content of [`${text}\n${OWN}`, `${text} ${OWN}`, `${OWN}\n\n${text}`])
    expect(await refusedWords(memory.remember({ content }))).toEqual(['FRAME_IN_TEXT', OWN])
  const content = `${text}\n${OWN}`
  const many = memory.rememberMany({ blocks: [{ content: 'Tea is at four' }, { content }] })
  expect((await refusal(many)).message).toContain('blocks[1]')
  expect((await memory.status()).inboxCount).toBe(0)
  const { blockId, status } = await memory.remember({ content, keepFrame: true })
  expect(status).toBe('created')
  expect((await memory.show({ blockId })).block.content).toBe(content)
})

test('edit to what recall showed is refused, and edit to words that name an id is not', async () => {
  const { memory, blockId, text, entry } = await recalled()
  for (const [content, newWords] of [
    [text, ''],
    [entry, ''],
    [`${entry}\n${OWN}`, OWN],
  ] as const)
    expect(await refusedWords(memory.edit({ blockId, content }))).toEqual(['FRAME_IN_TEXT', newWords])
  const content = `${TEXT} See ${blockId.slice(0, 8)}`
  expect((await memory.edit({ blockId, content })).changed).toEqual(['content'])
})

test('learnDocument with a frame in it keeps the words around it and links the blocks shown', async () => {
  const { memory, text, blockId, otherId } = await recalled()
  const learnt = await memory.learnDocument({ text: `${text}\n\n${OWN}.`, source: 'b.md' })
  expect(learnt).toMatchObject({ chunksTotal: 3, chunksCreated: 1, chunksDuplicate: 2 })
  expect(learnt.blockIds.slice(0, 2).toSorted()).toEqual([blockId, otherId].toSorted())
  expect((await memory.show({ blockId: learnt.blockIds[2]! })).block.content).toBe(`${OWN}.`)
})

test('remember of a known text with anything of its own creates a block with all of it', async () => {
  const { memory } = await recalled()
  for (const content of [
    TEXT.replace('4210', '4211'),
    TEXT.replace('listens', 'never listens'),
    `${TEXT}, as Ben found out`,
    `${TEXT} (2031-01-01)`,
    `${TEXT} (deadbeef)`,
    `[3] ${TEXT}`,
    `[!] ${TEXT}`,
    `${TEXT}\n↳ before, until 2031-01-01: on port 4100`,
    `- ${TEXT}\n- ${OWN}`,
    `1. ${OTHER}\n2. ${TEXT}`,
    TEXT.toUpperCase(),
  ]) {
    const { status, blockId } = await memory.remember({ content })
    expect([content, status]).toEqual([content, 'created'])
    expect((await memory.show({ blockId })).block.content).toBe(content)
  }
  expect((await memory.status()).echoes).toBe(0)
})

test('remember of an entry that was never shown, or was edited since, creates a block', async () => {
  const { memory, blockId } = await recalled()
  await memory.edit({ blockId, content: TEXT.replace('4210', '4300') })
  expect((await memory.remember({ content: `${TEXT}!` })).status).toBe('created')
  const unshown = await openTestMemory()
  await unshown.learn(TEXT)
  const content = `[1] ${TEXT} (2026-05-08)`
  expect((await unshown.memory.remember({ content })).status).toBe('created')
})

test('remember of a frame creates a block where memory.echoGuard is off', async () => {
  const { memory, text } = await recalled({ memory: { echoGuard: false } })
  expect((await memory.remember({ content: text })).status).toBe('created')
})

test('remember of an echo merges its tags and cue into the block shown', async () => {
  const { memory, blockId } = await recalled()
  const said = await memory.remember({ content: `${TEXT}!`, tags: ['atlas'], cue: 'before a deploy' })
  expect(said).toMatchObject({ mergedTags: ['atlas'], mergedCue: true })
  expect((await memory.show({ blockId })).block).toMatchObject({ tags: ['atlas'], cue: 'before a deploy' })
})
