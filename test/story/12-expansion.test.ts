import { expect, test } from 'vitest'
import type { SettingsInput } from '../../src/config/settings.ts'
import { openTestMemory, type TestMemory } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { statements } from '../helpers/words.ts'

const UNJOINED = { memory: { similarityEdgesPerBlock: 0 } }

/** A memory in which similarity is what a test says and joins nothing by itself. */
function openPlaced(settings: SettingsInput = {}): Promise<TestMemory> {
  return openTestMemory({ embedder: createPlacedEmbedder(), settings: { ...settings, ...UNJOINED } })
}

/** An older and a newer block that answer the same question and contradict each other. */
async function openContradiction(tags: readonly string[] = []) {
  const opened = await openPlaced()
  const { memory } = opened
  const content = ['port @0 is 4210', 'port @40 is 4310'] as const
  const older = (await memory.remember({ content: content[0], at: '2025-01-01', tags: [...tags] })).blockId
  const newer = (await memory.remember({ content: content[1], at: '2025-06-01' })).blockId
  await memory.dream()
  await memory.connect({ source: newer, target: older, relation: 'contradicts' })
  return { ...opened, older, newer, content }
}

type Answer = Awaited<ReturnType<TestMemory['memory']['recall']>>

/** A term of a block's score. */
function termOf(blocks: Answer['blocks'], id: string, name: string): number | undefined {
  return blocks.find((block) => block.id === id)?.explanation?.terms.find((term) => term.name === name)?.value
}

test.each([
  ['outcome', 'attention', 0.8 * 0.7],
  ['supports', 'attention', 0.75 * 0.9],
  ['supports', 'task', 0.75 * 1],
  ['elaborates', 'attention', 0.7 * 0.95],
  ['elaborates', 'task', 0.7 * 0.8],
  ['similar', 'attention', 0.65 * 0.7],
  ['was_said_by', 'simulate', 0.65 * 0.7],
] as const)('an edge that says %s hands on its share in the %s frame', async (relation, frame, share) => {
  const { memory, learn } = await openPlaced()
  const [seed = '', brought = ''] = await learn('disk @0 is full', 'tests time out')
  const { weight } = await memory.connect({ source: brought, target: seed, relation })
  const { blocks } = await memory.recall({ query: 'disk @0 is full', frame, explain: true })
  expect(blocks).toMatchObject([
    { id: seed, wasExpanded: false },
    { id: brought, wasExpanded: true, path: { seed, relation, weight } },
  ])
  expect(termOf(blocks, seed, 'similarity')).toBe(1)
  expect(termOf(blocks, brought, 'similarity')).toBeCloseTo(share, 9)
})

test('shares of relations are set for all frames, and for one of them', async () => {
  const similarity = async (settings: SettingsInput) => {
    const { memory, learn } = await openPlaced(settings)
    const [seed = '', brought = ''] = await learn('disk @0 is full', 'tests time out')
    await memory.connect({ source: seed, target: brought, relation: 'blames', weight: 1 })
    return termOf(
      (await memory.recall({ query: 'disk is full', explain: true })).blocks,
      brought,
      'similarity',
    )
  }
  expect(await similarity({ recall: { relations: { blames: 0.5 } } })).toBeCloseTo(0.5, 9)
  expect(await similarity({ frames: { attention: { relations: { blames: 1 } } } })).toBeCloseTo(1, 9)
  expect(await similarity({ frames: { task: { relations: { blames: 1 } } } })).toBeCloseTo(0.7, 9)
})

