import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { type ToldModelOptions, toldModel } from '../helpers/told-model.ts'

const OLDER = 'The harbour ferry leaves for the island at nine every morning'
const NEWER = 'The harbour ferry leaves for the island at nine every morning in calm weather'

/** Two related blocks, and what a model says of the pair. */
async function openPair(label: Readonly<Record<string, unknown>>, more: ToldModelOptions = {}) {
  const languageModel = toldModel({ label: () => label, ...more })
  const opened = await openTestMemory({ languageModel, settings: { conflicts: { rules: false } } })
  const { blockId: older } = await opened.memory.remember({ content: OLDER })
  opened.clock.advance({ minutes: 5 })
  const { blockId: newer } = await opened.memory.remember({ content: NEWER })
  const dream = await opened.memory.dream()
  const { edges } = await opened.memory.show({ blockId: older })
  return { ...opened, languageModel, older, newer, dream, edges }
}

test('new edges are labelled by the model, and say that a model inferred them', async () => {
  for (const relation of ['supports', 'elaborates'] as const) {
    const { dream, edges } = await openPair({ relation, confidence: 0.9 })
    expect(dream.labels).toMatchObject({ [relation]: 1, similar: 0 })
    expect(edges).toMatchObject([{ relation, origin: 'llm_inferred' }])
  }
})

test('an unrelated pair loses its edge, or half its weight when the model is less sure', async () => {
  expect((await openPair({ relation: 'unrelated', confidence: 0.95 })).edges).toEqual([])
  const [weakened] = (await openPair({ relation: 'unrelated', confidence: 0.7 })).edges
  const [kept] = (await openPair({ relation: 'unrelated', confidence: 0.3 })).edges
  expect(weakened?.weight).toBeCloseTo((kept?.weight ?? 0) / 2)
  expect(kept?.origin).toBe('similarity')
})

test('a word that is no label changes nothing and is counted', async () => {
  const { dream, edges } = await openPair({ relation: 'rhymes with', confidence: 1 })
  expect(dream.labels.similar).toBe(1)
  expect(edges).toMatchObject([{ relation: 'similar', origin: 'similarity' }])
})

test('what contradicts stays beside what it contradicts until somebody resolves; recall shows the more trusted with the other under it', async () => {
  const { memory, older, newer, dream, edges } = await openPair({ relation: 'contradicts', confidence: 0.85 })
  expect(dream.conflicts).toMatchObject([{ kind: 'contradiction', score: 0.85, foundBy: 'model' }])
  expect(edges).toMatchObject([{ relation: 'contradicts', origin: 'llm_inferred' }])
  const ask = () =>
    memory.recall({ query: 'When does the harbour ferry leave for the island?', reinforce: false })
  const first = await ask()
  expect(first.blocks.map(({ id }) => id)).toEqual([newer])
  expect(first.blocks[0]?.versions).toMatchObject([{ id: older, why: 'contradicted' }])
  await memory.outcome({ blockIds: [older], signal: 1 })
  expect((await ask()).blocks.map(({ id }) => id)).toEqual([older])
  await memory.resolve({ a: older, b: newer, keep: 'both' })
  expect((await ask()).blocks).toHaveLength(2)
})

test('of a pair in which one supersedes the other, as a model says, recall shows the newer with the other under it until somebody resolves', async () => {
  const { memory, older, newer, dream, edges } = await openPair({ relation: 'supersedes', confidence: 0.85 })
  expect(dream.conflicts).toMatchObject([{ kind: 'supersession', score: 0.85, foundBy: 'model' }])
  expect(dream.labels).toMatchObject({ supersedes: 1 })
  expect(edges).toMatchObject([{ relation: 'similar' }])
  const ask = () =>
    memory.recall({ query: 'When does the harbour ferry leave for the island?', reinforce: false })
  const { blocks } = await ask()
  expect(blocks.map(({ id }) => id)).toEqual([newer])
  expect(blocks[0]?.versions).toMatchObject([{ id: older, why: 'earlier' }])
  await memory.resolve({ a: older, b: newer, keep: 'both' })
  expect((await ask()).blocks).toHaveLength(2)
})

