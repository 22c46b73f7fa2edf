import { expect, test } from 'vitest'
import type { SettingsInput } from '../../src/config/settings.ts'
import { join } from '../helpers/edges.ts'
import { openTestMemory, type TestMemory } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { nextTurn } from '../helpers/timer.ts'
import { statements } from '../helpers/words.ts'

const KETTLES = ['The red kettle boils.', 'A red kettle whistles.']

/** A memory that similarity joins nothing in. */
function openUnjoined(settings: SettingsInput = {}, placed = false): Promise<TestMemory> {
  const memory = { similarityEdgesPerBlock: 0, ...settings.memory }
  return openTestMemory({
    settings: { ...settings, memory },
    ...(placed ? { embedder: createPlacedEmbedder() } : {}),
  })
}

let asked = 0

/** Asks so many questions that were not asked before; what the last one was answered. */
async function askAnew({ memory }: TestMemory, questions: number) {
  let found = await memory.recall({ query: 'red kettle', reinforce: false })
  for (let n = 0; n < questions; n++) found = await memory.recall({ query: `red kettle ${++asked}` })
  return found
}

/** What is suggested without changing anything. */
async function suggestions({ memory }: TestMemory, query: string) {
  const { suggestedConnections = [] } = await memory.recall({ query, suggest: true, reinforce: false })
  return suggestedConnections
}

