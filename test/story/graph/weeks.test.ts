import { expect, test } from 'vitest'
import { createTestClock } from '../../helpers/clock.ts'
import { join } from '../../helpers/edges.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'

const FIRST = '2026-03-02'
const SECOND = '2026-03-09'

/** Two blocks that an agent joined on a Monday, in a memory whose log keeps next to nothing after a curation. */
async function joined() {
  const clock = createTestClock(`${FIRST}T09:00:00Z`)
  const opened = await openTestMemory({
    ...{ clock, embedder: createPlacedEmbedder() },
    settings: { memory: { similarityEdgesPerBlock: 0, keepOperations: 1 } },
  })
  const [seed = '', brought = ''] = await opened.learn('disk @0 is full', 'tests time out', 'tea @0 is late')
  await opened.memory.connect({ source: brought, target: seed, relation: 'supports' })
  const weeks = async (scope?: string) =>
    (await opened.memory.status({ days: 8, ...(scope && { scope }) })).weeks?.slice(-2)
  const nextWeek = async () => {
    clock.advance({ hours: 24 * 7 })
    await opened.memory.remember({ content: 'A week went by.' })
  }
  return { ...opened, seed, brought, weeks, nextWeek }
}

test('status with days counts what helped along an edge, connections and sessions by week, in a scope its own', async () => {
  const { memory, seed, brought, weeks, nextWeek } = await joined()
  const { blocks } = await memory.recall({ query: 'disk @0 is full' })
  expect(blocks.map(({ wasExpanded }) => wasExpanded)).toEqual([false, true])
  await memory.outcome({ helped: [seed, brought] })
  await memory.outcome({ misled: [brought] })
  await nextWeek()
  const used = { helped: 2, helpedAlongEdges: 1, lift: 0.5, connects: 1, sessions: 1, connectsPerSession: 1 }
  expect(await weeks()).toMatchObject([
    { week: FIRST, edgesOtherwise: 1, ...used },
    { week: SECOND, edgesOtherwise: 0, helped: 0, connects: 0, sessions: 1, staged: 0 },
  ])
  expect(await weeks('there')).toMatchObject([{ connects: 0, helped: 0, edgesOtherwise: 0 }, {}])
  expect((await memory.status()).weeks).toBeUndefined()
})

test('status with days knows what was pruned of how many edges, and keeps counts that left the log', async () => {
  const { memory, store, learn, seed, brought, weeks, nextWeek } = await joined()
  const [one = '', other = ''] = await learn('rain @0 falls', 'rain @90 stops')
  const at = { createdAt: `${FIRST}T10:00:00.000Z` }
  await join({ store }, [one, other], { origin: 'similarity', weight: 0.05, ...at })
  await join({ store }, [one, seed], { origin: 'outcome', weight: 0.7, ...at })
  await join({ store }, [other, brought], { origin: 'co_retrieval', weight: 0.7, ...at })
  expect(await memory.curate()).toMatchObject({ edgesPruned: 1 })
  await nextWeek()
  for (let times = 0; times < 2; times++) await memory.curate()
  expect((await memory.history({ operation: 'prune' })).operations).toEqual([])
  const made = { edgesByUse: 2, edgesBySimilarity: 0, edgesOtherwise: 1, promoted: 1 }
  expect(await weeks()).toMatchObject([
    { week: FIRST, ...made, pruned: 1, prunedShare: 0.25, connects: 1, staged: 0 },
    { week: SECOND, pruned: 0, prunedShare: 0, connects: 0 },
  ])
})
