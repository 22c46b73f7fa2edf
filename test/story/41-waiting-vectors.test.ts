import { expect, onTestFinished, test } from 'vitest'
import { settingsSchema } from '../../src/config/settings.ts'
import { embedWaiting } from '../../src/flow/blocks/embed-waiting.ts'
import { openEngine } from '../../src/opening/open-engine.ts'
import { remember } from '../../src/operations/intake/remember.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import { createTestClock } from '../helpers/clock.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'

const ALL = { most: Number.POSITIVE_INFINITY, milliseconds: 1_000 }

/** An engine in which ten blocks wait, and what its embedder was asked. */
async function waitingEngine(change: (embedder: Embedder) => Partial<Embedder> = () => ({})) {
  const placed = createPlacedEmbedder()
  const clock = createTestClock()
  const { engine, close } = await openEngine(
    { path: ':memory:', settings: settingsSchema.parse({}), env: {} },
    { embedder: { ...placed, ...change(placed) }, clock },
  )
  onTestFinished(close)
  const texts = Array.from({ length: 10 }, (_, i) => `fact${i} of the day`)
  for (const content of texts)
    await remember.run(engine, { content, category: 'knowledge', keepFrame: false }, {})
  return { engine, clock, texts, asked: placed.asked }
}

test('the newest waiting blocks are embedded first, at most so many as asked for', async () => {
  const { engine, asked, texts } = await waitingEngine()
  expect(await embedWaiting(engine, {}, { ...ALL, most: 6 })).toBe(4)
  expect(asked).toEqual(texts.slice(4).toReversed())
  expect(await embedWaiting(engine, {}, ALL)).toBe(0)
  expect([...asked].sort()).toEqual(texts)
})

test('calls at the same time embed no text twice', async () => {
  const { engine, asked, texts } = await waitingEngine()
  await Promise.all([1, 2, 3].map(() => embedWaiting(engine, {}, ALL)))
  expect([...asked].sort()).toEqual(texts)
})

test('embedding what waits stops when its signal is aborted, and keeps what was made until then', async () => {
  const controller = new AbortController()
  const { engine, asked } = await waitingEngine((inner) => ({
    embed: (texts, options) => {
      controller.abort()
      return inner.embed(texts, options)
    },
  }))
  expect(await embedWaiting(engine, { signal: controller.signal }, ALL)).toBe(6)
  expect(asked.length).toBe(4)
})

test('embedding what waits begins no batch when its time is over', async () => {
  const { clock, engine, asked } = await waitingEngine((inner) => ({
    embed: (texts, options) => {
      clock.advance({ minutes: 1 })
      return inner.embed(texts, options)
    },
  }))
  expect(await embedWaiting(engine, {}, ALL)).toBe(6)
  expect(asked.length).toBe(4)
})

test('an embedder that fails leaves what waits as it is, quietly', async () => {
  const { engine, asked } = await waitingEngine()
  const failing = createPlacedEmbedder()
  failing.fail(true)
  expect(await embedWaiting({ ...engine, embedder: failing }, {}, ALL)).toBe(10)
  expect(asked).toEqual([])
  expect(await embedWaiting(engine, {}, ALL)).toBe(0)
})

test('nothing is embedded besides a dream', async () => {
  const { engine, asked } = await waitingEngine()
  engine.embedding.dreams += 1
  expect(await embedWaiting(engine, {}, ALL)).toBe(10)
  expect(asked).toEqual([])
})
