import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/memory.ts'
import { openTestMemory } from '../helpers/memory.ts'

const TEXT = 'The staging server of Atlas listens on port 4210 since the move in March'

async function recalled() {
  const opened = await openTestMemory()
  const [blockId = ''] = await opened.learn(TEXT)
  await opened.learn('The harbour ferry leaves at nine')
  const { text } = await opened.memory.recall({ query: 'Which port does the staging server of Atlas use?' })
  return { ...opened, blockId, text }
}

test('what recall showed and an agent pastes back makes no copy, keeps the original fresh, and is counted', async () => {
  const { memory, clock, blockId, text } = await recalled()
  const before = (await memory.show({ blockId })).block
  clock.advance({ hours: 2 })
  const line = text.split('\n').find((each) => each.includes(TEXT)) ?? ''
  expect(line).not.toBe(TEXT)
  for (const said of [
    line,
    `${TEXT}.`,
    'Since the move in March the staging server of Atlas is listening on port 4210',
  ])
    expect(await memory.remember({ content: said })).toMatchObject({
      status: 'duplicate',
      blockId,
      echoOf: blockId,
    })
  const after = (await memory.show({ blockId })).block
  expect(after.content).toBe(TEXT)
  expect(after.reinforcementCount).toBe(before.reinforcementCount + 3)
  expect(after.lastReinforcedAt).toBeGreaterThan(before.lastReinforcedAt)
  expect(await memory.status()).toMatchObject({ echoes: 3, inboxCount: 0, activeCount: 2 })
})

test('an echo gives its tags and its cue to the original', async () => {
  const { memory, blockId } = await recalled()
  const said = await memory.remember({ content: `${TEXT}!`, tags: ['atlas'], cue: 'before a deploy' })
  expect(said).toMatchObject({ mergedTags: ['atlas'], mergedCue: true })
  expect((await memory.show({ blockId })).block).toMatchObject({ tags: ['atlas'], cue: 'before a deploy' })
})

test('another fact in nearly the same words is remembered', async () => {
  const { memory } = await recalled()
  for (const content of [
    TEXT.replace('4210', '4211'),
    TEXT.replace('listens', 'never listens'),
    `${TEXT}, as Ben found out`,
  ])
    expect((await memory.remember({ content })).status).toBe('created')
  expect((await memory.status()).echoes).toBe(0)
})

test('what was never shown is no echo, and the guard can be switched off', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(TEXT)
  expect((await memory.remember({ content: `${TEXT}!` })).status).toBe('created')
  const off = await openTestMemory({ settings: { memory: { echoGuard: false } } })
  await off.learn(TEXT)
  await off.memory.recall({ query: 'staging server of Atlas' })
  expect((await off.memory.remember({ content: `${TEXT}!` })).status).toBe('created')
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
