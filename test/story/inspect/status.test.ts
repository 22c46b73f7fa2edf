import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { createTestClock } from '../../helpers/clock.ts'
import { handMadeModel } from '../../helpers/hand-made-model.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'

const NO_SIMILARITY = { memory: { similarityEdgesPerBlock: 0 } }

test('status of a new memory is good, suggests setup and writes nothing', async () => {
  const { memory, path } = await openTestMemory()
  const status = await memory.status()
  expect(status).toMatchObject({ health: 'good', reasons: [], activeCount: 0, inboxCount: 0, location: path })
  expect(status.suggestion).toContain('setup')
  expect(status.lastConsolidated).toBeUndefined()
  expect((await memory.history()).operations).toEqual([])
})

test('status counts blocks, edges and hours and names the embedder', async () => {
  const { memory, learn, clock } = await openTestMemory({
    settings: { ...NO_SIMILARITY, session: { idleMinutes: 120 } },
  })
  const [a = '', b = '', c = ''] = await learn(...statements(3))
  await memory.outcome({ helped: [a, b] })
  await memory.forget({ blockId: c })
  clock.advance({ hours: 2 })
  await memory.remember({ content: 'one apple' })
  expect(await memory.status()).toMatchObject({
    activeCount: 2,
    archivedCount: 1,
    inboxCount: 1,
    pendingCount: 1,
    embeddingModel: 'hashing-384',
    lastConsolidated: '2026-03-02T09:00:00.000Z',
    totalActiveHours: 2,
    graph: { edges: 1, byRelation: { outcome: 1 }, byOrigin: { outcome: 1 }, isolated: 0 },
  })
})

test('status with another embedder is degraded and names both', async () => {
  const first = await openTestMemory()
  await first.learn('one apple')
  const embedder = createHashingEmbedder({ dimensions: 8 })
  const { memory } = await openTestMemory({ path: first.path, embedder })
  const { health, reasons, suggestion } = await memory.status()
  expect(health).toBe('degraded')
  expect([reasons[0], suggestion]).toEqual([
    expect.stringContaining('hashing-8'),
    expect.stringContaining('hashing-384'),
  ])
})

test('status and history count tokens, and status is degraded while a judgement is pending', async () => {
  const { memory } = await openTestMemory({ languageModel: handMadeModel(() => 'no JSON') })
  await memory.remember({ content: 'one apple' })
  await memory.dream()
  const { judge, tokens, health } = await memory.status()
  expect([judge, health]).toMatchObject([{ pending: 1, unjudged: 1 }, 'degraded'])
  expect(tokens.lifetime.llmCalls).toBeGreaterThan(0)
  expect(tokens.today).toBe(tokens.lifetime.llmCalls * 15)
  const { operations } = await memory.history({ operation: 'dream' })
  expect(operations).toMatchObject([{ operation: 'dream', tokens: { llmCalls: tokens.lifetime.llmCalls } }])
})

const NOTHING = { takenIn: 0, recalled: 0, reported: 0, archived: 0 }

/** One day of use, over midnight: five taken in, one of them a duplicate, two recalls, a report, one forgotten. */
async function lived() {
  const clock = createTestClock('2026-03-01T22:00:00Z')
  const opened = await openTestMemory({ clock, settings: { memory: { keepOperations: 100 } } })
  const { memory, learn } = opened
  const [a = '', b = ''] = await learn(...statements(3), 'The kettle is blue.', 'The  kettle is blue.')
  await memory.recall({ query: 'which kettle is blue' })
  clock.advance({ hours: 4 })
  await memory.recall({ query: 'kettle' })
  await memory.recall({ query: 'kettle', reinforce: false })
  await memory.outcome({ helped: [a] })
  await memory.forget({ blockId: b })
  return opened
}

const LIVED = [
  { day: '2026-03-01', takenIn: 4, recalled: 1, reported: 0, archived: 0 },
  { day: '2026-03-02', takenIn: 0, recalled: 1, reported: 1, archived: 1 },
]

test('status with days counts what was done on each UTC day', async () => {
  const { memory } = await lived()
  const { activity } = await memory.status({ days: 3 })
  expect(activity).toEqual([{ day: '2026-02-28', ...NOTHING }, ...LIVED])
  expect((await memory.status()).activity).toBeUndefined()
})

test('status of a scope counts its own days, and that of the whole memory all', async () => {
  const { memory } = await lived()
  await memory.remember({ content: 'Over there it rains.', scope: 'there' })
  const [today] = LIVED.slice(1)
  const of = async (scope?: string) => (await memory.status({ days: 1, ...(scope && { scope }) })).activity
  expect(await of('there')).toEqual([{ day: '2026-03-02', ...NOTHING, takenIn: 1 }])
  expect(await of()).toEqual([{ ...today, takenIn: 1 }])
})