test('expansion takes one step, none when it is off, and as pagerank reaches two', async () => {
  const reached = async (expansion: 'neighbours' | 'off' | 'pagerank') => {
    const { memory, learn } = await openPlaced({ recall: { expansion } })
    const [seed = '', near = '', far = ''] = await learn(
      'disk @0 is full',
      'tests @90 fail',
      'tea @180 comes late',
    )
    await memory.connect({ source: seed, target: near, relation: 'supports' })
    await memory.connect({ source: near, target: far, relation: 'supports' })
    const { blocks } = await memory.recall({ query: 'disk @0 is full' })
    expect(blocks[0]).toMatchObject({ id: seed, wasExpanded: false })
    return blocks.slice(1).map(({ id, path }) => [id === near ? 'near' : id === far && 'far', path?.relation])
  }
  expect(await reached('neighbours')).toEqual([['near', 'supports']])
  expect(await reached('off')).toEqual([])
  expect(await reached('pagerank')).toEqual([
    ['near', 'supports'],
    ['far', 'supports'],
  ])
})

test('what an edge brings passes the filter of the question', async () => {
  const { memory, learn } = await openPlaced()
  const [seed = '', brought = ''] = await learn('disk @0 is full', 'tests @0 time out')
  await memory.connect({ source: seed, target: brought, relation: 'supports' })
  await memory.edit({ blockId: seed, tags: ['ops'] })
  expect((await memory.recall({ query: 'disk @0', tags: ['ops'] })).blockIds).toEqual([seed])
  expect((await memory.recall({ query: 'disk @0' })).blockIds).toEqual([seed, brought])
})

// W44
test('being returned again and again moves no block that matches by itself past another', async () => {
  const { memory, learn } = await openPlaced()
  const [first = '', second = '', third = ''] = await learn('disk @0 is full', 'disk @50 new', 'disk @80 old')
  const order = async () => (await memory.recall({ query: 'disk @0 is full' })).blockIds
  expect(await order()).toEqual([first, second, third])
  for (let n = 0; n < 20; n++) await memory.recall({ query: 'disk @80 old', topK: 1 })
  expect(await order()).toEqual([first, second, third])
})

// W44
test('curating reinforces each block of the identity once and changes no rank of an answer', async () => {
  const { memory } = await openPlaced()
  await memory.setup({ principles: ['port @0 numbers are checked'] })
  for (const n of [0, 30, 60])
    await memory.remember({ content: `port @${n} is n${n}`, tags: n === 60 ? ['self/value'] : [] })
  await memory.dream()
  const look = async () => (await memory.recall({ query: 'port @10 is', reinforce: false, topK: 5 })).blocks
  const before = await look()
  expect(before).toHaveLength(3)
  for (let n = 0; n < 5; n++)
    expect(await memory.curate()).toMatchObject({ constitutionalReinforced: 1, reinforced: 1 })
  expect(await look()).toEqual(before)
  const counts = (await memory.ls()).blocks.map(({ reinforcementCount }) => reinforcementCount)
  expect(counts.sort()).toEqual([1, 1, 6, 6])
})

test('what contradicts an answer comes as its counterpoint, with both confidences, never as support', async () => {
  const { memory, learn } = await openPlaced()
  const [said = '', against = ''] = await learn('port @0 is 4210', 'ops moved everything')
  await memory.connect({ source: against, target: said, relation: 'contradicts', weight: 1 })
  await memory.outcome({ helped: [said] })
  const { blocks, text, counterpoints } = await memory.recall({ query: 'port @0 is' })
  expect(blocks).toMatchObject([{ id: said }])
  expect(counterpoints).toEqual([
    {
      id: against,
      content: 'ops moved everything',
      sourceClass: 'agent',
      relation: 'contradicts',
      contradicts: said,
      confidence: 0.5,
      contradictedConfidence: 0.75,
    },
  ])
  const heading = text.indexOf('Counterpoints')
  expect(heading).toBeGreaterThan(text.indexOf('port @0 is 4210'))
  expect(text.indexOf('ops moved everything')).toBeGreaterThan(heading)
  expect((await memory.show({ blockId: against })).block.reinforcementCount).toBe(1)
})

