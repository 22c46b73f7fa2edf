import { expect, test } from 'vitest'
import type { SettingsInput } from '../../../src/engine/settings.ts'
import { openTestMemory, refusal } from '../../helpers/memory.ts'

const TEXT = 'The staging server of Atlas listens on port 4210 since the move in March'
const OTHER = 'The harbour ferry leaves at nine'
const OWN = 'Ben has the key of the harbour'

/** Opens a memory with two blocks and recalls both. */
async function recalled(settings: SettingsInput = {}) {
  const opened = await openTestMemory({ settings })
  const [blockId = '', otherId = ''] = await opened.learn(TEXT, OTHER)
  const query = `Which port? ${TEXT} ${OTHER}`
  const { text, note, recallId } = await opened.memory.recall({ query, limit: 2, ids: true })
  const entry = text.split('\n').find((line) => line.includes(TEXT)) ?? ''
  expect(text).toContain(OTHER)
  return { ...opened, blockId, otherId, text, note, recallId, entry }
}

/** Returns the code and the new words of the refusal of a call. */
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
  const forms = [entry, `[9]${entry.slice(3)}`]
  for (const content of forms)
    expect(await memory.remember({ content })).toMatchObject({
      status: 'duplicate',
      blockId,
      echoOf: blockId,
      leftOut: { entries: 1, characters: content.length },
    })
  const after = (await memory.show({ blockId })).block
  expect(after.reinforcementCount).toBe(before.reinforcementCount + forms.length)
  expect(after.lastReinforcedAt).toBeGreaterThan(before.lastReinforcedAt)
  expect(after.successes).toBe(before.successes)
  expect(await memory.status()).toMatchObject({ echoes: forms.length, inboxCount: 0, activeCount: 2 })
})

test('remember and rememberMany of a whole frame answer duplicate and count its entries', async () => {
  const { memory, text, note, recallId, blockId, otherId } = await recalled()
  const entries = text.split('\n').filter((line) => line.startsWith('['))
  const pasted = [
    text,
    `${text}\n\nrecall ${recallId}\n${note}`,
    entries.join('\n'),
    text.replaceAll('\n', '\r\n'),
  ]
  for (const content of pasted) {
    const { echoOf, leftOut, summary } = await memory.remember({ content })
    expect([blockId, otherId]).toContain(echoOf)
    expect(leftOut).toEqual({ entries: 2, characters: content.length })
    expect(summary).toContain('2 entries')
  }
  const many = await memory.rememberMany({ blocks: pasted.map((content) => ({ content })) })
  expect(many.results.map(({ status }) => status)).toEqual(pasted.map(() => 'duplicate'))
  const characters = pasted.reduce((sum, each) => sum + each.length, 0)
  expect(many.leftOut).toEqual({ entries: 2 * pasted.length, characters })
  expect(await memory.status()).toMatchObject({ echoes: 2 * pasted.length, inboxCount: 0 })
})

test('remember of a frame with own words is refused with those, and kept with keepFrame', async () => {
  const { memory, text } = await recalled()
  for (const content of [`${text}\n${OWN}`, `${OWN}\n\n${text}`])
    expect(await refusedWords(memory.remember({ content }))).toEqual(['FRAME_IN_TEXT', OWN])
  const content = `${text}\n${OWN}`
  const many = memory.rememberMany({ blocks: [{ content: 'Tea is at four' }, { content }] })
  expect((await refusal(many)).message).toContain('blocks[1]')
  expect((await memory.status()).inboxCount).toBe(0)
  const { blockId, status, leftOut } = await memory.remember({ content, keepFrame: true })
  expect([status, leftOut]).toEqual(['created', undefined])
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

test('remember of a known text with anything of its own creates a block with all of it', async () => {
  const { memory } = await recalled()
  for (const content of [
    TEXT.replace('4210', '4211'),
    TEXT.replace('listens', 'never listens'),
    `${TEXT}, as Ben found out`,
    `${TEXT} (2031-01-01)`,
    `[3] ${TEXT}`,
    `${TEXT}\n↳ before, until 2031-01-01: on port 4100`,
    `- ${TEXT}\n- ${OWN}`,
  ]) {
    const { status, blockId } = await memory.remember({ content })
    expect([content, status]).toEqual([content, 'created'])
    expect((await memory.show({ blockId })).block.content).toBe(content)
  }
  expect((await memory.status()).echoes).toBe(0)
})

test('remember of an entry of a block that was edited since is refused, and kept with keepFrame', async () => {
  const { memory, blockId, entry } = await recalled()
  await memory.edit({ blockId, content: TEXT.replace('4210', '4300') })
  expect(await refusedWords(memory.remember({ content: entry }))).toEqual(['FRAME_IN_TEXT', ''])
  expect((await memory.remember({ content: entry, keepFrame: true })).status).toBe('created')
  expect((await memory.remember({ content: TEXT })).status).toBe('created')
})

test('remember of a frame creates a block where memory.echoGuard is off', async () => {
  const { memory, text } = await recalled({ memory: { echoGuard: false } })
  expect((await memory.remember({ content: text })).status).toBe('created')
})

test('remember of an entry that recall showed of another scope creates a block', async () => {
  const { memory } = await openTestMemory()
  const scopes = [{ scope: 'atlas' }, {}]
  for (const within of scopes) await memory.remember({ content: TEXT, ...within })
  await memory.dream()
  for (const within of scopes) {
    const { text } = await memory.recall({ query: TEXT, minStrength: 0, ...within })
    const content = text.slice(text.indexOf('[1]'))
    expect((await memory.remember({ content, ...within })).status).toBe('duplicate')
  }
  const { text } = await memory.recall({ query: TEXT, minStrength: 0 })
  const content = text.slice(text.indexOf('[1]'))
  expect((await memory.remember({ content, scope: 'borealis' })).status).toBe('created')
})
