import { expect, test } from 'vitest'
import type { SettingsInput } from '../../../src/engine/settings.ts'
import { join } from '../../helpers/edges.ts'
import { openTestMemory, type TestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'

const KETTLES = ['The red kettle boils.', 'A red kettle whistles.']
const UNJOINED = { settings: { memory: { similarityEdgesPerBlock: 0 } } }

/** A memory in which similarity joins nothing. */
function openUnjoined(settings: SettingsInput = {}, placed = false): Promise<TestMemory> {
  const memory = { similarityEdgesPerBlock: 0, ...settings.memory }
  return openTestMemory({
    settings: { ...settings, memory },
    ...(placed ? { embedder: createPlacedEmbedder() } : {}),
  })
}

let asked = 0

/** Asks as many new questions and answers the last recall. */
async function askAnew({ memory }: TestMemory, questions: number) {
  let found = await memory.recall({ query: 'red kettle', reinforce: false })
  for (let n = 0; n < questions; n++) found = await memory.recall({ query: `red kettle ${++asked}` })
  return found
}

/** Returns the suggestions of a recall that changes nothing. */
async function suggestions({ memory }: TestMemory, query: string) {
  const { suggestedConnections = [] } = await memory.recall({ query, suggest: true, reinforce: false })
  return suggestedConnections
}

test('the third question that brings two blocks together joins them', async () => {
  const opened = await openUnjoined()
  const [a = '', b = ''] = await opened.learn(...KETTLES)
  expect((await askAnew(opened, 2)).edgesPromoted).toBe(0)
  expect((await opened.memory.recall({ query: `Red kettle, ${asked}?` })).edgesPromoted).toBe(0)
  expect((await askAnew(opened, 1)).edgesPromoted).toBe(1)
  expect((await opened.memory.show({ blockId: a })).edges).toMatchObject([
    { other: b, relation: 'co_occurs', origin: 'co_retrieval', weight: 0.55 },
  ])
  expect((await opened.memory.status()).coRetrievalStagingCount).toBe(0)
})

test('one question joins two blocks when it is asked a third time, each ten minutes after the last', async () => {
  const { memory, learn, clock } = await openTestMemory({
    settings: { memory: { similarityEdgesPerBlock: 0 } },
  })
  await learn('The red kettle boils.', 'A red kettle whistles.')
  for (let time = 1; time <= 3; time++) {
    const first = await memory.recall({ query: 'red kettle' })
    clock.advance({ minutes: 9 })
    await memory.beginSession()
    const second = await memory.recall({ query: 'Red kettle?' })
    clock.advance({ minutes: 1 })
    expect([time, first.edgesPromoted, second.edgesPromoted]).toEqual([time, time === 3 ? 1 : 0, 0])
  }
  expect((await memory.status({})).graph.byOrigin).toMatchObject({ co_retrieval: 1 })
})

test('questions count across sessions and processes', async () => {
  const first = await openUnjoined()
  await first.learn(...KETTLES)
  for (const query of ['red kettle', 'a kettle that is red']) await first.memory.recall({ query })
  const second = await openTestMemory({ ...UNJOINED, path: first.path, clock: first.clock })
  expect((await second.memory.recall({ query: 'red kettle' })).edgesPromoted).toBe(0)
  expect((await second.memory.recall({ query: 'which red kettle is loud' })).edgesPromoted).toBe(1)
})

test('an edge by use displaces mere similarity', async () => {
  const opened = await openUnjoined({ memory: { edgeDegreeCap: 1 } })
  const [a = '', b = '', other = ''] = await opened.learn(...KETTLES, 'Tea is at four.')
  await join(opened, [a, other], { weight: 0.9 })
  expect(await askAnew(opened, 3)).toMatchObject({
    edgesPromoted: 1,
    evictedEdges: [{ relation: 'similar', weight: 0.9 }],
  })
  expect((await opened.memory.show({ blockId: a })).edges).toMatchObject([{ other: b }])
  expect((await opened.memory.show({ blockId: other })).edges).toEqual([])
})

test('a pair without room is joined at curate once there is some', async () => {
  const opened = await openUnjoined({ memory: { edgeDegreeCap: 1 } })
  const { memory, learn } = opened
  const [a = '', b = '', other = ''] = await learn(...KETTLES, 'Tea is at four.')
  await memory.connect({ source: a, target: other })
  expect((await askAnew(opened, 3)).edgesPromoted).toBe(0)
  expect((await memory.curate()).promoted).toBe(0)
  expect((await memory.status()).coRetrievalStagingCount).toBe(1)
  await memory.disconnect({ source: a, target: other })
  expect(await memory.curate()).toMatchObject({ promoted: 1, totalEdgesAfter: 1 })
  expect((await memory.show({ blockId: b })).edges).toMatchObject([{ other: a, origin: 'co_retrieval' }])
  expect((await memory.status()).coRetrievalStagingCount).toBe(0)
})

test('recall with suggest names a pair that one more question would join', async () => {
  const opened = await openUnjoined()
  const { memory, learn } = opened
  const [a = '', b = ''] = await learn(...KETTLES)
  await askAnew(opened, 1)
  expect(await suggestions(opened, 'red kettle')).toEqual([])
  await askAnew(opened, 1)
  const [first, ...others] = await suggestions(opened, 'red kettle')
  expect(others).toEqual([])
  expect([first?.source, first?.target].sort((x, y) => ((x?.id ?? '') < (y?.id ?? '') ? -1 : 1))).toEqual(
    [
      { id: a, content: KETTLES[0] },
      { id: b, content: KETTLES[1] },
    ].sort((x, y) => (x.id < y.id ? -1 : 1)),
  )
  expect(first).toMatchObject({ relation: 'co_occurs', confidence: 0.6667 })
  expect(first?.reason).toContain('2 of the 3')
  if (first) {
    const { source, target, relation } = first
    const made = await memory.connect({ source: source.id, target: target.id, relation })
    expect(made.action).toBe('created')
  }
  expect(await suggestions(opened, 'red kettle')).toEqual([])
})

test('recall with suggest names no pair that is joined, lately disconnected or open', async () => {
  const settings = { recall: { newerFirst: 100 } }
  const opened = await openUnjoined(settings, true)
  const { memory, learn, clock } = opened
  const [a = '', b = '', c = '', d = ''] = await learn('tea @0 a', 'tea @30 b', 'tea @65 n1', 'tea @70 n2')
  const pairs = async () =>
    (await suggestions(opened, 'tea @40')).map(({ source, target }) => [source.id, target.id].sort())
  expect((await memory.show({ blockId: c })).openPairs).toMatchObject([{ other: d }])
  const before = await pairs()
  expect(before).toEqual([a, c].map((id) => [b, id].sort()))
  await memory.connect({ source: a, target: b })
  expect(await pairs()).not.toContainEqual([a, b].sort())
  await memory.disconnect({ source: a, target: b })
  expect(await pairs()).not.toContainEqual([a, b].sort())
  clock.advance({ hours: 201 })
  expect(await pairs()).toContainEqual([a, b].sort())
})