test('an agent that says one supersedes the other moves nothing of the owner', async () => {
  const { memory, path } = await openTestMemory({ settings: { conflicts: { rules: false } } })
  const { blockId: older } = await memory.remember({ content: OLDER, sourceClass: 'user' })
  const { blockId: newer } = await memory.remember({ content: NEWER, sourceClass: 'user' })
  await memory.dream()
  const agent = await openTestMemory({ path, actor: 'mcp:test' })
  await agent.memory.dream({ edgeLabels: [{ a: older, b: newer, relation: 'supersedes' }] })
  const { blocks } = await memory.recall({ query: 'When does the harbour ferry leave?', reinforce: false })
  expect(blocks.map(({ id }) => id).toSorted()).toEqual([older, newer].toSorted())
})

test('a contradiction of texts that are not alike is not believed', async () => {
  const languageModel = toldModel({ label: () => ({ relation: 'contradicts', confidence: 1 }) })
  const { memory } = await openTestMemory({
    languageModel,
    settings: { conflicts: { cosineFloor: 0.99, rules: false } },
  })
  await memory.remember({ content: OLDER })
  await memory.remember({ content: NEWER })
  const dream = await memory.dream()
  expect(dream.labels.contradicts).toBe(1)
  expect(dream.conflicts).toEqual([])
})

test("an agent's own word for an edge is never overwritten by a model", async () => {
  let label = { relation: 'supports', confidence: 0.2 }
  const languageModel = toldModel({ label: () => label })
  const { memory, store } = await openTestMemory({ languageModel, settings: { conflicts: { rules: false } } })
  const { blockId: a } = await memory.remember({ content: OLDER })
  const { blockId: b } = await memory.remember({ content: NEWER })
  await memory.dream()
  await memory.connect({ source: a, target: b, relation: 'depends_on', ifExists: 'update' })
  label = { relation: 'contradicts', confidence: 1 }
  await store.write((tx) => tx.queueUnlabelled([{ from: a, to: b, cosine: 0.9 }], 9))
  const dream = await memory.dream()
  expect(dream).toMatchObject({ conflicts: [], labels: { contradicts: 1 } })
  expect((await memory.show({ blockId: a })).edges).toMatchObject([
    { relation: 'depends_on', origin: 'agent' },
  ])
})

test('pairs the model gave no answer for go on waiting, and the next dream asks again', async () => {
  let works = false
  const { memory } = await openTestMemory({
    languageModel: toldModel({
      answer: ({ schemaName }) => (schemaName === 'pair_labels' && !works ? 'no' : undefined),
    }),
  })
  await memory.remember({ content: OLDER })
  await memory.remember({ content: NEWER })
  expect(await memory.dream()).toMatchObject({ pairsUnlabelled: 1, analysed: 2 })
  works = true
  expect(await memory.dream()).toMatchObject({ pairsUnlabelled: 0, labels: { elaborates: 1 } })
})

test('a host without any model can be the mind: it judges what waits, labels pairs and is told what was not used', async () => {
  const { memory } = await openTestMemory({ settings: { conflicts: { rules: false } } })
  const { blockId: a } = await memory.remember({ content: OLDER })
  const { blockId: b } = await memory.remember({ content: NEWER })
  const analysis = { alignmentScore: 0.3, tags: ['self/goal', 'self/constitutional'], summary: '' }
  const dream = await memory.dream({
    hostAnalyses: { [a]: analysis, feedfeedfeedfeed: analysis },
    edgeLabels: [
      { a, b, relation: 'elaborates' },
      { a, b: 'feedfeedfeedfeed', relation: 'supports' },
    ],
  })
  expect(dream).toMatchObject({
    analysed: 1,
    labels: { elaborates: 1 },
    analysesUnused: ['feedfeedfeedfeed'],
    labelsUnused: [{ a, b: 'feedfeedfeedfeed' }],
    tagsRefused: ['self/constitutional'],
    llmCalls: 0,
  })
  expect((await memory.show({ blockId: a })).edges).toMatchObject([{ relation: 'elaborates' }])
  expect((await memory.inbox({ pairs: 5 })).pairs).toEqual([])
  const later = await memory.dream({ hostAnalyses: { [b]: { ...analysis, alignmentScore: 0.6 } } })
  expect(later).toMatchObject({ status: 'dreamt', rescored: 1, analysesUnused: [] })
  expect((await memory.show({ blockId: b })).block.alignment).toBe(0.6)
})

