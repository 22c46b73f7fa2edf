import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory, type TestMemoryOptions } from '../helpers/memory.ts'
import { contents, gated, openResting, QUIET_MS } from '../helpers/resting.ts'
import { nextTurn } from '../helpers/timer.ts'

test('a memory that stays open dreams by itself when enough waits and all was quiet', async () => {
  const { memory, timer, remember, waiting } = await openResting()
  await remember(12)
  await timer.pass(QUIET_MS - 1)
  expect(await waiting()).toBe(12)
  await timer.pass(1)
  expect(await waiting()).toBe(0)
  const { operations } = await memory.history({ lastN: 50 })
  const dreams = operations.filter(({ operation }) => operation === 'dream')
  expect(dreams).toMatchObject([{ actor: 'auto', summary: expect.stringMatching(/^12 promoted/) }])
  const promotions = operations.filter(({ operation }) => operation === 'promote')
  expect(new Set(promotions.map(({ actor }) => actor))).toEqual(new Set(['auto']))
})

test('too little waiting is left to wait, however long nobody calls', async () => {
  const { timer, remember, waiting } = await openResting()
  await remember(9)
  for (let minute = 0; minute < 5; minute++) await timer.pass(QUIET_MS)
  expect(await waiting()).toBe(9)
})

test('each call, also one of another process, begins the quiet time anew', async () => {
  const { memory, timer, remember, waiting, path, clock } = await openResting()
  const other = await openTestMemory({ path, clock })
  await remember(12)
  await timer.pass(QUIET_MS / 2)
  await memory.status()
  await timer.pass(QUIET_MS / 2)
  await other.memory.remember({ content: 'Said by somebody else.' })
  await timer.pass(QUIET_MS / 2)
  expect(await waiting()).toBe(13)
  await timer.pass(QUIET_MS / 2)
  expect(await waiting()).toBe(0)
})

test.each<[string, TestMemoryOptions]>([
  ['in a store that ends with the process', { kind: 'memory' }],
  ['when the settings say so', { settings: { memory: { autoDream: 'off' } } }],
])('nothing is dreamt by itself %s', async (_, options) => {
  const { timer, memory, remember, waiting } = await openResting(options)
  await remember(12)
  expect(timer.pending).toBe(0)
  await timer.pass(QUIET_MS)
  expect(await waiting()).toBe(12)
  expect(await memory.status()).toMatchObject({ shouldDream: true, autoDream: { mode: 'off' } })
})

test('a memory that dreams by itself asks nobody to dream', async () => {
  const { memory, remember } = await openResting()
  await remember(11)
  const told = await memory.remember({ content: 'One more.' })
  expect(told).toMatchObject({ pending: 12, shouldDream: false })
  expect(told.summary).not.toMatch(/call dream/)
  expect(await memory.status()).toMatchObject({ shouldDream: false, health: 'good' })
  expect(await memory.shouldDream()).toBe(true)
})

test('a dream at rest begins no session and takes nothing from the one that runs', async () => {
  const { memory, timer, remember, store } = await openResting()
  await remember(11)
  const { blockId } = await memory.remember({ content: 'The last one.' })
  const before = { session: (await memory.status()).session?.id, ids: memory.sessionBlockIds }
  await timer.pass(QUIET_MS)
  expect((await memory.status()).session?.id).toBe(before.session)
  expect([memory.lastLearnedBlockId, memory.sessionBlockIds]).toEqual([blockId, before.ids])
  await remember(12)
  for (const content of contents(12)) await memory.remember({ content: `${content} Still.` })
  await memory.endSession()
  const open = await store.read((tx) => tx.latestOpenSession())
  await timer.pass(QUIET_MS)
  expect((await memory.history({ lastN: 1 })).operations).toMatchObject([{ actor: 'auto' }])
  expect(await store.read((tx) => tx.latestOpenSession())).toEqual(open)
  expect((await memory.status()).session).toBeUndefined()
})

test('the active hours of a dream at rest are those of a dream somebody asks for', async () => {
  const settings = { session: { gapCapMinutes: 15 } }
  const [resting, asked] = [await openResting({ settings }), await openResting({ settings })]
  for (const each of [resting, asked]) await each.remember(12)
  await resting.timer.pass(QUIET_MS)
  asked.clock.advance({ minutes: 1 })
  await asked.memory.dream()
  const hours = async ({ memory }: typeof resting) => (await memory.status()).totalActiveHours
  expect(await hours(resting)).toBeCloseTo(await hours(asked), 9)
})

