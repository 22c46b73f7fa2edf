import { fork } from 'node:child_process'
import { join } from 'node:path'
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

test('over any batches the store answers as the one of LangGraph that keeps all in memory', async () => {
  await mustAnswerAlike(120)
})

test('what was put is found by meaning at once, best first, in its namespace and all inside it', async () => {
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

test('what matches nothing, or is not to be found, comes last and has no score', async () => {
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

test('a filter counts before the limit, however many better hits it leaves out', async () => {
  const { store } = await openStore()
  const puts = Array.from({ length: 400 }, (_, at) => ({
    ...{ namespace: ['n'], key: `${at}` },
    value: { text: `Ana drinks tea number ${at} in the morning.`, kind: at === 399 ? 'last' : 'other' },
  }))
  await store.batch(puts)
  const found = await store.search(['n'], { query: 'tea in the morning', filter: { kind: 'last' }, limit: 1 })
  expect(found.map(({ key, score }) => [key, typeof score])).toEqual([['399', 'number']])
})

test('paths say by which texts an item is found, each by itself', async () => {
  const { memory, store } = await openStore({ index: { fields: ['title', 'parts[*].text'] } })
  const value = { title: 'Harbour', parts: [{ text: 'Boats at nine.' }, { text: 'Nets on Friday.' }], n: 7 }
  const contents = async () =>
    (await memory.ls({ status: 'inbox' })).blocks.map(({ content }) => content).sort()
  await store.put(['n'], 'k', value)
  expect(await contents()).toEqual(['Boats at nine.', 'Harbour', 'Nets on Friday.'])
  await store.put(['n'], 'k', value, ['n', '{title,none}', 'parts[-1]', 'parts[9]', '__proto__', ''])
  expect(await contents()).toEqual([
    '7',
    'Harbour',
    'Harbour\nBoats at nine.\nNets on Friday.',
    'Nets on Friday.',
  ])
})

test('the words of an item are blocks like others, of class document, and go with it', async () => {
  const { memory, store } = await openStore()
  await store.put(['n'], 'port', PORT)
  const { blocks } = await memory.recall({ query: 'Where does staging listen?' })
  expect(blocks).toMatchObject([
    { content: 'Staging listens on port 4210.\nfact', category: 'item', sourceClass: 'document' },
  ])
  await store.delete(['n'], 'port')
  expect((await memory.recall({ query: 'Where does staging listen?' })).blocks).toEqual([])
})

test('a batch is written as a whole or not at all, and the last write to a key counts', async () => {
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

test('what was put is there after a restart, in the scope it was put in alone', async () => {
  const { memory, path, store } = await openStore({ scope: 'project-a' })
  await store.put(['n'], 'tea', TEA)
  await memory.close()
  const again = await openTestMemory({ path })
  expect((await new ElfmemStore(again.memory, { scope: 'project-a' }).get(['n'], 'tea'))?.value).toEqual(TEA)
  expect(await new ElfmemStore(again.memory).get(['n'], 'tea')).toBeNull()
  expect(await new ElfmemStore(again.memory, { scope: 'project-b' }).listNamespaces()).toEqual([])
})

test('two processes that put at the same time lose nothing, and each finds what the other put', async () => {
  const { memory, path, store } = await openStore()
  const child = fork(join(import.meta.dirname, '../children/put-in-store.ts'), [path, '40'])
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await Promise.all(
    Array.from({ length: 40 }, (_, at) => store.put(['here'], `${at}`, { text: `Boat ${at} is here.` })),
  )
  expect(await ended).toBe(0)
  expect((await store.search([], { limit: 100 })).length).toBe(80)
  const [found] = await store.search(['there'], { query: 'boat 17' })
  expect(found?.value).toEqual({ text: 'Boat 17 is there.' })
  expect((await memory.status()).inboxCount).toBe(0)
})

test('a node of a graph puts and finds', async () => {
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

test('a store that undo passes over keeps its items when something else is taken back', async () => {
  const { memory, store } = await openStore({ undoable: false })
  await memory.remember({ content: 'Releases go out on Tuesdays.' })
  await store.put(['n'], 'tea', TEA)
  await memory.undo()
  expect((await store.get(['n'], 'tea'))?.value).toEqual(TEA)
  expect((await memory.status()).inboxCount).toBe(1)
})

test('paths that are no list are refused by the put that brings them', async () => {
  const { memory } = await openTestMemory()
  const put = new ElfmemStore(memory).put(['notes'], 'tea', { title: 'Tea is at four.' }, 'title' as never)
  await expect(put).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('index'),
  })
})