test("a host's labels are checked before any work is done", async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: OLDER })
  const wrong = memory.dream({
    edgeLabels: [{ a: blockId, b: blockId, relation: 'rhymes' as 'supports' }],
  })
  expect((await refusal(wrong)).code).toBe('INVALID_INPUT')
  expect((await memory.status()).inboxCount).toBe(1)
})

test('a new block may give its tags and a cue to an older one it is related to, when memories may evolve', async () => {
  const label = () => ({
    relation: 'elaborates',
    confidence: 0.9,
    tags: ['ferry', 'invented', 'self/goal'],
    cue: 'when somebody plans a trip to the island',
  })
  for (const evolve of [true, false]) {
    const { memory, clock } = await openTestMemory({
      languageModel: toldModel({ label }),
      settings: { llm: { evolve }, conflicts: { rules: false, wordTags: false } },
    })
    const { blockId: older } = await memory.remember({ content: OLDER, tags: ['harbour'] })
    clock.advance({ minutes: 5 })
    const { blockId: newer } = await memory.remember({ content: NEWER, tags: ['ferry', 'self/goal'] })
    const dream = await memory.dream()
    const { block } = await memory.show({ blockId: older })
    expect(block.content).toBe(OLDER)
    expect(block.tags).toEqual(evolve ? ['ferry', 'harbour'] : ['harbour'])
    expect(block.cue).toBe(evolve ? 'when somebody plans a trip to the island' : undefined)
    expect(dream.evolved.map(({ blockId }) => blockId)).toEqual(evolve ? [older] : [])
    const { operations } = await memory.history({ blockId: older, operation: 'evolve' })
    expect(operations.map(({ before }) => before)).toEqual(evolve ? [[{ id: older, tags: ['harbour'] }]] : [])
    expect((await memory.show({ blockId: newer })).block.tags).toEqual(['ferry', 'self/goal'])
  }
})

test('the words of others give nothing to older blocks', async () => {
  const label = () => ({ relation: 'elaborates', confidence: 0.9, tags: ['ferry'], cue: 'always' })
  const { memory, clock } = await openTestMemory({
    languageModel: toldModel({ label }),
    settings: { llm: { evolve: true }, conflicts: { rules: false, wordTags: false } },
  })
  const { blockId: older } = await memory.remember({ content: OLDER })
  clock.advance({ minutes: 5 })
  await memory.remember({ content: NEWER, tags: ['ferry'], source: 'harbour.example/page' })
  expect((await memory.dream()).evolved).toEqual([])
  expect((await memory.show({ blockId: older })).block.tags).toEqual([])
})

test('rules find what contradicts without a model, and what says that something changed', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId: old } = await memory.remember({ content: 'The staging server listens on port 4210' })
  clock.advance({ minutes: 5 })
  const { blockId: fresh } = await memory.remember({ content: 'The staging server listens on port 4211' })
  const dream = await memory.dream()
  expect(dream.conflicts).toMatchObject([{ kind: 'contradiction', foundBy: 'rule:number' }])
  expect(new Set(dream.conflicts.flatMap(({ a, b }) => [a, b]))).toEqual(new Set([old, fresh]))
  const answer = await memory.recall({ query: 'Which port does the staging server listen on?' })
  expect(answer.blocks.map(({ id }) => id)).toEqual([fresh])
  expect(answer.blocks[0]?.versions).toMatchObject([{ id: old, why: 'earlier' }])
  await memory.remember({ content: 'The staging server listens on port 4212', source: 'Ben' })
  expect((await memory.dream()).conflicts).toEqual([])
})

test('a text gets the plain tags of the memory whose words it has, and the log says so', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'Rye needs long baking', tags: ['sourdough bread', 'self/style'] })
  await memory.dream()
  const { blockId } = await memory.remember({ content: 'Sourdough breads rise slowly in the cold' })
  await memory.dream()
  expect((await memory.show({ blockId })).block.tags).toEqual(['sourdough bread'])
  const { operations } = await memory.history({ blockId, operation: 'promote' })
  expect(operations[0]?.summary).toContain('tagged by its words: sourdough bread')
})
