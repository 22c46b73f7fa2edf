import { expect, test } from 'vitest'
import { openSqliteStore } from '../../../src/sqlite/store.ts'
import { readBlocks } from '../../../src/store/blocks.ts'
import { readLinks } from '../../../src/store/graph.ts'
import { join } from '../../helpers/edges.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'
import { statements } from '../../helpers/words.ts'

const PORT = 'Staging listens on port 4210.'
const OTHER_WORDS = { query: 'tea in the afternoon' }
const TEA = 'tea @5 is poured at four'

/** Counts how often the embedder was asked for each text. */
function timesAsked({ asked }: { readonly asked: readonly string[] }, ...texts: readonly string[]): number[] {
  return texts.map((text) => asked.filter((each) => each === text).length)
}

test('recall finds a block right after remember, marked as waiting until its dream', async () => {
  const { memory } = await openTestMemory()
  expect(await memory.remember({ content: PORT })).toMatchObject({ status: 'created', visible: true })
  const { blocks, text, match } = await memory.recall({ query: PORT })
  expect(blocks).toMatchObject([{ content: PORT, waiting: true }])
  expect(text).toContain(`${PORT} (2026-03-02, waiting)`)
  expect(match).toBe('match')
  await memory.dream()
  const after = await memory.recall({ query: PORT })
  expect(after.blocks.map(({ content, waiting }) => ({ content, waiting }))).toEqual([
    { content: PORT, waiting: undefined },
  ])
  expect(after.text).not.toContain('waiting')
})

test('recall finds what waits in other words, and the dream embeds nothing again', async () => {
  const embedder = createPlacedEmbedder()
  const { memory } = await openTestMemory({ embedder })
  await memory.remember({ content: TEA })
  const found = await memory.recall(OTHER_WORDS)
  expect(found.blocks.map(({ content }) => content)).toEqual([TEA])
  expect(found.waitingWithoutVector).toBe(undefined)
  await memory.dream()
  await memory.recall(OTHER_WORDS)
  expect(timesAsked(embedder, TEA)).toEqual([1])
})

test('recall in another process finds what waits by words, and by the vector once that is in the file', async () => {
  const { memory, path } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const failing = createPlacedEmbedder()
  failing.fail(true)
  const other = await openTestMemory({ path, embedder: failing })
  await memory.remember({ content: TEA })
  expect((await other.memory.recall({ query: 'when is it poured' })).blocks).toMatchObject([{ content: TEA }])
  await memory.recall(OTHER_WORDS)
  failing.fail(false)
  const { blocks } = await other.memory.recall(OTHER_WORDS)
  expect(blocks).toMatchObject([{ content: TEA, waiting: true }])
  expect(timesAsked(failing, TEA)).toEqual([0])
  await other.memory.dream()
  expect(timesAsked(failing, TEA)).toEqual([0])
})

test.each([
  ['fails', false],
  ['is remote', true],
])(
  'recall finds what waits by words where the embedder %s, and counts what has no vector',
  async (_, remote) => {
    const embedder = { ...createPlacedEmbedder(), remote }
    const { memory, learn } = await openTestMemory({ embedder })
    await learn('coffee @5 is ground at nine')
    embedder.fail(!remote)
    await memory.remember({ content: TEA })
    const found = await memory.recall({ query: 'what is poured at four' })
    expect(found).toMatchObject({ waitingWithoutVector: 1, blocks: [{ content: TEA }] })
    embedder.fail(false)
    expect((await memory.recall(OTHER_WORDS)).waitingWithoutVector).toBe(remote ? 1 : undefined)
    expect(timesAsked(embedder, TEA)).toEqual([remote ? 0 : 1])
  },
)

test('recall counts no use and joins no pair of what waits', async () => {
  const { memory, store } = await openTestMemory({ settings: { memory: { coRetrievalThreshold: 1 } } })
  const first = await memory.remember({ content: 'The red door opens to the garden.' })
  const second = await memory.remember({ content: 'The red gate opens to the street.' })
  const asked = await memory.recall({ query: 'what red thing opens' })
  expect([...asked.blockIds].sort()).toEqual([first.blockId, second.blockId].sort())
  const blocks = await store.read((tx) => readBlocks(tx, [first.blockId, second.blockId]))
  expect(blocks.map(({ reinforcementCount }) => reinforcementCount)).toEqual([0, 0])
  expect(await store.read((tx) => tx.queries.counts())).toMatchObject({ edges: 0, stagedPairs: 0 })
  expect(await memory.outcome({ blockIds: [first.blockId], signal: 1 })).toMatchObject({
    outcomeEdgesCreated: 0,
  })
  expect(await store.read((tx) => tx.queries.counts())).toMatchObject({ edges: 0, queuedOutcomes: 1 })
})

test('recall of what waits answers while another process holds a lock', async () => {
  const { memory, path } = await openTestMemory({ embedder: createPlacedEmbedder() })
  await memory.remember({ content: TEA })
  const holder = await openSqliteStore(path)
  await holder.write(async () => {
    const { blocks } = await memory.recall({ query: 'what is poured at four', reinforce: false })
    expect(blocks).toMatchObject([{ content: TEA }])
  })
  await holder.close()
})

/** Opens a memory that makes no edges by itself, with blocks that wait. */
async function openWaiting(contents: readonly string[], memory: object = {}) {
  const opened = await openTestMemory({
    embedder: createPlacedEmbedder(),
    settings: { memory: { similarityEdgesPerBlock: 0, ...memory } },
  })
  const ids: string[] = []
  for (const content of contents) ids.push((await opened.memory.remember({ content })).blockId)
  const edgesOf = async (blockId: string) => (await opened.memory.show({ blockId })).edges
  return { ...opened, ids, edgesOf }
}

