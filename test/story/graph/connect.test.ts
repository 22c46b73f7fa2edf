import { expect, test } from 'vitest'
import { orderedPair, relationDefaultWeight } from '../../../src/graph/edge.ts'
import { readLinks, savePairs } from '../../../src/store/graph.ts'
import { join } from '../../helpers/edges.ts'
import { openTestMemory, refusal, type TestMemoryOptions } from '../../helpers/memory.ts'
import { miniLm } from '../../helpers/minilm.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'
import { statements } from '../../helpers/words.ts'

const NO_SIMILARITY = { memory: { similarityEdgesPerBlock: 0 } }

/** Opens a memory that makes no edges by itself. */
async function openUnjoined(n: number, { settings, ...options }: TestMemoryOptions = {}) {
  const memory = { ...settings?.memory, ...NO_SIMILARITY.memory }
  const opened = await openTestMemory({ ...options, settings: { ...settings, memory } })
  return { ...opened, ids: await opened.learn(...statements(n)) }
}

test('connect makes an edge with the weight of its relation unless told otherwise', async () => {
  const { memory, ids } = await openUnjoined(3)
  const [source = '', target = '', other = ''] = ids
  const made = { sourceId: source, targetId: target, action: 'created', weight: 0.75, evictedEdges: [] }
  expect(await memory.connect({ source, target, relation: 'supports' })).toMatchObject(made)
  const own = await memory.connect({ source, target: other, relation: 'constructor' })
  expect(own).toMatchObject({ relation: 'constructor', weight: 0.65 })
})

/** Opens a memory that asks how pairs relate, with two texts that are nearly the same. */
async function openAlike(options: TestMemoryOptions = {}) {
  const opened = await openTestMemory({ embedder: createPlacedEmbedder(), ...options })
  const alike = ['tea @0 is poured at four', 'tea @1 is poured at five'] as const
  const undecided = async () => (await opened.memory.decisions({})).decisions.map(({ kind }) => kind)
  return { ...opened, alike, undecided }
}

test('connect settles what waits to be decided about two blocks, and undo opens it again', async () => {
  const { memory, learn, alike, undecided } = await openAlike()
  const [source = '', target = ''] = await learn(...alike)
  const before = await undecided()
  expect(before).toEqual(['near_duplicate'])
  await memory.connect({ source, target, relation: 'elaborates' })
  expect(await undecided()).toEqual([])
  await memory.undo({})
  expect(await undecided()).toEqual(before)
})

test('connect settles a contradiction that a rule found, unless it says the same', async () => {
  const { memory, store, ids } = await openUnjoined(2)
  const [source = '', target = ''] = ids
  const [a, b] = orderedPair(source, target)
  const found = { kind: 'contradiction', score: 0.9, foundBy: 'rule:number', resolved: false } as const
  await store.write((tx) => savePairs(tx, [{ a, b, ...found, createdAt: '2026-03-02T09:00:00.000Z' }]))
  const open = async () => (await memory.show({ blockId: source })).openPairs.map(({ kind }) => kind)
  await memory.connect({ source, target, relation: 'contradicts' })
  expect(await open()).toEqual(['contradiction'])
  await memory.undo({})
  expect(await open()).toEqual(['contradiction'])
  await memory.connect({ source, target, relation: 'elaborates' })
  expect(await open()).toEqual([])
})

test('connect leaves open that one block is to replace another', async () => {
  const { memory, learn, alike } = await openAlike()
  const [target = ''] = await learn(alike[0])
  const { blockId: source } = await memory.remember({ content: 'coffee @0 is ground', supersedes: target })
  await memory.dream()
  await memory.connect({ source, target, relation: 'elaborates' })
  expect((await memory.show({ blockId: target })).openPairs).toMatchObject([{ kind: 'supersession' }])
})

test('connect with a wrong weight, relation or ifExists is refused and joins nothing', async () => {
  const { memory, ids } = await openUnjoined(2)
  const [source = '', target = ''] = ids
  for (const input of [
    { weight: 1.01 },
    { weight: -0.01 },
    { weight: Number.NaN },
    { ifExists: 'replace' as 'skip' },
    { relation: ' \n' },
    { relation: 'r'.repeat(65) },
    { note: 'half a \uD83D letter' },
  ])
    expect((await refusal(memory.connect({ source, target, ...input }))).code).toBe('INVALID_INPUT')
  expect((await refusal(memory.connect({ source, target: source.slice(0, 8) }))).code).toBe('SELF_LOOP')
  expect((await memory.status()).graph.edges).toBe(0)
})

