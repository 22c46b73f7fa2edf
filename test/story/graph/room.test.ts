import { expect, test } from 'vitest'
import type { SettingsInput } from '../../../src/engine/settings.ts'
import { join } from '../../helpers/edges.ts'
import { openTestMemory, type TestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'
import { statements } from '../../helpers/words.ts'

type Opened = TestMemory & { readonly ids: readonly string[] }

/** Blocks without an edge, in a memory where each may have `cap`. */
async function openRoom(n: number, cap: number, graph: SettingsInput['graph'] = {}): Promise<Opened> {
  const memory = { similarityEdgesPerBlock: 0, edgeDegreeCap: cap }
  const opened = await openTestMemory({ settings: { memory, graph } })
  return { ...opened, ids: await opened.learn(...statements(n)) }
}

/** The ids that a block is joined to. */
async function joinedTo({ memory }: Pick<TestMemory, 'memory'>, blockId: string): Promise<string[]> {
  return (await memory.show({ blockId })).edges.map(({ other }) => other).sort()
}

const TOGETHER = { relation: 'co_occurs', origin: 'co_retrieval', weight: 0.1 } as const

test('connect between full blocks displaces the weakest edge of each and names both', async () => {
  const opened = await openRoom(4, 1)
  const { memory, ids } = opened
  const [a = '', b = '', x = '', y = ''] = ids
  await join(opened, [a, x], { weight: 0.5 })
  await join(opened, [b, y], { weight: 0.9 })
  const made = await memory.connect({ source: a, target: b, weight: 0.1 })
  expect(made.action).toBe('created')
  expect(made.evictedEdges.map(({ weight }) => weight).sort()).toEqual([0.5, 0.9])
  expect([await joinedTo(opened, a), await joinedTo(opened, b)]).toEqual([[b], [a]])
  expect((await memory.status()).graph.edges).toBe(1)
})

test('similarity is displaced before use, and of each the weakest first', async () => {
  const opened = await openRoom(7, 3)
  const { memory, ids } = opened
  const [hub = '', strong = '', weak = '', used = '', ...newer] = ids
  await join(opened, [hub, strong], { weight: 0.9 })
  await join(opened, [hub, weak], { weight: 0.6 })
  await join(opened, [hub, used], TOGETHER)
  const gone: (string | undefined)[] = []
  for (const target of newer) {
    const [edge] = (await memory.connect({ source: hub, target })).evictedEdges
    gone.push([edge?.fromId, edge?.toId].find((id) => id !== hub))
  }
  expect(gone).toEqual([weak, strong, used])
  expect(await joinedTo(opened, hub)).toEqual([...newer].sort())
})

test('a faded edge is displaced before a fresh one, however heavy', async () => {
  const opened = await openRoom(4, 2)
  const { memory, ids, clock } = opened
  const [hub = '', heavy = '', light = '', newer = ''] = ids
  clock.advance({ hours: 300 })
  await join(opened, [hub, heavy], { weight: 0.9, lastActiveAt: 0 })
  await join(opened, [hub, light], { weight: 0.4, lastActiveAt: 300 })
  await memory.connect({ source: hub, target: newer })
  expect(await joinedTo(opened, hub)).toEqual([light, newer].sort())
})

test('connect is deferred where no edge may be displaced', async () => {
  const opened = await openRoom(4, 2)
  const { memory, ids } = opened
  const [hub = '', said = '', helped = '', newer = ''] = ids
  await memory.connect({ source: hub, target: said, relation: 'similar', weight: 0.01 })
  await memory.outcome({ helped: [hub, helped] })
  expect(await memory.connect({ source: newer, target: hub, note: 'later' })).toMatchObject({
    action: 'deferred',
    weight: 0.65,
    evictedEdges: [],
  })
  expect(await joinedTo(opened, hub)).toEqual([said, helped].sort())
  expect((await memory.status()).graph.pendingConnections).toBe(1)
})

test('curate makes deferred connections, oldest first, as far as there is room', async () => {
  const opened = await openRoom(5, 2)
  const { memory, ids } = opened
  const [hub = '', first = '', second = '', third = '', fourth = ''] = ids
  await memory.connects({ edges: [first, second, third, fourth].map((target) => ({ source: hub, target })) })
  expect((await memory.status()).graph.pendingConnections).toBe(2)
  await memory.disconnect({ source: hub, target: first })
  const curated = await memory.curate()
  expect(curated).toMatchObject({ pendingAdmitted: 1, pendingRemaining: 1, pendingDropped: 0 })
  expect(await joinedTo(opened, hub)).toEqual([second, third].sort())
  await memory.disconnect({ source: hub, target: third })
  expect(await memory.curate()).toMatchObject({ pendingAdmitted: 1, pendingRemaining: 0 })
  expect(await joinedTo(opened, hub)).toEqual([second, fourth].sort())
})

test('curate gives a deferred connection up after ten times', async () => {
  const { memory, ids } = await openRoom(3, 1)
  const [hub = '', full = '', late = ''] = ids
  await memory.connect({ source: hub, target: full })
  await memory.connect({ source: hub, target: late, relation: 'supports' })
  for (let n = 1; n < 10; n++)
    expect(await memory.curate()).toMatchObject({ pendingRemaining: 1, pendingDropped: 0 })
  expect(await memory.curate()).toMatchObject({
    pendingRemaining: 0,
    pendingDropped: 1,
  })
  expect((await memory.status()).graph.pendingConnections).toBe(0)
})

test('a deferred connection goes with its block, or by disconnect', async () => {
  const { memory, ids } = await openRoom(4, 1)
  const [hub = '', full = '', gone = '', off = ''] = ids
  await memory.connects({ edges: [full, gone, off].map((target) => ({ source: hub, target })) })
  await memory.forget({ blockId: gone })
  expect((await memory.status()).graph.pendingConnections).toBe(1)
  expect(await memory.disconnect({ source: off, target: hub })).toMatchObject({
    action: 'removed',
    removedRelation: 'similar',
    pendingRemoved: true,
  })
  await memory.disconnect({ source: hub, target: full })
  expect(await memory.curate()).toMatchObject({ pendingAdmitted: 0, totalEdgesAfter: 0 })
})

test('connect beyond graph.pendingMax is refused', async () => {
  const { memory, ids } = await openRoom(4, 1, { pendingMax: 1 })
  const [hub = '', ...others] = ids
  for (const target of others.slice(0, 2)) await memory.connect({ source: hub, target })
  await expect(memory.connect({ source: hub, target: others[2] as string })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
  expect((await memory.status()).graph).toMatchObject({ edges: 1, pendingConnections: 1 })
})

test('dream lets a better similarity displace a worse one, never the other way round', async () => {
  const opened = await openTestMemory({
    embedder: createPlacedEmbedder(),
    settings: { memory: { edgeDegreeCap: 1 } },
  })
  const { memory, learn } = opened
  const [hub = '', near = ''] = await learn('tea @0 one', 'tea @40 two')
  expect(await joinedTo(opened, hub)).toEqual([near])
  const { blockId: nearer } = await memory.remember({ content: 'tea @335 three' })
  const dream = await memory.dream()
  expect(dream).toMatchObject({ edgesCreated: 1, evictedEdges: [{ relation: 'similar' }] })
  expect(await joinedTo(opened, hub)).toEqual([nearer])
  await memory.remember({ content: 'tea @300 four' })
  expect((await memory.dream()).evictedEdges).toEqual([])
  expect(await joinedTo(opened, hub)).toEqual([nearer])
})
