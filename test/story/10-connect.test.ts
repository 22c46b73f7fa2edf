import { expect, test } from 'vitest'
import { join } from '../helpers/edges.ts'
import { openTestMemory, refusal, type TestMemoryOptions } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { statements } from '../helpers/words.ts'

const NO_SIMILARITY = { memory: { similarityEdgesPerBlock: 0 } }

/** A memory whose only edges are those a test makes. */
async function openUnjoined(n: number, { settings, ...options }: TestMemoryOptions = {}) {
  const memory = { ...settings?.memory, ...NO_SIMILARITY.memory }
  const opened = await openTestMemory({ ...options, settings: { ...settings, memory } })
  return { ...opened, ids: await opened.learn(...statements(n)) }
}

// W21
test.each([
  ['similar', 0.65],
  ['co_occurs', 0.55],
  ['elaborates', 0.7],
  ['supports', 0.75],
  ['contradicts', 0.6],
  ['outcome', 0.8],
  ['  Was Said By ', 0.65],
])('a new edge of the relation %s weighs %d unless said otherwise', async (relation, weight) => {
  const { memory, ids } = await openUnjoined(2)
  const [source = '', target = ''] = ids
  expect(await memory.connect({ source, target, relation })).toMatchObject({
    sourceId: source,
    targetId: target,
    action: 'created',
    weight,
    evictedEdges: [],
  })
})

test('without a relation two blocks are similar, and a relation of your own is kept in one spelling', async () => {
  const { memory, ids } = await openUnjoined(3)
  const [a = '', b = '', c = ''] = ids
  expect((await memory.connect({ source: a, target: b })).relation).toBe('similar')
  expect((await memory.connect({ source: a, target: c, relation: ' Was Said  By ' })).relation).toBe(
    'was_said_by',
  )
  expect((await memory.status()).graph.byRelation).toEqual({ similar: 1, was_said_by: 1 })
})

test('a relation that is nearly a known one is kept as it was said, and asked about; a word of your own is not', async () => {
  const { memory, ids } = await openUnjoined(4)
  const [source = '', target = '', third = '', fourth = ''] = ids
  const slip = await memory.connect({ source, target, relation: 'Suports' })
  expect(slip).toMatchObject({ action: 'created', relation: 'suports' })
  expect(slip.warning).toBe('"suports" is no known relation; did you mean "supports"?')
  expect(slip.summary).toContain('did you mean "supports"?')
  expect(
    (await memory.connect({ source: third, target: fourth, relation: 'hangs over' })).warning,
  ).toBeUndefined()
  const again = await memory.connect({ source, target, relation: 'supports', ifExists: 'update' })
  expect(again).toMatchObject({ action: 'updated', relation: 'supports' })
  expect(again.warning).toBeUndefined()
})

test('a note is kept whole beside the edge, and one of more than 500 characters is refused', async () => {
  const { memory, ids } = await openUnjoined(2)
  const [source = '', target = ''] = ids
  const refused = await refusal(memory.connect({ source, target, note: 'é'.repeat(501) }))
  expect(refused.code).toBe('INVALID_INPUT')
  expect(refused.recovery).toContain('note')
  expect((await memory.status()).graph.edges).toBe(0)
  const note = '😀'.repeat(500)
  await memory.connect({ source, target, note: ` ${note} ` })
  expect((await memory.show({ blockId: target })).edges).toMatchObject([{ other: source, note }])
})

test.each([
  ['a weight above 1', { weight: 1.01 }],
  ['a weight below 0', { weight: -0.01 }],
  ['a weight that is no number', { weight: Number.NaN }],
  ['an unknown way to treat an existing edge', { ifExists: 'replace' as 'skip' }],
  ['a relation without a letter', { relation: ' \n' }],
  ['a relation of 65 characters', { relation: 'r'.repeat(65) }],
])('%s is refused and joins nothing', async (_what, input) => {
  const { memory, ids } = await openUnjoined(2)
  const [source = '', target = ''] = ids
  const { code } = await refusal(memory.connect({ source, target, ...input }))
  expect(code).toBe('INVALID_INPUT')
  expect((await memory.status()).graph.edges).toBe(0)
})

// W18
test('reinforcing raises the count and the weight and keeps both notes, from either end', async () => {
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
})

test('with the ltp rule reinforcing takes a share of what is left to 1', async () => {
  const { memory, ids } = await openUnjoined(2, { settings: { graph: { reinforceRule: 'ltp' } } })
  const [source = '', target = ''] = ids
  await memory.connect({ source, target, weight: 0.8 })
  expect((await memory.connect({ source, target })).weight).toBeCloseTo(0.82, 9)
})

