import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { dumpOf } from '../undo/dump.ts'

const TEA = 'Tea is at four'

test('a block keeps its newest reports, and what the older ones taught stays', async () => {
  const { memory, learn, store } = await openTestMemory({ settings: { memory: { keepOutcomes: 3 } } })
  const other = await openTestMemory()
  const [[id], [same]] = [await learn(TEA), await other.learn(TEA)]
  for (let i = 0; i < 5; i++) {
    await memory.outcome({ helped: [id!], source: `report ${i}` })
    await other.memory.outcome({ helped: [same!] })
  }
  const { outcomes, belief } = await memory.show({ blockId: id! })
  expect(outcomes.map(({ source }) => source)).toEqual(['report 4', 'report 3', 'report 2'])
  expect(belief).toBe((await other.memory.show({ blockId: same! })).belief)
  expect(await store.read((tx) => tx.outcomes(id!, 9))).toHaveLength(3)
})

test('an undo brings the report back that a newer one pushed out', async () => {
  const { memory, learn, path } = await openTestMemory({ settings: { memory: { keepOutcomes: 1 } } })
  const [id] = await learn(TEA)
  await memory.outcome({ helped: [id!], source: 'first' })
  const before = dumpOf(path)
  await memory.outcome({ misled: [id!], source: 'second' })
  expect((await memory.show({ blockId: id! })).outcomes.map(({ source }) => source)).toEqual(['second'])
  await memory.undo()
  expect(dumpOf(path)).toEqual(before)
})

test('of the reports about a block that waits the newest are applied when it is promoted', async () => {
  const { memory, store } = await openTestMemory({ settings: { memory: { keepOutcomes: 2 } } })
  const { blockId } = await memory.remember({ content: TEA })
  for (let i = 0; i < 4; i++) await memory.outcome({ helped: [blockId], source: `report ${i}` })
  expect((await store.read((tx) => tx.counts())).queuedOutcomes).toBe(2)
  await memory.dream()
  expect((await memory.show({ blockId })).outcomes.map(({ source }) => source)).toEqual([
    'report 3',
    'report 2',
  ])
})

test('curate drops the oldest sessions, also those that nobody ended, and says how many', async () => {
  const { memory, store, clock } = await openTestMemory({ settings: { memory: { keepSessions: 2 } } })
  const ids: string[] = []
  for (let i = 0; i < 5; i++) {
    clock.advance({ minutes: 1 })
    ids.push(await memory.beginSession())
  }
  await store.write((tx) =>
    tx.saveSession({ id: 'killed', taskType: 't', startedAt: '2020-01-01T00:00:00.000Z', startHours: 0 }),
  )
  const { sessionsTrimmed, summary } = await memory.curate()
  expect(sessionsTrimmed).toBe(4)
  expect(summary).toContain('4 old sessions dropped')
  const left = await store.read((tx) => Promise.all(['killed', ...ids].map((id) => tx.session(id))))
  expect(left.flatMap((each) => each?.id ?? [])).toEqual(ids.slice(3))
})

test('what a session is called is held to the limits of any name', async () => {
  const { memory, store } = await openTestMemory({ settings: { limits: { nameBytes: 256 } } })
  expect(await refusal(memory.beginSession({ taskType: 'a'.repeat(257) }))).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    message: expect.stringContaining('limits.name_bytes'),
  })
  expect(await refusal(memory.beginSession({ taskType: 'half \ud83d' }))).toMatchObject({
    code: 'INVALID_INPUT',
  })
  expect(await refusal(memory.session(async () => 1, { taskType: 7 as unknown as string }))).toMatchObject({
    code: 'INVALID_INPUT',
  })
  const id = await memory.beginSession({ taskType: 'deploy with AKIAQ7D4PYX2ZR6WTN3K' })
  const session = await store.read((tx) => tx.session(id))
  expect(session?.taskType).toMatch(/^deploy with (?!AKIA)/)
})

test('a session called by a secret is refused where secrets are', async () => {
  const { memory } = await openTestMemory({ settings: { memory: { secrets: 'refuse' } } })
  expect(await refusal(memory.beginSession({ taskType: 'AKIAQ7D4PYX2ZR6WTN3K' }))).toMatchObject({
    code: 'SECRET_REFUSED',
  })
})