test('an answer has at most two counterpoints', async () => {
  const { memory, learn } = await openPlaced()
  const [said = '', ...against] = await learn('port @0 is 4210', 'ops say', 'docs say', 'tests say')
  await memory.connects({
    edges: against.map((source) => ({ source, target: said, relation: 'contradicts' })),
  })
  const { counterpoints } = await memory.recall({ query: 'port @0 is' })
  expect(counterpoints).toHaveLength(2)
  for (const { id } of counterpoints) expect(against).toContain(id)
})

test('of two blocks that contradict each other the newer answers and the older stands under it, once', async () => {
  const { memory, older, newer, content } = await openContradiction()
  const { blocks, dropped, counterpoints, text } = await memory.recall({ query: 'port @10 is' })
  expect(blocks).toMatchObject([
    { id: newer, versions: [{ id: older, content: content[0], why: 'contradicted' }] },
  ])
  expect([dropped, counterpoints]).toEqual([[], []])
  expect(text).toContain(`\n↳ contradicted: ${content[0]} (2025-01-01)`)
})

test('of two blocks that contradict each other the one a question names is an entry, however little it is believed', async () => {
  const { memory, older, newer } = await openContradiction()
  const { blockIds } = await memory.recall({ query: 'is the port 4210?' })
  expect(blockIds.toSorted()).toEqual([older, newer].toSorted())
})

test('of two blocks that contradict each other the one believed more answers, however old', async () => {
  const { memory, older, newer } = await openContradiction()
  await memory.outcome({ helped: [older] })
  const { blocks } = await memory.recall({ query: 'port @10 is' })
  expect(blocks).toMatchObject([{ id: older, versions: [{ id: newer, why: 'contradicted' }] }])
})

test('of two blocks that contradict each other one answers, however few blocks were asked for', async () => {
  const { memory, older, newer } = await openContradiction()
  for (const n of [1, 2])
    await memory.remember({
      content: `port @20 is 4210 or n${n}`,
      category: 'message',
      session: `message-${n}`,
    })
  await memory.dream()
  const all = await memory.recall({ query: 'port is', topK: 4 })
  expect(all.blockIds).toContain(newer)
  const few = await memory.recall({ query: 'port is', topK: 2 })
  expect(few.blockIds.filter((id) => id === older || id === newer)).toHaveLength(1)
  expect(few.blocks.flatMap(({ versions = [] }) => versions)).toHaveLength(1)
})

test('a block stays out only for one that answers, whatever ids the two have', async () => {
  for (const salt of ['k2', 'k3']) {
    const { memory } = await openPlaced()
    const remember = (month: number, degrees: number) =>
      memory.remember({ content: `port @${degrees} is n${month - 1} ${salt}`, at: `2025-0${month}-01` })
    const [first, second, third] = [await remember(1, 0), await remember(2, 30), await remember(3, 65)]
    await memory.dream()
    for (const { blockId } of [first, third])
      await memory.connect({ source: second.blockId, target: blockId, relation: 'contradicts' })
    const { blocks } = await memory.recall({ query: 'port is' })
    expect(blocks.map(({ id }) => id).sort()).toEqual([first.blockId, third.blockId].sort())
    expect(blocks.find(({ id }) => id === third.blockId)?.versions).toMatchObject([{ id: second.blockId }])
  }
})

test('a block the frame guarantees stays, whatever contradicts it', async () => {
  const { memory, older, newer } = await openContradiction(['self/goal'])
  const { blocks } = await memory.recall({ frame: 'task', query: 'port @10 is' })
  expect(blocks).toContainEqual(expect.objectContaining({ id: older, guaranteed: true }))
  expect((await memory.recall({ query: 'port @10 is' })).blockIds).toEqual([newer])
})

test('what contradicts a guaranteed block is no counterpoint of an answer about something else', async () => {
  const { memory, learn, older } = await openContradiction(['self/goal'])
  const [tea = ''] = await learn('tea @0 is at four')
  const { blockIds, counterpoints } = await memory.recall({
    frame: 'task',
    query: 'tea @0 is at four',
    topK: 1,
  })
  expect(blockIds).toEqual([older, tea])
  expect(counterpoints).toEqual([])
})