test('reinforcing with another relation is refused, with the three ways out', async () => {
  const { memory, ids } = await openUnjoined(2)
  const [source = '', target = ''] = ids
  await memory.connect({ source, target, relation: 'supports' })
  const { code, recovery } = await refusal(memory.connect({ source, target, relation: 'elaborates' }))
  expect(code).toBe('RELATION_CONFLICT')
  for (const way of ['update', 'skip', 'reinforce']) expect(recovery).toContain(way)
  expect((await memory.show({ blockId: source })).edges).toMatchObject([
    { relation: 'supports', weight: 0.75, reinforcementCount: 0 },
  ])
})

test('an edge that likeness alone made takes the relation that an agent names, and no less weight', async () => {
  const named = async (weight: number, given?: number) => {
    const opened = await openUnjoined(2)
    const [source = '', target = ''] = opened.ids
    await join(opened, [source, target], { origin: 'similarity', relation: 'similar', weight })
    const said = { source, target, relation: 'supports', ...(given === undefined ? {} : { weight: given }) }
    const { action } = await opened.memory.connect(said)
    return { action, edges: (await opened.memory.show({ blockId: source })).edges }
  }
  expect(await named(0.5)).toMatchObject({
    action: 'updated',
    edges: [{ relation: 'supports', origin: 'agent', weight: 0.75 }],
  })
  expect((await named(0.9)).edges).toMatchObject([{ weight: 0.9 }])
  expect((await named(0.9, 0.6)).edges).toMatchObject([{ weight: 0.6 }])
})

test('an edge that is there is left alone, or refused, when that is asked for', async () => {
  const { memory, ids } = await openUnjoined(2)
  const [source = '', target = ''] = ids
  await memory.connect({ source, target, relation: 'supports', note: 'first' })
  const skipped = await memory.connect({ source, target, weight: 0.1, note: 'later', ifExists: 'skip' })
  expect(skipped).toMatchObject({ action: 'skipped', relation: 'supports', weight: 0.75, note: 'first' })
  expect((await refusal(memory.connect({ source, target, ifExists: 'error' }))).code).toBe('EDGE_EXISTS')
  const { operations } = await memory.history({ operation: 'connect', lastN: 100 })
  expect(operations.filter(({ blockIds }) => blockIds.length > 0)).toHaveLength(1)
})

