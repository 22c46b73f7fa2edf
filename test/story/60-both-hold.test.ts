import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

const TEN = 'The ferry to Brannoch leaves at ten.'
const ELEVEN = 'The ferry to Brannoch leaves at eleven.'

/** Two blocks of which an agent said that they contradict each other. */
async function disputed() {
  const opened = await openTestMemory()
  const [a, b] = (await opened.learn(TEN, ELEVEN)) as [string, string]
  await opened.memory.disconnect({ source: a, target: b })
  await opened.memory.connect({ source: a, target: b, relation: 'contradicts' })
  const relations = async () =>
    (await opened.memory.show({ blockId: a })).edges.map(({ relation }) => relation)
  return { ...opened, a, b, relations }
}

test('who says that both hold ends the edge by which each was a counterpoint of the other, and undo brings it back', async () => {
  const { memory, a, b, relations } = await disputed()
  expect(await relations()).toEqual(['contradicts'])
  const done = await memory.resolve({ a, b, keep: 'both' })
  expect(done).toMatchObject({ kept: [a, b], endedContradiction: true })
  expect(await relations()).toEqual([])
  expect((await memory.show({ blockId: a })).openPairs).toEqual([])
  await memory.undo({})
  expect(await relations()).toEqual(['contradicts'])
  expect((await memory.show({ blockId: a })).openPairs).toHaveLength(1)
})

test('who says it twice changes nothing the second time', async () => {
  const { memory, a, b } = await disputed()
  await memory.resolve({ a, b, keep: 'both' })
  const again = await memory.resolve({ a: b, b: a, keep: 'both' })
  expect(again).toMatchObject({ kept: [b, a], wasNoted: true })
  expect(again.endedContradiction).toBeUndefined()
})

test('an edge that a decision of before left behind is ended by saying it again', async () => {
  const { memory, store, a, b, relations } = await disputed()
  await store.write((tx) => tx.resolvePair(a, b))
  expect(await memory.resolve({ a, b, keep: 'both' })).toMatchObject({ endedContradiction: true })
  expect(await relations()).toEqual([])
})

test('an edge that says something else stays', async () => {
  const { memory, learn } = await openTestMemory()
  const [a, b] = (await learn(TEN, 'The ferry to Brannoch takes bicycles.')) as [string, string]
  await memory.connect({ source: a, target: b, relation: 'elaborates' })
  await memory.resolve({ a, b, keep: 'both' })
  expect((await memory.show({ blockId: a })).edges.map(({ relation }) => relation)).toEqual(['elaborates'])
})

test('nobody is asked any more how two blocks relate of which somebody said that both hold', async () => {
  const { memory, store, learn } = await openTestMemory()
  const [a, b] = (await learn(TEN, ELEVEN)) as [string, string]
  await store.write((tx) => tx.queueUnlabelled([{ from: a, to: b, cosine: 0.9 }], 10))
  expect((await memory.inbox({ pairs: 5 })).pairs).toHaveLength(1)
  await memory.resolve({ a, b, keep: 'both' })
  expect((await memory.inbox({ pairs: 5 })).pairs).toEqual([])
})