test('after a disconnect, or when both are to stay, both answer again', async () => {
  for (const settle of ['disconnect', 'resolve'] as const) {
    const { memory, older, newer } = await openContradiction()
    expect((await memory.status()).graph.openPairs).toBe(1)
    if (settle === 'disconnect') await memory.disconnect({ source: older, target: newer })
    else await memory.resolve({ a: older, b: newer, keep: 'both' })
    const { blockIds, counterpoints } = await memory.recall({ query: 'port @10 is' })
    expect([...blockIds].sort()).toEqual([older, newer].sort())
    expect(counterpoints).toEqual([])
    expect((await memory.status()).graph.openPairs).toBe(0)
  }
})

test('a contradiction is decided like a pair of twins, and the block that goes can come back', async () => {
  const { memory, older, newer } = await openContradiction()
  expect((await memory.show({ blockId: older })).openPairs).toMatchObject([
    { other: newer, kind: 'contradiction' },
  ])
  const result = await memory.resolve({ a: older, b: newer, keep: 'a' })
  expect(result).toMatchObject({ kept: [older], archived: newer })
  expect((await memory.show({ blockId: newer })).block).toMatchObject({
    status: 'archived',
    archiveReason: 'superseded',
    supersededBy: older,
  })
  expect(await memory.recall({ query: 'port @10 is' })).toMatchObject({
    blockIds: [older],
    counterpoints: [],
  })
  expect((await memory.restore({ blockId: newer })).status).toBe('active')
})

// W45
test('how central a block is does not depend on what else is in the answer', async () => {
  const settings = { ...UNJOINED, graph: { centralShare: 0.01 } }
  const { memory, learn } = await openTestMemory({ settings })
  const ids = await learn(...statements(90))
  const [hub = '', leaf = '', ...others] = ids
  for (const target of others.slice(0, 5)) await memory.connect({ source: hub, target })
  for (const target of others.slice(6, 9)) await memory.connect({ source: leaf, target })
  await memory.edit({ blockId: leaf, tags: ['alone'] })
  const centrality = async (id: string, request: { topK?: number; tags?: string[] }) =>
    termOf((await memory.recall({ ...request, reinforce: false, explain: true })).blocks, id, 'centrality')
  expect(await centrality(hub, { topK: 1 })).toBe(1)
  for (const request of [{ topK: 90 }, { topK: 2 }, { tags: ['alone'] }])
    expect(await centrality(leaf, request)).toBeCloseTo(3 / 5, 6)
})

// W45
test('how central a guaranteed goal is does not depend on the question', async () => {
  const { memory, learn } = await openPlaced()
  const { blockId: goal } = await memory.remember({ content: 'ship @0 in June', tags: ['self/goal'] })
  const [port = ''] = await learn('port @0 is 4210', 'tea @0 is at four')
  await memory.connect({ source: goal, target: port, relation: 'supports' })
  const centrality = async (query: string) =>
    termOf((await memory.recall({ frame: 'task', query, explain: true })).blocks, goal, 'centrality')
  expect(await centrality('port @0 is 4210')).toBe(1)
  expect(await centrality('tea @0 is at four')).toBe(1)
})

test('of two equal values the better joined one comes first, and the order stays', async () => {
  const { memory } = await openTestMemory({ settings: UNJOINED })
  const values: string[] = []
  for (const content of statements(6))
    values.push((await memory.remember({ content, tags: ['self/value'] })).blockId)
  await memory.dream()
  const before = (await memory.recall({ frame: 'self', reinforce: false })).blockIds
  const last = before.at(-1) as string
  const others = values.filter((id) => id !== last).slice(0, 4)
  await memory.connects({ edges: others.map((target) => ({ source: last, target })) })
  const after = (await memory.recall({ frame: 'self' })).blockIds
  expect(after[0]).toBe(last)
  expect((await memory.recall({ frame: 'self' })).blockIds).toEqual(after)
})