test('a call that comes in during a dream at rest ends it after the batch at hand, and the rest follows', async () => {
  const { options, begun, open } = gated()
  const { memory, timer, remember, waiting, dreamt } = await openResting(options)
  await remember(100)
  const passing = timer.pass(QUIET_MS)
  await begun
  expect((await memory.ls({ status: 'inbox', limit: 200 })).blocks).toHaveLength(100)
  open()
  await Promise.all([passing, dreamt()])
  const left = await waiting()
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(100)
  await timer.pass(QUIET_MS)
  expect(await waiting()).toBe(0)
})

test('a long dream at rest leaves others a turn after every few blocks', async () => {
  const { timer, remember, waiting } = await openResting()
  await remember(200)
  let turns = 0
  const seen = new Set<number>()
  const passing = timer.pass(QUIET_MS)
  for (let left = 200; left > 0; turns++) {
    await nextTurn()
    left = await waiting()
    seen.add(left)
  }
  await passing
  expect(turns).toBeGreaterThanOrEqual(seen.size)
  expect(seen.size).toBeGreaterThan(200 / 32)
})

test('closing waits for the batch at hand and no longer, and what it did stays', async () => {
  const { options, begun, open } = gated()
  const { memory, timer, remember, path } = await openResting(options)
  await remember(100)
  const passing = timer.pass(QUIET_MS)
  await begun
  const closing = memory.close()
  open()
  await Promise.all([closing, passing])
  const again = await openTestMemory({ path })
  const { activeCount, inboxCount } = await again.memory.status()
  expect(activeCount + inboxCount).toBe(100)
  expect(inboxCount).toBeGreaterThan(90)
})

test('a dream at rest that fails is told to nobody, tried again ever later, and seen in status', async () => {
  const hashing = createHashingEmbedder()
  const clock = createTestClock()
  const begun = clock.now()
  let isAway = true
  const embedder: Embedder = {
    ...hashing,
    embed: async (texts) => {
      if (!isAway) return hashing.embed(texts)
      throw new Error(`away at minute ${(clock.now() - begun) / 60_000}`)
    },
  }
  const { memory, timer, remember, waiting } = await openResting({ embedder, clock })
  await remember(12)
  for (const [minutes, lastTry] of [
    [1, 1],
    [1, 2],
    [1, 2],
    [1, 4],
    [3, 4],
  ] as const) {
    await timer.pass(minutes * 60_000)
    expect(await memory.status()).toMatchObject({
      health: 'degraded',
      reasons: expect.arrayContaining([expect.stringContaining(`away at minute ${lastTry}`)]),
    })
  }
  isAway = false
  await timer.pass(60_000)
  expect(await waiting()).toBe(0)
  expect((await memory.status()).health).toBe('good')
})

test('undo without a number takes back what somebody did, and a dream at rest in its way with it', async () => {
  const { memory, timer, remember, waiting } = await openResting()
  await remember(11)
  const { blockId } = await memory.remember({ content: 'Tea is at four.' })
  await timer.pass(QUIET_MS)
  await memory.recall({ query: 'Is room 3 of the house cold?' })
  const preview = await memory.undo({ dryRun: true })
  expect(preview.undone.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['promote', 'remember']),
  )
  const { operationId, undone } = await memory.undo()
  expect(undone.at(-1)?.operation).toBe('remember')
  expect(await memory.show({ blockId }).catch(({ code }) => code)).toBe('NOT_FOUND')
  expect(await waiting()).toBe(11)
  const { operations } = await memory.history({ lastN: 50 })
  const dream = operations.find(({ operation }) => operation === 'dream')
  expect(dream).toMatchObject({ actor: 'auto', undoable: false, undoneBy: operationId })
  await memory.undo({ operationId: operationId ?? 0 })
  expect([await waiting(), (await memory.show({ blockId })).block.status]).toEqual([0, 'active'])
})

test('a dream at rest is taken back by its number', async () => {
  const { memory, timer, remember, waiting } = await openResting()
  await remember(12)
  await timer.pass(QUIET_MS)
  const { operations } = await memory.history({ lastN: 1 })
  await memory.undo({ operationId: operations[0]?.id ?? 0 })
  expect(await waiting()).toBe(12)
})