const COFFEE = 'coffee @5 is ground at nine'
const PORTS = ['port @0 is 4210', 'port @60 is 4300']

test('connect, connects, connectByQuery and disconnect take blocks that wait, and their edges outlast the dream', async () => {
  const { memory, ids, edgesOf } = await openWaiting([TEA, COFFEE, ...PORTS])
  const [tea = '', coffee = '', port = '', other = ''] = ids
  expect(await memory.connect({ source: tea, target: coffee, relation: 'supports' })).toMatchObject({
    ...{ action: 'created', weight: 0.75 },
  })
  const edges = [port, other].map((target) => ({ source: tea, target, relation: 'elaborates' }))
  expect(await memory.connects({ edges })).toMatchObject({ created: 2, errors: [] })
  const described = { sourceQuery: COFFEE, targetQuery: PORTS[0] ?? '' }
  expect(await memory.connectByQuery(described)).toMatchObject({
    action: 'connected',
    sourceId: coffee,
    targetId: port,
  })
  expect(await memory.disconnect({ source: tea, target: other })).toMatchObject({ action: 'removed' })
  expect((await memory.status()).graph).toMatchObject({ edges: 3, isolated: 0 })
  const before = await edgesOf(tea)
  expect(before).toMatchObject([{ other: coffee }, { other: port }])
  expect(await memory.dream()).toMatchObject({ promoted: 4, edgesCreated: 0 })
  expect(await edgesOf(tea)).toEqual(before)
  expect((await memory.status()).graph).toMatchObject({ edges: 3, isolated: 1 })
  await memory.undo({})
  expect(await edgesOf(tea)).toEqual(before)
  expect((await memory.status()).inboxCount).toBe(4)
})

test('recall follows an edge from a waiting block to a waiting and to an active one', async () => {
  const { memory, learn } = await openTestMemory()
  const [dog = ''] = await learn('The office dog is called Biscuit.', ...statements(8))
  const { blockId: port } = await memory.remember({ content: PORT })
  const { blockId: pipes } = await memory.remember({ content: 'Order copper pipes from Hansen.' })
  for (const target of [pipes, dog]) await memory.connect({ source: port, target, relation: 'supports' })
  const { blocks } = await memory.recall({ query: PORT })
  const along = { wasExpanded: true, path: { seed: port, relation: 'supports' } }
  expect(blocks.find(({ id }) => id === pipes)).toMatchObject({ ...along, waiting: true })
  expect(blocks.find(({ id }) => id === dog)).toMatchObject(along)
})

test('outcome joins waiting blocks that helped together, and counts their evidence from the dream on', async () => {
  const { memory, ids, edgesOf } = await openWaiting([TEA, ...PORTS])
  const [tea = '', port = ''] = ids
  expect(await memory.outcome({ helped: [tea, port] })).toMatchObject({
    ...{ outcomeEdgesCreated: 1, queued: [tea, port] },
  })
  expect(await edgesOf(tea)).toMatchObject([{ other: port, relation: 'outcome', weight: 0.8 }])
  expect(await memory.outcome({ helped: [tea, port] })).toMatchObject({ edgesReinforced: 1 })
  await memory.dream()
  const [edge] = await edgesOf(tea)
  expect(edge).toMatchObject({ other: port, relation: 'outcome', reinforcementCount: 1 })
  expect((await memory.show({ blockId: tea })).block.confidence).toBeGreaterThan(0.5)
})

test('dream gives the edges of a duplicate to the block that stays, and undo takes them back', async () => {
  const { memory, store, learn } = await openTestMemory({
    embedder: createPlacedEmbedder(),
    settings: { memory: { similarityEdgesPerBlock: 0, edgeDegreeCap: 2 } },
  })
  const [stays = '', said = '', used = '', against = ''] = await learn(TEA, COFFEE, ...PORTS)
  const { blockId: goes } = await memory.remember({ content: 'tea is not said yet' })
  await memory.edit({ blockId: goes, content: `${TEA}!` })
  await join({ store }, [stays, used], { origin: 'co_retrieval', relation: 'co_occurs', weight: 0.6 })
  await memory.connect({ source: goes, target: used, relation: 'supports', note: 'told' })
  await memory.connect({ source: against, target: goes, relation: 'contradicts' })
  await memory.connect({ source: goes, target: stays })
  const state = async () => await store.read((tx) => readLinks(tx, [goes, stays, said, used, against]))
  const before = await state()
  expect(await memory.dream()).toMatchObject({ promoted: 0, deduplicated: 1 })
  const { edges, pairs } = await state()
  expect(
    edges.map(({ from, to, relation, origin, previousOrigin, note, declaredBy }) => ({
      ...{ ends: [from, to].sort(), relation, origin, previousOrigin, note, declaredBy },
    })),
  ).toEqual([
    {
      ends: [stays, used].sort(),
      relation: 'supports',
      origin: 'agent',
      previousOrigin: 'co_retrieval',
      note: 'told',
      declaredBy: stays,
    },
    { ends: [against, stays].sort(), relation: 'contradicts', origin: 'agent', declaredBy: against },
  ])
  expect(pairs).toMatchObject([{ kind: 'contradiction', resolved: false }])
  expect(pairs.map(({ a, b }) => [a, b].sort())).toEqual([[against, stays].sort()])
  await memory.undo({})
  expect(await state()).toEqual(before)
})
