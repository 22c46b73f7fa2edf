import { expect, test } from 'vitest'
import { queueUnlabelled } from '../../../src/store/graph.ts'
import { openTestMemory, refusal } from '../../helpers/memory.ts'
import { type ToldModelOptions, toldModel } from '../../helpers/told-model.ts'

const OLDER = 'The harbour ferry leaves for the island at nine every morning'
const NEWER = 'The harbour ferry leaves for the island at nine every morning in calm weather'

/** Dreams of two related blocks whose pair a model labels. */
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

test('dream labels new edges by the model, with the origin llm_inferred', async () => {
  for (const relation of ['supports', 'elaborates'] as const) {
    const { dream, edges } = await openPair({ relation, confidence: 0.9 })
    expect(dream.labelled).toBe(1)
    expect(edges).toMatchObject([{ relation, origin: 'llm_inferred' }])
  }
})

test('dream removes the edge of an unrelated pair, or halves it when the model is less sure', async () => {
  expect((await openPair({ relation: 'unrelated', confidence: 0.95 })).edges).toEqual([])
  const [weakened] = (await openPair({ relation: 'unrelated', confidence: 0.7 })).edges
  const [kept] = (await openPair({ relation: 'unrelated', confidence: 0.3 })).edges
  expect(weakened?.weight).toBeCloseTo((kept?.weight ?? 0) / 2)
  expect(kept?.origin).toBe('similarity')
})

test('a contradiction that a model found is an open pair that resolve settles', async () => {
  const { memory, older, newer, dream, edges } = await openPair({ relation: 'contradicts', confidence: 0.85 })
  expect(dream.conflicts).toMatchObject([{ kind: 'contradiction', score: 0.85, foundBy: 'model' }])
  expect(edges).toMatchObject([{ relation: 'contradicts', origin: 'llm_inferred' }])
  const ask = () =>
    memory.recall({ query: 'When does the harbour ferry leave for the island?', reinforce: false })
  expect((await memory.show({ blockId: older })).openPairs).toMatchObject([
    { other: newer, kind: 'contradiction' },
  ])
  await memory.resolve({ a: older, b: newer, keep: 'both' })
  expect((await ask()).blocks).toHaveLength(2)
})

test('dream leaves the relation that an agent named, whatever the model says', async () => {
  let label = { relation: 'supports', confidence: 0.2 }
  const languageModel = toldModel({ label: () => label })
  const { memory, store } = await openTestMemory({ languageModel, settings: { conflicts: { rules: false } } })
  const { blockId: a } = await memory.remember({ content: OLDER })
  const { blockId: b } = await memory.remember({ content: NEWER })
  await memory.dream()
  await memory.connect({ source: a, target: b, relation: 'depends_on', ifExists: 'update' })
  label = { relation: 'contradicts', confidence: 1 }
  await store.write((tx) => queueUnlabelled(tx, [{ from: a, to: b, cosine: 0.9 }], 9))
  const dream = await memory.dream()
  expect(dream).toMatchObject({ conflicts: [], labelled: 1 })
  expect((await memory.show({ blockId: a })).edges).toMatchObject([
    { relation: 'depends_on', origin: 'agent' },
  ])
})

test('dream asks again for pairs that the model gave no answer for', async () => {
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
  expect(await memory.dream()).toMatchObject({ pairsUnlabelled: 0, labelled: 1 })
})

test('dream takes analyses and labels from a host, and names those it could not use', async () => {
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
    labelled: 1,
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

test('dream with a malformed label or analysis, or with rescore and no model, is refused before any work', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: OLDER })
  const wrong = memory.dream({
    edgeLabels: [{ a: blockId, b: blockId, relation: 'rhymes' as 'supports' }],
  })
  expect((await refusal(wrong)).code).toBe('INVALID_INPUT')
  const alsoWrong = memory.dream({ hostAnalyses: { [blockId]: { alignmentScore: 2, summary: 'x' } } })
  expect((await refusal(alsoWrong)).code).toBe('INVALID_INPUT')
  expect((await refusal(memory.dream({ rescore: true }))).code).toBe('INVALID_INPUT')
  expect((await memory.status()).inboxCount).toBe(1)
})

/** Returns the conflicts that a dream without a model finds between two statements of one source. */
async function ruledConflicts(older: string, newer: string) {
  const { memory, clock } = await openTestMemory()
  const { blockId: a } = await memory.remember({ content: older })
  clock.advance({ minutes: 5 })
  const { blockId: b } = await memory.remember({ content: newer })
  const { conflicts } = await memory.dream()
  expect(conflicts.every((pair) => new Set([pair.a, pair.b, a, b]).size === 2)).toBe(true)
  return conflicts.map(({ kind, foundBy }) => `${kind} ${foundBy}`)
}

test('dream without a model finds a negation, another date or another number by rule', async () => {
  const cases = {
    negation: ['The night bus stops at the mill', 'The night bus does not stop at the mill'],
    date: ['The lease of the barn ends on 30 April', 'The lease of the barn ends on 31 May'],
    number: ['The staging server listens on port 4210', 'The staging server listens on port 4211'],
  } as const
  for (const [rule, [older, newer]] of Object.entries(cases)) {
    expect(await ruledConflicts(older, newer)).toEqual([`contradiction rule:${rule}`])
    expect(await ruledConflicts(newer, older)).toEqual([`contradiction rule:${rule}`])
  }
})

test('dream without a model finds no contradiction where both statements may hold', async () => {
  const cases = [
    ['Some guests are vegetarian at the retreat', 'Some guests are not vegetarian at the retreat'],
    ['The choir sang in the chapel on 4 May', 'The choir sang in the chapel on 11 May'],
    ['The pump in shed 4 is broken', 'The pump in shed 5 is broken'],
    ['The nightly build failed after 14 minutes', 'The nightly build failed after 17 minutes'],
    ['The staging server listens on port 4210', 'The staging server listens on port 4211?'],
    ['The staging server listens on port 4210', 'The test server listens on port 4211'],
  ] as const
  for (const [older, newer] of cases) expect(await ruledConflicts(older, newer)).toEqual([])
})
