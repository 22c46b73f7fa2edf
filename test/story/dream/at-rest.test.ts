import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import type { Memory } from '../../../src/engine/memory.ts'
import type { Embedder } from '../../../src/engine/ports.ts'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory, type TestMemoryOptions, temporaryFolder } from '../../helpers/memory.ts'
import { gated, openResting, QUIET_MS } from '../../helpers/resting.ts'
import { createTestTimer, nextTurn } from '../../helpers/timer.ts'

test.each([1, 9, 12])(
  'an open memory dreams of %i waiting blocks by itself once all was quiet',
  async (many) => {
    const { memory, timer, remember, waiting } = await openResting()
    await remember(many)
    await timer.pass(QUIET_MS - 1)
    expect(await waiting()).toBe(many)
    await timer.pass(1)
    expect(await waiting()).toBe(0)
    const { operations } = await memory.history({ lastN: 50 })
    const dreams = operations.filter(({ operation }) => operation === 'dream')
    expect(dreams).toMatchObject([{ actor: 'auto', dream: expect.objectContaining({ promoted: many }) }])
    const promotions = operations.filter(({ operation }) => operation === 'promote')
    expect(new Set(promotions.map(({ actor }) => actor))).toEqual(new Set(['auto']))
  },
)

test('each call, also of another process, begins the quiet time anew', async () => {
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
])('an open memory does not dream by itself %s', async (_, options) => {
  const { timer, memory, remember, waiting } = await openResting(options)
  await remember(12)
  expect(timer.pending).toBe(0)
  await timer.pass(QUIET_MS)
  expect(await waiting()).toBe(12)
  expect(await memory.status()).toMatchObject({ shouldDream: true, autoDream: { mode: 'off' } })
})

test('a call during a dream at rest ends it after the batch at hand, and the rest follows', async () => {
  const { memory, timer, remember, waiting, dreamt } = await openResting()
  await remember(100)
  const passing = timer.pass(QUIET_MS)
  while ((await waiting()) === 100) await nextTurn()
  expect((await memory.ls({ status: 'inbox', limit: 200 })).blocks.length).toBeGreaterThan(0)
  await Promise.all([passing, dreamt()])
  const left = await waiting()
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(100)
  await timer.pass(QUIET_MS)
  expect(await waiting()).toBe(0)
})

test('close waits for the batch at hand of a dream at rest and no longer', async () => {
  const { memory, timer, remember, waiting, path } = await openResting()
  await remember(100)
  const passing = timer.pass(QUIET_MS)
  while ((await waiting()) === 100) await nextTurn()
  await Promise.all([memory.close(), passing])
  const again = await openTestMemory({ path })
  const { activeCount, inboxCount } = await again.memory.status()
  expect(activeCount + inboxCount).toBe(100)
  expect(inboxCount).toBeGreaterThan(0)
})

test('a dream at rest that fails is tried again ever later and seen in status', async () => {
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

test('of two processes on one file only one dreams at rest', async () => {
  const { options, begun, open } = gated()
  const clock = createTestClock()
  const one = await openResting({ ...options, clock })
  await one.remember(12)
  const timer = createTestTimer(clock)
  const other = await openTestMemory({ path: one.path, clock, timer })
  const passing = one.timer.pass(QUIET_MS)
  await begun
  await timer.pass(0)
  expect((await other.memory.status()).autoDream).toEqual({ mode: 'rules', elsewhere: true })
  open()
  await Promise.all([passing, one.dreamt()])
  const { autoDream } = await other.memory.status()
  expect(autoDream).toEqual({ mode: 'rules', elsewhere: false, lastAt: expect.any(String) })
  const dreams = { operation: 'dream', actor: 'auto', limit: 10 }
  expect(await one.store.read((tx) => tx.queries.operations(dreams))).toHaveLength(1)
  expect(await one.waiting()).toBe(0)
})

/** The calls that change all of a memory. */
const CALLS: Readonly<Record<string, (memory: Memory, folder: string) => Promise<unknown>>> = {
  restoreBackup: async (memory, folder) => memory.restoreBackup({ path: join(folder, 'copy.db') }),
  import: async (memory, folder) => memory.import({ path: join(folder, 'all.jsonl'), trusted: true }),
  reembed: (memory) => memory.reembed(),
  curate: (memory) => memory.curate(),
  dream: (memory) => memory.dream(),
}

test.each(Object.keys(CALLS))('%s during a dream at rest leaves the memory whole', async (name) => {
  const folder = temporaryFolder()
  const { options, begun, open } = gated()
  const { memory, timer, remember, dreamt } = await openResting(options)
  await remember(20)
  await memory.backup({ path: join(folder, 'copy.db') })
  await memory.export({ path: join(folder, 'all.jsonl') })
  const passing = timer.pass(QUIET_MS)
  await begun
  const called = CALLS[name]?.(memory, folder)
  open()
  await Promise.all([called, passing])
  const ended = name === 'restoreBackup' ? timer.pass(QUIET_MS) : undefined
  await Promise.all([ended, dreamt()])
  await memory.dream()
  expect((await memory.doctor()).checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
  const { activeCount, inboxCount } = await memory.status()
  expect([activeCount, inboxCount]).toEqual([20, 0])
  expect((await memory.recall({ query: 'Which room of the house is cold?' })).blocks.length).toBeGreaterThan(
    0,
  )
})
