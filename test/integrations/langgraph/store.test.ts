import { Annotation, getStore, START, StateGraph } from '@langchain/langgraph'
import { BaseStore, InvalidNamespaceError } from '@langchain/langgraph-checkpoint'
import { expect, test } from 'vitest'
import { ElfmemStore, type ElfmemStoreOptions } from '../../../src/integrations/langgraph/index.ts'
import { openTestMemory, refusal, type TestMemoryOptions } from '../../helpers/memory.ts'
import { mustAnswerAlike } from './differential.ts'

const TEA = { text: 'Ana drinks tea in the morning.', kind: 'preference' }
const PORT = { text: 'Staging listens on port 4210.', kind: 'fact' }

async function openStore(options: TestMemoryOptions & ElfmemStoreOptions = {}) {
  const opened = await openTestMemory(options)
  return { ...opened, store: new ElfmemStore(opened.memory, options) }
}

test('a store answers any batches as the store of LangGraph that keeps all in memory', async () => {
  await mustAnswerAlike(120)
})

test('search finds by meaning what was put, in a namespace and all inside it', async () => {
  const { store } = await openStore()
  expect(store).toBeInstanceOf(BaseStore)
  await store.put(['users', 'ana', 'notes'], 'tea', TEA)
  await store.put(['users', 'ana'], 'port', PORT)
  await store.put(['users', 'bob'], 'tea', TEA)
  const found = await store.search(['users', 'ana'], { query: 'What does Ana drink in the morning?' })
  expect(found.map(({ key }) => key)).toEqual(['tea', 'port'])
  expect(found[0]).toMatchObject({
    namespace: ['users', 'ana', 'notes'],
    value: TEA,
    score: expect.any(Number),
  })
  expect(found[0]!.createdAt).toBeInstanceOf(Date)
})

test('search gives what does not match last and without a score', async () => {
  const { store } = await openStore()
  await store.put(['n'], 'hidden', TEA, false)
  await store.put(['n'], 'number', { n: 4210 })
  await store.put(['n'], 'tea', TEA)
  const found = await store.search(['n'], { query: 'Who drinks tea?' })
  expect(found.map(({ key, score }) => [key, typeof score])).toEqual([
    ['tea', 'number'],
    ['hidden', 'undefined'],
    ['number', 'undefined'],
  ])
})

test('recall finds the words of an item until it is deleted', async () => {
  const { memory, store } = await openStore()
  await store.put(['n'], 'port', PORT)
  const { blocks } = await memory.recall({ query: 'Where does staging listen?' })
  expect(blocks).toMatchObject([
    { content: 'Staging listens on port 4210.\nfact', category: 'item', sourceClass: 'document' },
  ])
  await store.delete(['n'], 'port')
  expect((await memory.recall({ query: 'Where does staging listen?' })).blocks).toEqual([])
})

test('batch is written as a whole or not at all, and its last write to a key counts', async () => {
  const { store } = await openStore()
  const at = (key: string, value: Record<string, unknown> | null) => ({ namespace: ['n'], key, value })
  const [before] = await store.batch([
    { namespace: ['n'], key: 'k' },
    at('k', TEA),
    at('k', null),
    at('k', PORT),
  ])
  expect(before).toBeNull()
  expect((await store.get(['n'], 'k'))?.value).toEqual(PORT)
  const circle: Record<string, unknown> = {}
  circle.self = circle
  expect(await refusal(store.batch([at('other', TEA), at('k', circle)]))).toMatchObject({
    code: 'INVALID_INPUT',
  })
  await expect(store.batch([at('other', TEA), { namespace: ['a.b'], key: 'k', value: TEA }])).rejects.toThrow(
    InvalidNamespaceError,
  )
  expect(await store.get(['n'], 'other')).toBeNull()
})

test('a node of a graph puts and searches', async () => {
  const { store } = await openStore()
  const State = Annotation.Root({ asked: Annotation<string>, found: Annotation<string[]> })
  const graph = new StateGraph(State)
    .addNode('remember', async ({ asked }) => {
      await getStore()!.put(['asked'], 'last', { text: asked })
      return {}
    })
    .addNode('find', async () => {
      const items = await getStore()!.search(['asked'], { query: 'ferry' })
      return { found: items.map(({ value }) => value.text) }
    })
    .addEdge(START, 'remember')
    .addEdge('remember', 'find')
    .compile({ store })
  const { found } = await graph.invoke({ asked: 'When does the ferry leave?' })
  expect(found).toEqual(['When does the ferry leave?'])
})

test('put refuses a value that is no JSON', async () => {
  const { store } = await openStore()
  let deep: object = {}
  for (let level = 0; level < 20_000; level++) deep = { deep }
  const circle: Record<string, unknown> = { text: 'a' }
  circle.one = circle.two = circle
  for (const value of [deep, circle, { n: 1n }, undefined, () => 1])
    expect((await refusal(store.put(['n'], 'k', value as never))).code).toBe('INVALID_INPUT')
  await store.put(['n'], 'k', { at: new Date(0), gone: undefined, half: '\ud800', list: [Number.NaN] })
  expect((await store.get(['n'], 'k'))?.value).toEqual({
    ...{ at: '1970-01-01T00:00:00.000Z', half: '\ud800', list: [null] },
  })
  expect((await store.search(['n'], { query: '1970' })).map(({ key }) => key)).toEqual(['k'])
})
