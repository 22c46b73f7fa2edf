import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import { gated, openResting, QUIET_MS } from '../helpers/resting.ts'
import { createTestTimer } from '../helpers/timer.ts'
import { toldModel } from '../helpers/told-model.ts'

test('of two processes on one file only one dreams at rest, and the other says so', async () => {
  const { options, begun, open } = gated()
  const clock = createTestClock()
  const one = await openResting({ ...options, clock })
  await one.remember(12)
  const timer = createTestTimer(clock)
  const other = await openTestMemory({ path: one.path, clock, timer })
  const passing = one.timer.pass(QUIET_MS)
  await begun
  await timer.pass(0)
  expect(await one.waiting()).toBe(12)
  expect((await other.memory.status()).autoDream).toEqual({ mode: 'rules', elsewhere: true })
  open()
  await Promise.all([passing, one.dreamt()])
  const { autoDream } = await other.memory.status()
  expect(autoDream).toEqual({ mode: 'rules', elsewhere: false, lastAt: expect.any(String) })
  const dreams = { operation: 'dream', actor: 'auto', limit: 10 }
  expect(await one.store.read((tx) => tx.operations(dreams))).toHaveLength(1)
  expect(await one.waiting()).toBe(0)
})

test('a memory of one scope dreams of that scope at rest, one of the whole store of all that waits', async () => {
  const whole = await openResting()
  const timer = createTestTimer(whole.clock)
  const bound = await openMemory(whole.path, {
    scope: 'mine',
    embedder: createHashingEmbedder(),
    clock: whole.clock,
    timer,
  })
  for (let at = 0; at < 10; at++) {
    await bound.remember({ content: `My shelf ${at} is full.` })
    await whole.memory.remember({ content: `Their shelf ${at} is full.`, scope: 'theirs' })
  }
  whole.clock.advance({ minutes: 1 })
  await timer.pass(0)
  expect(await whole.waiting()).toBe(10)
  expect((await bound.status()).activeCount).toBe(10)
  await bound.close()
  await whole.timer.pass(QUIET_MS)
  expect(await whole.waiting()).toBe(0)
})

test.each([
  ['rules', 0, 12],
  ['full', 3, 0],
] as const)(
  'a dream at rest in the mode %s asks the model %i times and leaves %i judgements pending',
  async (autoDream, calls, pending) => {
    const languageModel = toldModel({ label: () => ({ relation: 'unrelated', confidence: 0.9 }) })
    const { memory, timer, remember, waiting } = await openResting({
      languageModel,
      settings: { memory: { autoDream } },
    })
    await remember(12)
    await timer.pass(QUIET_MS)
    expect(await waiting()).toBe(0)
    expect(languageModel.asked.filter(({ prompt }) => !prompt.includes('B: ')).length).toBe(calls)
    expect((await memory.status()).judge.pending).toBe(pending)
    const { rescored } = await memory.dream()
    expect(rescored).toBe(pending)
  },
)

/** Calls that change all of a memory. */
const CALLS: Readonly<Record<string, (memory: Memory, folder: string) => Promise<unknown>>> = {
  restoreBackup: async (memory, folder) => memory.restoreBackup({ path: join(folder, 'copy.db') }),
  import: async (memory, folder) => memory.import({ path: join(folder, 'all.jsonl'), trusted: true }),
  reembed: (memory) => memory.reembed(),
  curate: (memory) => memory.curate(),
  dream: (memory) => memory.dream(),
  undo: (memory) => memory.undo(),
}

test.each(Object.keys(CALLS))('%s while a memory dreams at rest leaves it whole', async (name) => {
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
  expect([activeCount, inboxCount]).toEqual([name === 'undo' ? 19 : 20, 0])
  expect((await memory.recall({ query: 'Which room of the house is cold?' })).blocks.length).toBeGreaterThan(
    0,
  )
})

test('a file whose note about dreams at rest cannot be read dreams all the same', async () => {
  const { timer, remember, waiting, store } = await openResting()
  await remember(12)
  await store.write((tx) => tx.saveMeta('rest', '{"lease":'))
  await timer.pass(QUIET_MS)
  expect(await waiting()).toBe(0)
})

test('an option of openMemory that is unknown is refused with what may be meant', async () => {
  const opened = (options: object) => openMemory(':memory:', options as never)
  await expect(opened({ embeder: createHashingEmbedder() })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: 'openMemory takes no option embeder (did you mean embedder?).',
  })
  await expect(openMemory({ db: 'memory.db' } as never)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    recovery: expect.stringContaining("openMemory('memory.db'"),
  })
})