test('connect of an existing edge reinforces it and keeps both notes, or is refused if ifExists says so', async () => {
  const { memory, ids } = await openUnjoined(2)
  const [a = '', b = ''] = ids
  await memory.connect({ source: a, target: b, relation: 'supports', note: 'measured in May' })
  const again = await memory.connect({ source: b, target: a, relation: 'Supports', note: 'and in June' })
  expect(again).toMatchObject({ action: 'reinforced', note: 'measured in May; and in June' })
  expect(again.weight).toBeCloseTo(0.85, 9)
  await memory.connect({ source: a, target: b, note: 'and in June' })
  const [edge] = (await memory.show({ blockId: a })).edges
  expect(edge).toMatchObject({ reinforcementCount: 2, note: 'measured in May; and in June' })
  expect(edge?.weight).toBeCloseTo(0.95, 9)
  expect((await memory.connect({ source: a, target: b })).weight).toBe(1)
  const refused = await refusal(memory.connect({ source: a, target: b, ifExists: 'error' }))
  expect(refused.code).toBe('EDGE_EXISTS')
})

test('connect with another relation is refused with RELATION_CONFLICT', async () => {
  const { memory, ids } = await openUnjoined(2)
  const [source = '', target = ''] = ids
  await memory.connect({ source, target, relation: 'supports' })
  const { code } = await refusal(memory.connect({ source, target, relation: 'elaborates' }))
  expect(code).toBe('RELATION_CONFLICT')
  expect((await memory.show({ blockId: source })).edges).toMatchObject([
    { relation: 'supports', weight: 0.75, reinforcementCount: 0 },
  ])
})

test.each([
  ['similarity', 'similar'],
  ['co_retrieval', 'co_occurs'],
  ['outcome', 'outcome'],
  ['llm_inferred', 'elaborates'],
] as const)(
  'connect takes the place of an edge of %s with a relation and weight of its own, and undo brings that back',
  async (origin, relation) => {
    const opened = await openUnjoined(2)
    const { memory, store } = opened
    const [source = '', target = ''] = opened.ids
    await join(opened, [source, target], { origin, relation, weight: 0.95, reinforcementCount: 2 })
    const edges = async () => (await store.read((tx) => readLinks(tx, [source]))).edges
    const before = await edges()
    const agents = { origin: 'agent', previousOrigin: origin, reinforcementCount: 2 }
    const said = [
      [{ relation: 'supports' }, { relation: 'supports', weight: 0.75 }],
      [
        { relation: 'supports', weight: 0.3 },
        { relation: 'supports', weight: 0.3 },
      ],
      [{ relation }, { relation, weight: relationDefaultWeight(relation) }],
      [{ weight: 0.3 }, { relation, weight: 0.3 }],
    ] as const
    for (const [claim, expected] of said) {
      expect(await memory.connect({ source, target, ...claim })).toMatchObject({
        action: 'updated',
        ...expected,
      })
      expect(await edges()).toMatchObject([{ ...agents, ...expected }])
      await memory.undo({})
      expect(await edges()).toEqual(before)
    }
  },
)

test('connect with ifExists update changes what is given', async () => {
  const { memory, ids } = await openUnjoined(2)
  const [source = '', target = ''] = ids
  await memory.connect({ source, target, relation: 'supports', weight: 0.9, note: 'first' })
  expect(await memory.connect({ source, target, relation: 'elaborates', ifExists: 'update' })).toMatchObject({
    action: 'updated',
    relation: 'elaborates',
    weight: 0.9,
    note: 'first',
  })
  expect(await memory.connect({ source, target, weight: 0.6, ifExists: 'update' })).toMatchObject({
    action: 'updated',
    relation: 'elaborates',
    weight: 0.6,
  })
  expect((await memory.show({ blockId: source })).edges).toMatchObject([
    { relation: 'elaborates', weight: 0.6, reinforcementCount: 0, note: 'first' },
  ])
})

test('connect of an unknown or archived block is refused with the way out', async () => {
  const { memory, ids } = await openUnjoined(2)
  const [source = '', gone = ''] = ids
  await memory.forget({ blockId: gone })
  for (const [target, code, status] of [
    ['ffffffffffff', 'NOT_FOUND', 'block_not_found'],
    [gone, 'WRONG_STATUS', 'block_not_active'],
  ] as const)
    await expect(memory.connect({ source, target })).rejects.toMatchObject({
      code,
      details: { status, blockId: target },
      recovery: expect.stringMatching(/recall|restore/),
    })
  expect((await memory.status()).graph.edges).toBe(0)
})

test('connects makes what it can and names the refused by their place', async () => {
  const { memory, ids } = await openUnjoined(4)
  const [a = '', b = '', c = '', d = ''] = ids
  await memory.connect({ source: a, target: b, relation: 'supports' })
  const edges = [
    { source: a, target: c },
    { source: a, target: 'ffffffffffff' },
    { source: a, target: b, relation: 'elaborates' },
    { source: b, target: a, relation: 'supports' },
    { source: c, target: a, weight: 0.5, ifExists: 'update' as const },
    { source: a, target: c, ifExists: 'skip' as const },
    { source: d, target: d },
    { source: c, target: d, note: 'n'.repeat(501) },
    { source: c, target: d },
  ]
  const result = await memory.connects({ edges })
  expect(result).toMatchObject({ created: 2, reinforced: 1, updated: 1, skipped: 1, deferred: 0 })
  const codes = result.errors.map(({ index, code }) => `${index} ${code}`)
  expect(codes).toEqual(['1 NOT_FOUND', '2 RELATION_CONFLICT', '6 SELF_LOOP', '7 INVALID_INPUT'])
  expect((await memory.show({ blockId: c })).edges).toMatchObject([{ weight: 0.65 }, { weight: 0.5 }])
})

