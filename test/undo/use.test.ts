import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../helpers/memory.ts'

const [SUN, RAIN, TEA] = ['Roses want sun', 'Roses want rain', 'Tea is at four']

/** Three blocks that only use and agents join, each to one other. */
async function roses(edgeDegreeCap = 1) {
  const opened = await openTestMemory({
    settings: { memory: { edgeDegreeCap, coRetrievalThreshold: 1, similarityEdgesPerBlock: 0 } },
  })
  const [sun, rain, tea] = (await opened.learn(SUN, RAIN, TEA)) as [string, string, string]
  const recallRoses = () => opened.memory.recall({ query: 'roses want', topK: 2, minStrength: 0 })
  const edges = async () => {
    const { edges: found } = await opened.store.read((tx) => tx.links([sun, rain, tea]))
    return found.map(({ from, to, origin }) => [[from, to].sort(), origin])
  }
  return { ...opened, sun, rain, tea, recallRoses, edges }
}

const edge = (one: string, other: string, origin: string) => [[one, other].sort(), origin]

test('an edge that comes back takes the room that use has filled since, and the undo says so', async () => {
  const { memory, sun, rain, tea, recallRoses, edges } = await roses()
  await memory.connect({ source: sun, target: tea })
  await memory.disconnect({ source: sun, target: tea })
  await recallRoses()
  expect(await edges()).toEqual([edge(sun, rain, 'co_retrieval')])
  const { edgesDropped, summary, operationId } = await memory.undo()
  expect(edgesDropped).toBe(1)
  expect(summary).toContain('1 edge that use had made gives way')
  expect(await edges()).toEqual([edge(sun, tea, 'agent')])
  await memory.undo({ operationId: operationId! })
  expect(await edges()).toEqual([edge(sun, rain, 'co_retrieval')])
  await memory.undo()
  await memory.undo()
  expect(await edges()).toEqual([])
})

test('an edge that comes back takes the place of one that use has made of the same two blocks', async () => {
  const { memory, sun, rain, recallRoses, edges, clock } = await roses()
  await memory.connect({ source: sun, target: rain, relation: 'supports' })
  await memory.disconnect({ source: sun, target: rain })
  clock.advance({ hours: 300 })
  await recallRoses()
  expect(await edges()).toEqual([edge(sun, rain, 'co_retrieval')])
  expect((await memory.undo()).edgesDropped).toBe(1)
  expect(await edges()).toEqual([edge(sun, rain, 'agent')])
  await memory.undo()
  expect(await edges()).toEqual([])
})

test('what an agent did to an edge that use had made is undone before it gives way', async () => {
  const { memory, sun, rain, tea, recallRoses, edges } = await roses()
  await memory.connect({ source: sun, target: tea })
  const { operations } = await memory.history({ operation: 'connect' })
  await memory.disconnect({ source: sun, target: tea })
  const disconnected = (await memory.history({ lastN: 1 })).operations[0]!.id
  await recallRoses()
  await memory.outcome({ helped: [sun, rain] })
  const reported = (await memory.history({ lastN: 1 })).operations[0]!.id
  expect(await refusal(memory.undo({ operationId: disconnected }))).toMatchObject({
    code: 'CONFLICT',
    recovery: `Call undo({ operationId: ${reported} }) first.`,
  })
  await memory.undo()
  await memory.undo()
  expect(await edges()).toEqual([edge(sun, tea, 'agent')])
  expect((await memory.undo()).undone[0]?.id).toBe(operations[0]?.id)
})

test('where no operation is in the way the refusal says so, and names the one that can be undone instead', async () => {
  const { memory, sun, rain, tea, path, clock } = await roses(2)
  await memory.connect({ source: sun, target: rain })
  await memory.connect({ source: sun, target: tea })
  const connected = (await memory.history({ lastN: 1 })).operations[0]!.id
  await memory.disconnect({ source: sun, target: rain })
  const narrow = await openTestMemory({ path, clock, settings: { memory: { edgeDegreeCap: 1 } } })
  const { code, message, recovery } = await refusal(narrow.memory.undo())
  expect(code).toBe('CONFLICT')
  expect(message).toContain('no operation but use')
  expect(recovery).toContain(`undo({ operationId: ${connected} }) takes back the one before it (connect).`)
  await narrow.memory.undo({ operationId: connected })
  expect((await narrow.memory.undo()).undone.map(({ operation }) => operation)).toEqual(['disconnect'])
})