// W19
test('an update changes what is said and reports what is stored', async () => {
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

// W20
test.each(['update', 'reinforce'] as const)(
  'an automatic edge an agent touches by %s is its own from then on and outlives decay',
  async (ifExists) => {
    const { memory, store, ids, clock } = await openUnjoined(4)
    const [a = '', b = '', c = '', d = ''] = ids
    await memory.outcome({ helped: [a, b] })
    await memory.outcome({ helped: [c, d] })
    await memory.connect({ source: a, target: b, ifExists })
    const [edge] = (await store.read((tx) => tx.links([a]))).edges
    expect(edge).toMatchObject({ origin: 'agent', previousOrigin: 'outcome' })
    clock.advance({ hours: 5_000 })
    await memory.recordUse({ blockIds: ids })
    expect(await memory.curate()).toMatchObject({ edgesDecayed: 1, archived: [] })
    expect((await memory.show({ blockId: a })).edges).toMatchObject([{ other: b, origin: 'agent' }])
  },
)

test('a weight at odds with its relation is taken, with a warning', async () => {
  const { memory, ids } = await openUnjoined(3)
  const [a = '', b = '', c = ''] = ids
  const odd = await memory.connect({ source: a, target: b, relation: 'supports', weight: 0.2 })
  expect(odd).toMatchObject({ action: 'created', weight: 0.2 })
  expect(odd.warning).toContain('0.75')
  expect(odd.summary).toContain(odd.warning)
  const usual = await memory.connect({ source: a, target: c, relation: 'supports', weight: 0.5 })
  expect(usual.warning).toBeUndefined()
})

test('a block cannot be joined to itself, however it is spelled', async () => {
  const { memory, ids } = await openUnjoined(1)
  const [id = ''] = ids
  const { code } = await refusal(memory.connect({ source: id, target: id.slice(0, 8) }))
  expect(code).toBe('SELF_LOOP')
})

test('what cannot be joined is told apart: unknown, archived and still waiting', async () => {
  const { memory, ids } = await openUnjoined(2)
  const [source = '', gone = ''] = ids
  const { blockId: waiting } = await memory.remember({ content: 'one apple' })
  await memory.forget({ blockId: gone })
  for (const [target, code, status] of [
    ['ffffffffffff', 'NOT_FOUND', 'block_not_found'],
    [gone, 'WRONG_STATUS', 'block_not_active'],
    [waiting, 'WRONG_STATUS', 'block_pending'],
  ] as const)
    await expect(memory.connect({ source, target })).rejects.toMatchObject({
      code,
      details: { status, blockId: target },
      recovery: expect.stringMatching(/recall|restore|dream/),
    })
  expect((await memory.status()).graph.edges).toBe(0)
})

test('blocks are joined by unique prefixes of their ids, in a memory where no session was begun', async () => {
  const { path, ids } = await openUnjoined(2)
  const [a = '', b = ''] = ids
  const { memory } = await openTestMemory({ path })
  expect(await memory.connect({ source: a.slice(0, 8), target: ` ${b.slice(0, 8)} ` })).toMatchObject({
    sourceId: a,
    targetId: b,
    action: 'created',
  })
})

test('of many connections the refused ones are named by their place and the others are made', async () => {
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
  for (const { message, recovery } of result.errors) expect([message, recovery]).not.toContain('')
  expect((await memory.show({ blockId: c })).edges).toMatchObject([{ weight: 0.65 }, { weight: 0.5 }])
})

test('an id that fits two blocks is the error of its own connection only', async () => {
  const { memory, store, ids } = await openUnjoined(3)
  const [a = '', b = '', c = ''] = ids
  await store.write(async (tx) => {
    const [block] = await tx.blocks([a])
    if (block) await tx.insertBlock({ ...block, id: `${a.slice(0, 12)}zzzz`, content: 'two pears' })
  })
  const result = await memory.connects({
    edges: [
      { source: a.slice(0, 12), target: b },
      { source: b, target: c },
    ],
  })
  expect(result).toMatchObject({ created: 1, errors: [{ index: 0, code: 'AMBIGUOUS_ID' }] })
  expect(result.errors[0]?.recovery).toContain(a)
})

test('two described blocks are joined, shown whole, with who else came near', async () => {
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

test('two descriptions of one block, or one that nothing fits, join nothing and say so', async () => {
  const { memory, learn } = await openTestMemory({
    embedder: createPlacedEmbedder(),
    settings: NO_SIMILARITY,
  })
  await learn('port @0 is 8443', 'tea @0 is at four')
  const same = await memory.connectByQuery({ sourceQuery: 'port @0', targetQuery: 'port @0 8443' })
  expect(same.action).toBe('same_block')
  const unsure = await memory.connectByQuery({ sourceQuery: 'tea @0 at four', targetQuery: 'zebra quasar' })
  expect(unsure.action).toBe('insufficient_confidence')
  expect(unsure.targetConfidence).toBeLessThan(0.7)
  expect(unsure.connectResult).toBeUndefined()
  expect((await memory.status()).graph.edges).toBe(0)
})

// W17
test('an old block, never used and believed little, is found with the confidence of a fresh one', async () => {
  const { memory, learn, clock } = await openTestMemory({ settings: NO_SIMILARITY })
  const [old = '', other = ''] = await learn(...statements(2))
  const [sourceQuery = '', targetQuery = ''] = statements(2).map((said) => `again: ${said}`)
  const describe = () => memory.connectByQuery({ sourceQuery, targetQuery, dryRun: true })
  const fresh = await describe()
  for (let n = 0; n < 5; n++) await memory.outcome({ misled: [old] })
  clock.advance({ hours: 200 })
  await memory.recordUse({ blockIds: [other] })
  const later = await describe()
  expect(later).toMatchObject({ action: 'dry_run_preview', sourceId: old, targetId: other })
  expect(later.sourceConfidence).toBe(fresh.sourceConfidence)
  expect(later.sourceConfidence).toBeGreaterThan(0.7)
})

test('the words of a block itself mean that block, however many read alike', async () => {
  const { memory, learn } = await openTestMemory({ settings: NO_SIMILARITY })
  const said = ['primary', 'replica', 'backup'].map((name, i) => `The Postgres ${name} listens on 543${i}.`)
  const [primary = '', replica = ''] = await learn(...said)
  const [sourceQuery = '', targetQuery = ''] = said
  const described = { sourceQuery: `- ${sourceQuery}`, targetQuery, relation: 'elaborates' }
  expect(await memory.connectByQuery(described)).toMatchObject({
    ...{ action: 'connected', sourceId: primary, targetId: replica },
    ...{ sourceConfidence: 1, targetConfidence: 1 },
  })
})
