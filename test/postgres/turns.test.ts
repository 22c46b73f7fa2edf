import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import { openServer, type Server } from '../../src/postgres/server.ts'
import { createStore } from '../../src/store/store.ts'
import { createTestClock } from '../helpers/clock.ts'
import { openProxy } from '../helpers/line-proxy.ts'
import { hasPostgres } from '../helpers/postgres.ts'
import { statements } from '../helpers/words.ts'
import { type Served, START_MS, scratch, serve } from './served.ts'

/** Milliseconds that the line takes in each direction. */
const LINE_MS = 3

const QUESTIONS = ['What does the harbour open?', 'copper pipes in case 0q0', 'Who repairs spare gears?']

describe.skipIf(!hasPostgres)('over a line that takes its time', () => {
  let served: Served
  let proxy: Awaited<ReturnType<typeof openProxy>>
  let server: Server
  let memory: Memory

  beforeAll(async () => {
    served = await serve()
    const { worker } = served.database
    proxy = await openProxy(Number(new URL(worker).port), { lasts: 'until closed', delayMs: LINE_MS })
    server = await openServer(proxy.through(worker), { scratch, connections: 2 })
    memory = await openMemory('', {
      as: 'owner',
      store: createStore(await server.memory('far')),
      clock: createTestClock(),
      embedder: createHashingEmbedder(),
    })
    await memory.rememberMany({ blocks: statements(120).map((content) => ({ content })) })
    await memory.dream()
    // Statements are planned and the reports read before turns are counted.
    for (const query of [...QUESTIONS, ...QUESTIONS]) await report(query)
  }, START_MS)
  afterAll(async () => {
    await memory.close()
    await server.close()
    await proxy.close()
    await served.end()
  })

  const report = async (query: string) => {
    const { recallId, blockIds } = await memory.recall({ query })
    const outcome = { recallId, helped: blockIds.slice(0, 3), misled: blockIds.slice(3, 4) }
    return turnsOf(() => memory.outcome(outcome))
  }
  /** Returns how often a call waited for the line, once nothing else is on it. */
  const turnsOf = async (call: () => Promise<unknown>) => {
    await memory.shouldDream()
    await proxy.quiet()
    const before = proxy.turns()
    await call()
    return proxy.turns() - before
  }

  test('a recall waits for the line at most six times', async () => {
    for (const query of QUESTIONS) {
      const turns = await turnsOf(() => memory.recall({ query }))
      expect(turns).toBeGreaterThan(1)
      expect(turns).toBeLessThanOrEqual(6)
    }
  })

  test('an outcome waits for it at most eight times, and remembering at most five times', async () => {
    for (const query of QUESTIONS) expect(await report(query)).toBeLessThanOrEqual(8)
    const content = 'The baker paints copper pots early.'
    expect(await turnsOf(() => memory.remember({ content }))).toBeLessThanOrEqual(5)
  })
})
