import { expect, test } from 'vitest'
import { createTestClock } from '../../helpers/clock.ts'
import { join } from '../../helpers/edges.ts'
import { openTestMemory, type TestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'

const QUIET = { edgesByUse: 0, edgesBySimilarity: 0, edgesOtherwise: 0, helped: 0, helpedAlongEdges: 0 }
const EMPTY = { ...QUIET, promoted: 0, pruned: 0, connects: 0, sessions: 0 }
const FIRST = '2026-03-02'
const SECOND = '2026-03-09'

/** A memory on a Monday whose log keeps next to nothing after a curation, and two blocks that an agent joined there. */
async function joined() {
  const clock = createTestClock(`${FIRST}T09:00:00Z`)
  const opened = await openTestMemory({
    ...{ clock, embedder: createPlacedEmbedder() },
    settings: { memory: { similarityEdgesPerBlock: 0, keepOperations: 1 } },
  })
  const [seed = '', brought = ''] = await opened.learn('disk @0 is full', 'tests time out', 'tea @0 is late')
  await opened.memory.connect({ source: brought, target: seed, relation: 'supports' })
  return { ...opened, seed, brought }
}

async function weeksOf(memory: TestMemory['memory'], days = 8) {
  return (await memory.status({ days })).weeks
}

test('status with days counts what helped along an edge, connections and sessions by week', async () => {
  const { memory, clock, seed, brought } = await joined()
  const { blocks } = await memory.recall({ query: 'disk @0 is full' })
  expect(blocks.map(({ wasExpanded }) => wasExpanded)).toEqual([false, true])
  await memory.outcome({ helped: [seed, brought] })
  await memory.outcome({ misled: [brought] })
  clock.advance({ hours: 24 * 7 })
  await memory.remember({ content: 'A week went by.' })
  expect(await weeksOf(memory)).toEqual([
    {
      ...{ ...EMPTY, week: FIRST, edgesOtherwise: 1, helped: 2, helpedAlongEdges: 1, lift: 0.5 },
      ...{ connects: 1, sessions: 1, connectsPerSession: 1 },
    },
    { ...EMPTY, week: SECOND, staged: 0, sessions: 1, connectsPerSession: 0 },
  ])
  expect((await memory.status()).weeks).toBeUndefined()
})

test('status with days knows what was pruned of how many edges, and keeps counts that left the log', async () => {
  const { memory, clock, store, learn, seed, brought } = await joined()
  const [one = '', other = ''] = await learn('rain @0 falls', 'rain @90 stops')
  const at = `${FIRST}T10:00:00.000Z`
  await join({ store }, [one, other], { origin: 'similarity', weight: 0.05, createdAt: at })
  await join({ store }, [one, seed], { origin: 'outcome', weight: 0.7, createdAt: at })
  await join({ store }, [other, brought], { origin: 'co_retrieval', weight: 0.7, createdAt: at })
  expect(await memory.curate()).toMatchObject({ edgesPruned: 1 })
  const week = {
    ...{ ...EMPTY, week: FIRST, edgesByUse: 2, edgesOtherwise: 1, promoted: 1, staged: 0 },
    ...{ pruned: 1, prunedShare: 0.25, connects: 1, sessions: 1, connectsPerSession: 1 },
  }
  expect(await weeksOf(memory, 1)).toEqual([week])
  clock.advance({ hours: 24 * 7 })
  await memory.remember({ content: 'A week went by.' })
  await memory.curate()
  await memory.curate()
  expect((await memory.history({ operation: 'prune' })).operations).toEqual([])
  expect(await weeksOf(memory)).toEqual([
    week,
    { ...EMPTY, week: SECOND, staged: 0, prunedShare: 0, sessions: 1, connectsPerSession: 0 },
  ])
})

test('status of a scope has the weeks of that scope alone', async () => {
  const { memory } = await joined()
  await memory.remember({ content: 'Over there it rains.', scope: 'there' })
  const [there] = (await memory.status({ days: 1, scope: 'there' })).weeks ?? []
  expect(there).toMatchObject({ connects: 0, edgesOtherwise: 0 })
})
