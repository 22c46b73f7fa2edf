import { expect, test } from 'vitest'
import { openTestMemory, refusal, type TestMemory } from '../../helpers/memory.ts'
import { readSession } from '../../helpers/rows.ts'

/** The sessions of the log in their order. */
async function sessionsOf({ store }: TestMemory): Promise<string[]> {
  const log = await store.read((tx) => tx.queries.operations({ limit: 100 }))
  const ids = log.toReversed().flatMap(({ session }) => session ?? [])
  return ids.filter((id, at) => id !== ids[at - 1])
}

async function endOf({ store }: TestMemory, id: string | undefined): Promise<string | undefined> {
  return (await store.read((tx) => readSession(tx, id ?? '')))?.endedAt
}

test('a session ends with its last write once half an hour passed without one', async () => {
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

test('each write keeps a session going', async () => {
  const opened = await openTestMemory()
  for (let hour = 0; hour < 6; hour++) {
    await opened.memory.remember({ content: `The bell rang ${hour} times` })
    opened.clock.advance({ minutes: 30 })
  }
  expect(await sessionsOf(opened)).toHaveLength(1)
})

test('what a session learned and recalled is forgotten once it is over', async () => {
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

test('close ends a session that was over with its last write', async () => {
  const opened = await openTestMemory()
  await opened.memory.remember({ content: 'Tea is at four' })
  const lastAt = new Date(opened.clock.now()).toISOString()
  opened.clock.advance({ hours: 9 })
  await opened.memory.close()
  const [only] = await sessionsOf(opened)
  expect(await endOf(opened, only)).toBe(lastAt)
})

test('calls that begin at once share one session', async () => {
  const { memory } = await openTestMemory()
  const contents = ['one apple', 'two pears', 'three plums']
  await Promise.all(contents.map((content) => memory.remember({ content })))
  const { blocks } = await memory.inbox()
  expect(new Set(blocks.map(({ session }) => session)).size).toBe(1)
  expect(blocks).toHaveLength(3)
})

test('a pause counts as gapCapMinutes at most, and a clock set back takes nothing away', async () => {
  const { memory, clock } = await openTestMemory({ settings: { session: { gapCapMinutes: 15 } } })
  await memory.remember({ content: 'one apple' })
  clock.advance({ hours: 300 })
  await memory.remember({ content: 'two pears' })
  expect((await memory.status()).totalActiveHours).toBeCloseTo(0.25, 9)
  clock.advance({ hours: -1_000 })
  await memory.remember({ content: 'three plums' })
  expect((await memory.status()).totalActiveHours).toBeCloseTo(0.25, 9)
})

test('beginSession with a task type that is too long, broken or secret is refused or redacted', async () => {
  const { memory, store } = await openTestMemory()
  expect((await refusal(memory.beginSession({ taskType: 'a'.repeat(1_025) }))).code).toBe('LIMIT_EXCEEDED')
  expect(await refusal(memory.beginSession({ taskType: 'half \ud83d' }))).toMatchObject({
    code: 'INVALID_INPUT',
  })
  expect(await refusal(memory.session(async () => 1, { taskType: 7 as unknown as string }))).toMatchObject({
    code: 'INVALID_INPUT',
  })
  const id = await memory.beginSession({ taskType: 'deploy with AKIAQ7D4PYX2ZR6WTN3K' })
  const session = await store.read((tx) => readSession(tx, id))
  expect(session?.taskType).toMatch(/^deploy with (?!AKIA)/)
})