test('the third question that brings them together joins two blocks, in one session, and says as what', async () => {
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

test('what use joins takes the place of mere similarity, and says what gave way', async () => {
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

test('a pair that finds no room stays on its way and is joined at curate when there is some', async () => {
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

// W34
test('however many pairs come together, the store keeps no more than the limit', async () => {
  const { memory, learn, store } = await openUnjoined({ memory: { coRetrievalStagingMax: 4 } })
  await learn(...Array.from({ length: 8 }, (_, n) => `The red kettle number ${n} boils.`))
  for (let question = 0; question < 5; question++) {
    await memory.recall({ query: `red kettle ${question}`, topK: 8 })
    const staged = await store.read((tx) => tx.stagedPairs({ atLeast: 1, limit: 1_000 }))
    expect(staged.length).toBeLessThanOrEqual(4)
  }
  expect((await memory.status()).coRetrievalStagingCount).toBeGreaterThan(0)
})

test('whether coming together counts is a setting: never, or only while nobody reports', async () => {
  const staged = async (coRetrievalWhen: 'never' | 'unreported' | 'always', reported: boolean) => {
    const { memory, learn } = await openUnjoined({ memory: { coRetrievalWhen } })
    const [id = ''] = await learn(...KETTLES)
    if (reported) await memory.outcome({ helped: [id] })
    await memory.recall({ query: 'red kettle' })
    return (await memory.status()).coRetrievalStagingCount
  }
  expect([await staged('always', false), await staged('always', true)]).toEqual([1, 1])
  expect([await staged('unreported', false), await staged('unreported', true)]).toEqual([1, 0])
  expect([await staged('never', false), await staged('never', true)]).toEqual([0, 0])
})

test('what comes together though it lies far apart is joined more firmly than what is alike', async () => {
  const settings = { memory: { coRetrievalThreshold: 1 }, graph: { apartCosine: 0.7 } }
  const opened = await openUnjoined(settings, true)
  const [far = '', near = '', other = ''] = await opened.learn('tea @60 x', 'tea @0 y', 'tea @30 z')
  await opened.memory.recall({ query: 'tea @30' })
  const weightTo = async (id: string) => {
    const { edges } = await opened.memory.show({ blockId: far })
    return edges.find((edge) => edge.other === id)?.weight
  }
  expect([await weightTo(near), await weightTo(other)]).toEqual([0.8, 0.55])
})

test('with no weight for alike pairs only those far apart are counted', async () => {
  const settings = { memory: { coRetrievalWeight: 0 }, graph: { apartCosine: 0.7 } }
  const opened = await openUnjoined(settings, true)
  const [far = '', near = ''] = await opened.learn('tea @60 x', 'tea @0 y', 'tea @30 z')
  await opened.memory.recall({ query: 'tea @30' })
  await nextTurn()
  const staged = await opened.store.read((tx) => tx.stagedPairs({ atLeast: 1, limit: 10 }))
  const [from = '', to = ''] = [far, near].sort()
  expect(staged).toEqual([{ from, to, count: 1 }])
})

test('an outcome joins at most ten pairs, and none when only the whole set is known to have helped', async () => {
  const { memory, learn } = await openUnjoined()
  const ids = await learn(...statements(6))
  expect(await memory.outcome({ blockIds: ids, signal: 1, about: 'set' })).toMatchObject({
    outcomeEdgesCreated: 0,
    edgesReinforced: 0,
  })
  expect((await memory.status()).graph.edges).toBe(0)
  expect(await memory.outcome({ helped: ids })).toMatchObject({ outcomeEdgesCreated: 10 })
  expect(await memory.outcome({ helped: ids })).toMatchObject({
    outcomeEdgesCreated: 0,
    edgesReinforced: 10,
  })
  expect((await memory.status()).graph.edges).toBe(10)
})

test('blocks that misled together are joined as far as reports agree, less when that is wanted, and never against an agent', async () => {
  const weights = async (outcomeMissDelta: number) => {
    const { memory, learn } = await openUnjoined({ graph: { outcomeMissDelta } })
    const [a = '', b = '', c = ''] = await learn(...statements(3))
    await memory.outcome({ helped: [a, b] })
    await memory.connect({ source: a, target: c, relation: 'outcome' })
    const { edgesWeakened } = await memory.outcome({ misled: [a, b, c] })
    const { edges } = await memory.show({ blockId: a })
    const weightOf = (id: string) => edges.find(({ other }) => other === id)?.weight
    return { edgesWeakened, automatic: weightOf(b), said: weightOf(c) }
  }
  // Half of the reports say that they helped together.
  expect(await weights(0)).toEqual({ edgesWeakened: 1, automatic: 0.4, said: 0.8 })
  const { automatic, ...rest } = await weights(0.6)
  expect(rest).toEqual({ edgesWeakened: 1, said: 0.8 })
  expect(automatic).toBeCloseTo(0.2, 9)
})

test('an edge is taken away only if it is there and says what was thought', async () => {
  const { memory, learn } = await openUnjoined()
  const [source = '', target = ''] = await learn(...KETTLES)
  expect((await memory.disconnect({ source, target })).action).toBe('not_found')
  expect((await memory.disconnect({ source, target: 'ffffffffffff' })).action).toBe('not_found')
  await memory.connect({ source, target, relation: 'supports' })
  const guarded = await memory.disconnect({ source, target, guardRelation: 'similar' })
  expect(guarded).toMatchObject({ action: 'guarded', removedRelation: 'supports', removedWeight: 0.75 })
  const cut = { source: target.slice(0, 8), target: source, guardRelation: ' Supports ', reason: 'wrong pot' }
  expect(await memory.disconnect(cut)).toMatchObject({
    sourceId: target,
    action: 'removed',
    removedRelation: 'supports',
    removedWeight: 0.75,
    restoredEdges: [],
  })
  const { operations } = await memory.history({ operation: 'disconnect' })
  expect(operations).toMatchObject([{ reason: 'wrong pot', blockIds: [target, source] }])
})

test('neither use nor a reported outcome joins again what was disconnected, for 200 active hours', async () => {
  const opened = await openUnjoined()
  const { memory, learn, clock } = opened
  const [a = '', b = ''] = await learn(...KETTLES)
  await memory.connect({ source: a, target: b })
  await memory.disconnect({ source: a, target: b })
  const tryAgain = async () => {
    const { edgesPromoted } = await askAnew(opened, 4)
    const { outcomeEdgesCreated, edgesSkippedAsDisconnected } = await memory.outcome({ helped: [a, b] })
    const { promoted } = await memory.curate()
    return [edgesPromoted, promoted, outcomeEdgesCreated, edgesSkippedAsDisconnected]
  }
  expect(await tryAgain()).toEqual([0, 0, 0, 1])
  clock.advance({ hours: 199 })
  expect(await tryAgain()).toEqual([0, 0, 0, 1])
  clock.advance({ hours: 2 })
  expect((await memory.outcome({ helped: [a, b] })).outcomeEdgesCreated).toBe(1)
})

test('after 200 active hours use may join again what was disconnected, and an agent may at once', async () => {
  const opened = await openUnjoined()
  const { memory, learn, clock } = opened
  const [source = '', target = ''] = await learn(...KETTLES)
  await memory.connect({ source, target })
  await memory.disconnect({ source, target })
  clock.advance({ hours: 201 })
  expect((await askAnew(opened, 3)).edgesPromoted).toBe(1)
  await memory.disconnect({ source, target })
  expect((await memory.connect({ source, target })).action).toBe('created')
  await memory.outcome({ helped: [source, target] })
  expect((await memory.show({ blockId: source })).edges).toMatchObject([{ reinforcementCount: 1 }])
})

test('a block that comes back does not bring what was disconnected, only what was not', async () => {
  const { memory, learn } = await openUnjoined()
  const [a = '', b = '', c = ''] = await learn(...statements(3))
  await memory.connects({ edges: [b, c].map((target) => ({ source: a, target })) })
  await memory.disconnect({ source: a, target: b })
  await memory.forget({ blockId: a })
  expect(await memory.restore({ blockId: a })).toMatchObject({ edgesRestored: 1 })
  expect((await memory.show({ blockId: a })).edges).toMatchObject([{ other: c }])
})

test('a pair one question short of being joined by use is suggested, with a call that works', async () => {
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
  if (first) expect((await memory.connect(first.connect)).action).toBe('created')
  expect(await suggestions(opened, 'red kettle')).toEqual([])
})

test('blocks that are very alike and not joined are suggested, at most three, the surest first', async () => {
  const opened = await openUnjoined({}, true)
  await opened.learn('tea @0 one', 'tea @30 two', 'tea @62 three', 'tea @95 four')
  const found = await suggestions(opened, 'tea @40')
  expect(found.map(({ relation }) => relation)).toEqual(['similar', 'similar', 'similar'])
  for (const [i, degrees] of [30, 32, 33].entries())
    expect(found[i]?.confidence).toBeCloseTo(Math.cos((degrees * Math.PI) / 180), 2)
  expect(found[0]?.reason).toContain('very much alike')
  const { suggestedConnections } = await opened.memory.recall({ query: 'tea @40' })
  expect(suggestedConnections).toBeUndefined()
})

test('nothing is suggested that is joined, was disconnected lately, or is an open pair', async () => {
  const settings = { graph: { suggestions: 10 }, recall: { groupVersions: false } }
  const opened = await openUnjoined(settings, true)
  const { memory, learn, clock } = opened
  const [a = '', b = '', c = '', d = ''] = await learn('tea @0 a', 'tea @30 b', 'tea @65 n1', 'tea @70 n2')
  const pairs = async () =>
    (await suggestions(opened, 'tea @40')).map(({ connect }) => [connect.source, connect.target].sort())
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

test.each(['self', 'task'] as const)(
  'blocks used together though only the %s frame showed one of them are suggested',
  async (frame) => {
    const opened = await openUnjoined()
    const { memory, learn } = opened
    const { blockId: own } = await memory.remember({ content: 'Answers are short.', tags: ['self/goal'] })
    const [seen = ''] = await learn('The red kettle boils.')
    await memory.recall({ frame, query: 'short answers', tags: ['self/goal'] })
    await memory.recall({ query: 'red kettle', topK: 1 })
    expect(await suggestions(opened, 'red kettle')).toEqual([])
    for (const id of [own, seen]) await memory.outcome({ helped: [id] })
    const [first] = await suggestions(opened, 'red kettle')
    expect(first).toMatchObject({ relation: 'co_occurs', confidence: 0.6 })
    expect([first?.source.id, first?.target.id].sort()).toEqual([own, seen].sort())
    if (first) expect((await memory.connect(first.connect)).action).toBe('created')
    expect(await suggestions(opened, 'red kettle')).toEqual([])
  },
)
