import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { poolEmbedder } from '../../src/adapters/embed/embedder-pool.ts'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { parseGivenSettings } from '../../src/adapters/project/settings-schema.ts'
import { openLifetime } from '../../src/engine/open-memory.ts'
import type { Embedder, EmbedOptions } from '../../src/engine/ports.ts'
import { Turns } from '../../src/engine/turns.ts'
import { ElfmemError } from '../../src/errors.ts'
import { table } from '../../src/operations/table.ts'
import { createTestClock } from '../helpers/clock.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { QUIET_MS } from '../helpers/resting.ts'
import { createTestTimer } from '../helpers/timer.ts'

const failed = (passing: boolean) =>
  new ElfmemError('EMBEDDER_FAILED', 'No.', { recovery: 'Wait.', details: { passing } })

/** An embedder that keeps what it was asked and how much at a time, and refuses texts with `bad` in them. */
function asked(error = failed(false)) {
  const batches: (readonly string[])[] = []
  const hashing = createHashingEmbedder()
  const load = { running: 0, most: 0 }
  const embedder: Embedder = {
    ...{ model: hashing.model, dimensions: hashing.dimensions, close: () => hashing.close() },
    embed: async (texts: readonly string[], options?: EmbedOptions) => {
      batches.push(texts)
      load.running += 1
      load.most = Math.max(load.most, load.running)
      await new Promise(setImmediate)
      load.running -= 1
      if (texts.some((text) => text.includes('bad'))) throw error
      options?.usage?.({ tokens: 10 * texts.length, calls: 1 })
      return hashing.embed(texts)
    },
  }
  onTestFinished(() => embedder.close())
  return { batches, hashing, load, embedder, pool: poolEmbedder(embedder) }
}

test('texts of several callers go in one batch, and each gets its own vectors in order', async () => {
  const { batches, hashing, pool } = asked()
  const lists = [['one', 'two'], ['three'], [], ['four', 'five', 'six']]
  const vectors = await Promise.all(lists.map((texts) => pool.embed(texts)))
  expect(batches).toEqual([['one', 'two', 'three', 'four', 'five', 'six']])
  expect(vectors).toEqual(await Promise.all(lists.map((texts) => hashing.embed(texts))))
})

test('a batch is bounded, and a long list goes its own way', async () => {
  const { batches, pool } = asked()
  const texts = (n: number) => Array.from({ length: n }, (_, i) => `text ${i}`)
  await Promise.all([pool.embed(texts(200)), ...Array.from({ length: 30 }, () => pool.embed(texts(10)))])
  expect(batches.map(({ length }) => length)).toContain(200)
  expect(batches.filter(({ length }) => length !== 200).every(({ length }) => length <= 64)).toBe(true)
  expect(batches.length).toBeLessThanOrEqual(7)
})

test('a text that fails, fails the call that it is of, alone', async () => {
  const { pool } = asked()
  const [one, bad, other] = await Promise.allSettled(
    [['one'], ['bad'], ['other']].map((each) => pool.embed(each)),
  )
  expect([one?.status, bad?.status, other?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('the dreams of two memories at rest take turns, and both are dreamt', async () => {
  const clock = createTestClock()
  const timer = createTestTimer(clock)
  const turns = new Turns(1)
  const { embedder, load } = asked()
  const open = async (name: string) => {
    const database = { path: join(temporaryFolder(), `${name}.db`), rule: '--db' } as const
    const parts = { clock, timer, turns, embedder, as: 'owner' } as const
    const memory = await openLifetime({ settings: parseGivenSettings({}), database, env: {} }, parts)
    onTestFinished(() => memory.close())
    await memory.call(table.remember, { content: `This is memory ${name}` })
    return memory
  }
  const both = [await open('one'), await open('two')]
  load.most = 0
  for (let times = 0; times < 4; times += 1) await timer.pass(QUIET_MS)
  const dreams = both.map(async (memory) => {
    const { operations } = (await memory.call(table.history, { operation: 'dream' })) as {
      operations: object[]
    }
    return operations.length
  })
  expect(await Promise.all(dreams)).toEqual([1, 1])
  expect([load.most, turns.waiting]).toEqual([1, 0])
})