test('connectByQuery joins the two blocks described, or shows them with dryRun', async () => {
  const { memory, learn } = await openTestMemory({
    embedder: createPlacedEmbedder(),
    settings: NO_SIMILARITY,
  })
  const contents = ['port @0 is 8443', 'port @60 opens late', 'proxy @0 needs the port']
  const [port = '', , proxy = ''] = await learn(...contents)
  const input = { sourceQuery: 'port @0 8443', targetQuery: 'proxy @0 needs', relation: 'elaborates' }
  const look = await memory.connectByQuery({ ...input, dryRun: true })
  expect(look).toMatchObject({ action: 'dry_run_preview', sourceId: port, targetId: proxy })
  expect((await memory.status()).graph.edges).toBe(0)
  const done = await memory.connectByQuery({ ...input, note: 'why', weight: 0.9 })
  expect(done).toMatchObject({
    action: 'connected',
    sourceContent: contents[0],
    targetContent: contents[2],
    connectResult: { action: 'created', relation: 'elaborates', weight: 0.9, note: 'why' },
  })
  expect(done.sourceRunnersUp.map(({ content }) => content)).toContain(contents[1])
  for (const { confidence } of done.sourceRunnersUp) expect(confidence).toBeLessThan(done.sourceConfidence)
})

/** The descriptions in the tests below mean the first two of these notes. */
const NOTES = [
  'Use SELF frame when constitutional principles conflict with task goals.',
  'Constitutional blocks define the identity of the agent.',
  'Epistemic humility: list assumptions before significant actions.',
  'The degree cap of a block is ten edges.',
  'Staging listens on port 8443.',
  'Always cache embeddings: it saves API calls.',
  'The office dog is called Biscuit.',
  'Tea is served at four.',
]

test.each([2, 8])('connectByQuery takes clear winners among %d notes and refuses the rest', async (count) => {
  const { memory, learn } = await openTestMemory({ embedder: miniLm(), settings: NO_SIMILARITY })
  const [self = '', identity = ''] = await learn(...NOTES.slice(0, count))
  const joins = async (sourceQuery: string, targetQuery: string) =>
    memory.connectByQuery({ sourceQuery, targetQuery, relation: 'supports' })
  const unclear = await joins('what Anna said about the budget', 'constitutional blocks identity')
  expect(unclear).toMatchObject({ action: 'insufficient_confidence', targetId: identity })
  expect(unclear.sourceConfidence).toBeLessThan(0.7)
  expect(unclear.summary).toMatch(/minConfidence/)
  expect(await joins('frame selection heuristics', 'constitutional blocks identity')).toMatchObject({
    ...{ action: 'connected', sourceId: self, targetId: identity },
    connectResult: { action: 'created', relation: 'supports' },
  })
  expect((await memory.status()).graph.edges).toBe(1)
})

test('disconnect removes an edge that is there and has the guarded relation', async () => {
  const { memory, learn } = await openTestMemory({ settings: NO_SIMILARITY })
  const [source = '', target = ''] = await learn(...statements(2))
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
  })
  const { operations } = await memory.history({ operation: 'disconnect' })
  expect(operations).toMatchObject([{ reason: 'wrong pot', blockIds: [target, source] }])
})

test('outcome joins again what was disconnected only after 200 active hours', async () => {
  const { memory, clock, ids } = await openUnjoined(2)
  const [a = '', b = ''] = ids
  await memory.connect({ source: a, target: b })
  await memory.disconnect({ source: a, target: b })
  const tryAgain = async () => {
    const { outcomeEdgesCreated, edgesSkipped } = await memory.outcome({ helped: [a, b] })
    return [outcomeEdgesCreated, edgesSkipped]
  }
  expect(await tryAgain()).toEqual([0, 1])
  clock.advance({ hours: 199 })
  expect(await tryAgain()).toEqual([0, 1])
  clock.advance({ hours: 2 })
  expect((await memory.outcome({ helped: [a, b] })).outcomeEdgesCreated).toBe(1)
})

test('restore of a block brings back its edges but those disconnected', async () => {
  const { memory, learn } = await openTestMemory({ settings: NO_SIMILARITY })
  const [a = '', b = '', c = ''] = await learn(...statements(3))
  await memory.connects({ edges: [b, c].map((target) => ({ source: a, target })) })
  await memory.disconnect({ source: a, target: b })
  await memory.forget({ blockId: a })
  expect(await memory.restore({ blockId: a })).toMatchObject({ edgesRestored: 1 })
  expect((await memory.show({ blockId: a })).edges).toMatchObject([{ other: c }])
})
