import { expect, test } from 'vitest'
import { openTestMemory, type TestMemory } from '../helpers/memory.ts'

/** The newest session of each entry of the log, oldest first, one for each change. */
async function sessionsOf({ store }: TestMemory): Promise<string[]> {
  const log = await store.read((tx) => tx.operations({ limit: 100 }))
  const ids = log.toReversed().flatMap(({ session }) => session ?? [])
  return ids.filter((id, at) => id !== ids[at - 1])
}

async function endOf({ store }: TestMemory, id: string | undefined): Promise<string | undefined> {
  return (await store.read((tx) => tx.session(id ?? '')))?.endedAt
}

test('half an hour without a write ends a session with its last one, and the next write begins another', async () => {
  const opened = await openTestMemory()
  const { memory, clock } = opened
  await memory.remember({ content: 'Tea is at four' })
  clock.advance({ minutes: 20 })
  const lastAt = new Date(clock.now()).toISOString()
  await memory.remember({ content: 'Cake is at five' })
  clock.advance({ minutes: 30 })
  await memory.status()
  clock.advance({ minutes: 1 })
  await memory.remember({ content: 'Supper is at eight' })
  const [first, second, ...more] = await sessionsOf(opened)
  expect([first === second, more]).toEqual([false, []])
  expect(await endOf(opened, first)).toBe(lastAt)
  expect(await endOf(opened, second)).toBeUndefined()
})

test('each write keeps a session going, for hours', async () => {
  const opened = await openTestMemory()
  for (let hour = 0; hour < 6; hour++) {
    await opened.memory.remember({ content: `The bell rang ${hour} times` })
    opened.clock.advance({ minutes: 30 })
  }
  expect(await sessionsOf(opened)).toHaveLength(1)
})

test('what a session learned and recalled last is forgotten once it is over, before anything is written', async () => {
  const { memory, clock, learn } = await openTestMemory()
  const [tea = ''] = await learn('Tea is at four')
  await memory.recall({ query: 'when is tea' })
  expect([memory.lastLearnedBlockId, memory.lastRecallBlockIds, memory.sessionBlockIds]).toEqual([
    tea,
    [tea],
    [tea],
  ])
  clock.advance({ minutes: 31 })
  expect([memory.lastLearnedBlockId, memory.lastRecallBlockIds, memory.sessionBlockIds]).toEqual([
    undefined,
    [],
    [],
  ])
  expect((await memory.recall({ frame: 'short_term' })).blockIds).toEqual([])
  const { blockId } = await memory.remember({ content: 'Cake is at five' })
  expect(memory.sessionBlockIds).toEqual([blockId])
})

test('a session that is over when the memory is closed ended with its last write', async () => {
  const opened = await openTestMemory()
  await opened.memory.remember({ content: 'Tea is at four' })
  const lastAt = new Date(opened.clock.now()).toISOString()
  opened.clock.advance({ hours: 9 })
  await opened.memory.close()
  const [only] = await sessionsOf(opened)
  expect(await endOf(opened, only)).toBe(lastAt)
})

test('how long is idle is a setting', async () => {
  const opened = await openTestMemory({ settings: { session: { idleMinutes: 120 } } })
  await opened.memory.remember({ content: 'Tea is at four' })
  opened.clock.advance({ minutes: 119 })
  await opened.memory.remember({ content: 'Cake is at five' })
  opened.clock.advance({ minutes: 121 })
  await opened.memory.remember({ content: 'Supper is at eight' })
  expect(await sessionsOf(opened)).toHaveLength(2)
})
